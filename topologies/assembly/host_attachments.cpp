#include "topologies/assembly/host_attachments.hpp"

#include <algorithm>
#include <cstddef>

namespace weft::topologies {
namespace {

constexpr NetworkKind kNetworks[] = {NetworkKind::kScaleOut, NetworkKind::kScaleUp};

}  // namespace

HostAttachments::HostAttachments(const Fabric& fabric, const std::vector<bool>& is_down,
                                 const std::vector<bool>& is_alone)
    : fabric_(fabric), is_down_(is_down), group_of_(fabric.hosts.size()) {
  static_cast<void>(list_of({}));
  find_subnets();
  for (std::uint32_t host = 0; host < fabric.hosts.size(); ++host) attach(host, is_alone[host]);
  std::ranges::sort(direct_);
  direct_.erase(std::unique(direct_.begin(), direct_.end()), direct_.end());
}

void HostAttachments::find_subnets() {
  subnets_.resize(1);
  for (const Node& node : fabric_.nodes) {
    if (node.domain < 0) continue;
    const auto subnet = static_cast<std::uint32_t>(subnets_.size());
    if (subnet_of_domain_.try_emplace(node.domain, subnet).second) subnets_.emplace_back();
  }
  for (std::uint32_t at = 0; at < fabric_.switches.size(); ++at) {
    const Node& node = fabric_.switch_node(SwitchId(at));
    if (node.is_nic) continue;
    subnets_[subnet_of(node, node.network)].switches.push_back(at);
  }
  for (Subnet& subnet : subnets_) subnet.groups.push_back({0});
}

std::uint32_t HostAttachments::list_of(std::vector<std::uint32_t> tor_set) {
  std::ranges::sort(tor_set);
  tor_set.erase(std::unique(tor_set.begin(), tor_set.end()), tor_set.end());
  const auto list = static_cast<std::uint32_t>(tor_sets_.size());
  const auto [found, is_new] = index_of_tor_set_.try_emplace(tor_set, list);
  if (is_new) tor_sets_.push_back(std::move(tor_set));
  return found->second;
}

/// Links of a host into a network, or of a NIC node to switches.
template <class Visit>
void HostAttachments::for_each_uplink(const Node& node, NetworkKind network, bool is_up,
                                      Visit visit) const {
  for (std::uint32_t local = 0; local < node.port_count; ++local) {
    const PortId port(node.first_port.value() + local);
    if (is_up && is_down_[port.value()]) continue;
    const Node& peer = fabric_.node(fabric_.peer_node(port));
    if (peer.kind == NodeKind::kSwitch && peer.network == network) {
      visit(static_cast<std::uint16_t>(local), peer, fabric_.port(port).peer);
    }
  }
}

const std::vector<HostAttachments::Uplink>& HostAttachments::uplinks_of_nic(const Node& nic,
                                                                            NetworkKind network) {
  const auto [found, is_new] = uplinks_of_nic_.try_emplace({nic.index, network});
  std::vector<Uplink>& uplinks = found->second;
  if (is_new) {
    for_each_uplink(nic, network, true, [&](std::uint16_t, const Node& next, PortId port) {
      uplinks.push_back({next.index, port});
    });
  }
  return uplinks;
}

void HostAttachments::attach(std::uint32_t host, bool is_alone) {
  const Node& node = fabric_.host(HostId(host));
  const auto hangs_on = [&](const Node& at, PortId port) {
    direct_.push_back(
        {at.index, host, static_cast<std::uint16_t>(port.value() - at.first_port.value())});
  };
  for (const NetworkKind network : kNetworks) {
    std::vector<std::uint32_t> tor_set;
    for_each_uplink(node, network, true, [&](std::uint16_t, const Node& at, PortId port) {
      hangs_on(at, port);
      if (!at.is_nic) return tor_set.push_back(at.index);
      for (const Uplink& onward : uplinks_of_nic(at, network)) {
        hangs_on(fabric_.switch_node(SwitchId(onward.at)), onward.port);
        tor_set.push_back(onward.at);
      }
    });
    if (tor_set.empty()) continue;
    const std::uint32_t list = list_of(std::move(tor_set));
    const std::uint32_t number = subnet_of(node, network);
    Subnet& subnet = subnets_[number];
    auto group = static_cast<std::uint32_t>(subnet.groups.size());
    if (!is_alone) group = group_of_list_.try_emplace({number, list}, group).first->second;
    if (group == subnet.groups.size()) subnet.groups.push_back({list});
    group_of_[host][static_cast<std::size_t>(network)] = group;
  }
}

std::vector<HostAttachments::HostLink> HostAttachments::host_links(const Node& node,
                                                                   NetworkKind network) {
  std::vector<HostLink> host_links;
  for (const bool is_up : {true, false}) {
    for_each_uplink(node, network, is_up, [&](std::uint16_t local, const Node& at, PortId port) {
      const BitsPerSecond rate = fabric_.port(fabric_.port(port).peer).rate;
      if (!at.is_nic) {
        host_links.push_back({local, list_of({at.index}), 0, rate});
        return;
      }
      std::vector<std::uint32_t> tor_set;
      for (const Uplink& onward : uplinks_of_nic(at, network)) tor_set.push_back(onward.at);
      host_links.push_back({local, list_of(std::move(tor_set)), 1, rate});
    });
    if (!host_links.empty()) break;
  }
  return host_links;
}

}  // namespace weft::topologies
