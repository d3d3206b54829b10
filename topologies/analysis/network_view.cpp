#include "topologies/analysis/network_view.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "simcore/base/hash.hpp"

namespace weft::topologies {

BitsPerSecond NetworkView::Site::host_rate() const {
  BitsPerSecond rate;
  for (const Bundle& bundle : uplinks) rate += bundle.rate;
  return rate;
}

NetworkView::NetworkView(const Fabric& fabric, NetworkKind network) : network_(network) {
  for (const Port& port : fabric.ports) {
    if (port.shared_link >= sharers_.size()) sharers_.resize(port.shared_link + 1);
    ++sharers_[port.shared_link];
  }
  first_.reserve(fabric.switches.size() + 1);
  for (const NodeId id : fabric.switches) {
    first_.push_back(bundles_.size());
    is_nic_.push_back(fabric.node(id).is_nic);
    if (fabric.node(id).network != network) continue;
    const std::vector<Bundle> bundles = bundles_from(fabric, id);
    bundles_.insert(bundles_.end(), bundles.begin(), bundles.end());
  }
  first_.push_back(bundles_.size());

  site_of_.reserve(fabric.hosts.size());
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash;
  for (std::size_t host = 0; host < fabric.hosts.size(); ++host) {
    std::vector<Bundle> uplinks = bundles_from(fabric, fabric.hosts[host]);
    std::uint64_t hash = 0;
    for (const Bundle& bundle : uplinks) {
      hash = mix64(hash ^ bundle.to) + bundle.links;
      hash = mix64(hash ^ static_cast<std::uint64_t>(bundle.rate.count()));
    }
    std::vector<std::uint32_t>& alike = by_hash[hash];
    const auto same = std::ranges::find_if(
        alike, [&](std::uint32_t site) { return sites_[site].uplinks == uplinks; });
    if (same == alike.end()) {
      alike.push_back(static_cast<std::uint32_t>(sites_.size()));
      site_of_.push_back(alike.back());
      sites_.push_back({std::move(uplinks), {HostId(host)}});
    } else {
      site_of_.push_back(*same);
      sites_[*same].hosts.emplace_back(host);
    }
  }
}

std::vector<NetworkView::Bundle> NetworkView::bundles_from(const Fabric& fabric,
                                                           NodeId node) const {
  std::vector<Bundle> bundles;
  for (const Port& port : fabric.ports_of(node)) {  // by the node at the other end
    const Node& peer = fabric.node(fabric.port(port.peer).node);
    if (peer.kind != NodeKind::kSwitch || peer.network != network_) continue;
    if (bundles.empty() || bundles.back().to != peer.index) bundles.push_back({.to = peer.index});
    ++bundles.back().links;
    const std::uint32_t sharers = port.shared_link == 0 ? 1 : sharers_[port.shared_link];
    bundles.back().rate += BitsPerSecond(port.rate.count() / sharers);
  }
  return bundles;
}

}  // namespace weft::topologies
