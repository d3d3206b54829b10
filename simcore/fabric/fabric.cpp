#include "simcore/fabric/fabric.hpp"

#include <algorithm>

namespace weft {

std::string Fabric::port_name(PortId id) const {
  const auto end_name = [this](PortId end) {
    const Node& n = node(port(end).node);
    std::string text = n.name;
    if (n.kind == NodeKind::kSwitch) {
      text += "[" + std::to_string(end.value() - n.first_port.value()) + "]";
    }
    return text;
  };
  return end_name(id) + "->" + end_name(port(id).peer);
}

bool Fabric::has_shared_links() const {
  return std::ranges::any_of(ports, [](const Port& port) { return port.shared_link != 0; });
}

std::vector<PortId> Fabric::link_owners() const {
  std::vector<PortId> owners;
  owners.reserve(ports.size());
  std::vector<PortId> first;  // by number of the shared link
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::uint32_t link = ports[i].shared_link;
    if (link >= first.size()) first.resize(link + 1);
    if (link != 0 && first[link].is_none()) first[link] = PortId(i);
    owners.push_back(link == 0 ? PortId(i) : first[link]);
  }
  return owners;
}

std::vector<PortId> sharers_of(const Fabric& fabric, PortId port) {
  const std::uint32_t link = fabric.port(port).shared_link;
  if (link == 0) return {port};
  std::vector<PortId> sharers;
  for (std::size_t i = 0; i < fabric.ports.size(); ++i) {
    if (fabric.ports[i].shared_link == link) sharers.emplace_back(i);
  }
  return sharers;
}

}  // namespace weft
