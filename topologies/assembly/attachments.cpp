#include "topologies/assembly/attachments.hpp"

#include <algorithm>
#include <cstddef>

namespace weft::topologies {
namespace {

constexpr NetworkKind kNetworks[] = {NetworkKind::kScaleOut, NetworkKind::kScaleUp};

}  // namespace

Attachments::Attachments(const Fabric& fabric, const std::vector<bool>& is_down,
                         const std::vector<bool>& is_alone)
    : fabric_(fabric), is_down_(is_down), group_of_(fabric.hosts.size()) {
  static_cast<void>(list_of({}));
  find_spaces();
  for (std::uint32_t host = 0; host < fabric.hosts.size(); ++host) attach(host, is_alone[host]);
  std::ranges::sort(direct_);
  direct_.erase(std::unique(direct_.begin(), direct_.end()), direct_.end());
}

void Attachments::find_spaces() {
  spaces_.resize(1);
  for (const Node& node : fabric_.nodes) {
    if (node.domain < 0) continue;
    const auto space = static_cast<std::uint32_t>(spaces_.size());
    if (space_of_domain_.try_emplace(node.domain, space).second) spaces_.emplace_back();
  }
  for (std::uint32_t at = 0; at < fabric_.switches.size(); ++at) {
    const Node& node = fabric_.switch_node(SwitchId(at));
    if (node.is_nic) continue;
    spaces_[space_of(node, node.network)].switches.push_back(at);
  }
  for (Space& space : spaces_) space.groups.push_back({0});
}

std::uint32_t Attachments::list_of(std::vector<std::uint32_t> anchors) {
  std::ranges::sort(anchors);
  anchors.erase(std::unique(anchors.begin(), anchors.end()), anchors.end());
  const auto list = static_cast<std::uint32_t>(anchor_lists_.size());
  const auto [found, is_new] = list_of_anchors_.try_emplace(anchors, list);
  if (is_new) anchor_lists_.push_back(std::move(anchors));
  return found->second;
}

/// Links of a host into a network, or of a NIC node to switches.
template <class Visit>
void Attachments::for_each_uplink(const Node& node, NetworkKind network, bool is_up,
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

const std::vector<Attachments::Uplink>& Attachments::uplinks_of_nic(const Node& nic,
                                                                    NetworkKind network) {
  const auto [found, is_new] = uplinks_of_nic_.try_emplace({nic.index, network});
  if (is_new) {
    for_each_uplink(nic, network, true, [&](std::uint16_t, const Node& next, PortId port) {
      found->second.push_back({next.index, port});
    });
  }
  return found->second;
}

void Attachments::attach(std::uint32_t host, bool is_alone) {
  const Node& node = fabric_.host(HostId(host));
  const auto hangs_on = [&](const Node& at, PortId port) {
    direct_.push_back(
        {at.index, host, static_cast<std::uint16_t>(port.value() - at.first_port.value())});
  };
  for (const NetworkKind network : kNetworks) {
    std::vector<std::uint32_t> anchors;
    for_each_uplink(node, network, true, [&](std::uint16_t, const Node& at, PortId port) {
      hangs_on(at, port);
      if (!at.is_nic) return anchors.push_back(at.index);
      for (const Uplink& onward : uplinks_of_nic(at, network)) {
        hangs_on(fabric_.switch_node(SwitchId(onward.at)), onward.port);
        anchors.push_back(onward.at);
      }
    });
    if (anchors.empty()) continue;
    const std::uint32_t list = list_of(std::move(anchors));
    const std::uint32_t number = space_of(node, network);
    Space& space = spaces_[number];
    auto group = static_cast<std::uint32_t>(space.groups.size());
    if (!is_alone) group = group_of_list_.try_emplace({number, list}, group).first->second;
    if (group == space.groups.size()) space.groups.push_back({list});
    group_of_[host][static_cast<std::size_t>(network)] = group;
  }
}

std::vector<Attachments::Way> Attachments::ways(const Node& node, NetworkKind network) {
  std::vector<Way> ways;
  for (const bool is_up : {true, false}) {
    for_each_uplink(node, network, is_up, [&](std::uint16_t local, const Node& at, PortId port) {
      const BitsPerSecond rate = fabric_.port(fabric_.port(port).peer).rate;
      if (!at.is_nic) {
        ways.push_back({local, list_of({at.index}), 0, rate});
        return;
      }
      std::vector<std::uint32_t> anchors;
      for (const Uplink& onward : uplinks_of_nic(at, network)) anchors.push_back(onward.at);
      ways.push_back({local, list_of(std::move(anchors)), 1, rate});
    });
    if (!ways.empty()) break;
  }
  return ways;
}

}  // namespace weft::topologies
