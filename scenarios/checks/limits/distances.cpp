#include "scenarios/checks/limits/distances.hpp"

#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"

namespace weft::scenarios {

std::size_t Distances::links(HostId from, HostId to) {
  const std::uint64_t key = (std::uint64_t{switch_of(from, to)} << 32U) | switch_of(to, from);
  Recent& recent = recent_[mix64(key) % recent_.size()];
  if (recent.key == key) return recent.links;
  const auto [place, is_new] = links_.try_emplace(key);
  if (is_new) place->second = flow_path(fabric_, routes_, seed_, from, to, 0).size();
  recent = {key, place->second};
  return place->second;
}

std::uint32_t Distances::switch_of(HostId host, HostId other) const {
  const auto ports = routes_.host_ports(host, other);
  if (ports.empty()) return 0;  // there is no path
  const PortId first = fabric_.host(host).first_port;
  return fabric_.peer_node(PortId(first.value() + ports.front())).value();
}

}  // namespace weft::scenarios
