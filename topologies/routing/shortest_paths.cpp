#include "topologies/routing/shortest_paths.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace weft::topologies {

SwitchGraph::SwitchGraph(const Fabric& fabric, const std::vector<bool>& has_failed) {
  first_.reserve(fabric.switches.size() + 1);
  for (const NodeId id : fabric.switches) {
    first_.push_back(links_.size());
    first_up_.push_back(links_.size());
    const Node& node = fabric.node(id);
    for (std::uint32_t local = 0; local < node.port_count && !node.is_nic; ++local) {
      const PortId port(node.first_port.value() + local);
      const PortId other = fabric.port(port).peer;
      const Node& peer = fabric.node(fabric.port(other).node);
      if (peer.kind != NodeKind::kSwitch || peer.is_nic || has_failed[port.value()]) continue;
      links_.push_back({peer.index, static_cast<std::uint16_t>(local),
                        static_cast<std::uint16_t>(other.value() - peer.first_port.value()),
                        fabric.port(port).rate.count()});
      if (peer.tier <= node.tier) first_up_.back() = links_.size();
    }
  }
  first_.push_back(links_.size());
}

ShortestPaths::ShortestPaths(const SwitchGraph& graph, std::size_t switches, const SetMaker& maker)
    : graph_(graph), maker_(maker), distance_(switches, kFar), latest_(switches) {}

void ShortestPaths::find(const HostAttachments::Subnet& subnet,
                         std::span<const std::uint32_t> tor_set) {
  for (const std::uint32_t at : subnet.switches) distance_[at] = kFar;
  for (const std::uint32_t at : tor_set) distance_[at] = 0;
  queue_.assign(tor_set.begin(), tor_set.end());
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const std::uint32_t at = queue_[i];
    for (const SwitchGraph::Link& link : graph_.links_of(at)) {
      if (distance_[link.peer] != kFar) continue;
      distance_[link.peer] = distance_[at] + 1;
      queue_.push_back(link.peer);
    }
  }
}

std::uint32_t ShortestPaths::set(std::uint32_t at) {
  ports_.clear();
  for (const SwitchGraph::Link& link : graph_.links_of(at)) {
    if (distance_[at] == kFar) break;
    if (distance_[link.peer] + 1 == distance_[at]) ports_.push_back(link.local_port);
  }
  return maker_.set(at, ports_, latest_[at]);
}

UpDownPaths::UpDownPaths(const SwitchGraph& graph, std::size_t switches, const SetMaker& maker)
    : graph_(graph),
      maker_(maker),
      class_of_(switches),
      distance_(switches, kFar),
      latest_(switches),
      down_ports_(switches) {
  std::map<std::vector<SwitchGraph::Link>, std::uint32_t> class_of_links;
  for (auto at = static_cast<std::uint32_t>(switches); at-- > 0;) {
    std::vector<SwitchGraph::Link> up;
    for (SwitchGraph::Link link : graph.up_links_of(at)) {
      link.peer_port = 0;  // where it ends at the other switch makes no difference
      up.push_back(link);
    }
    const auto number = static_cast<std::uint32_t>(classes_.size());
    const auto [known, is_new] = class_of_links.try_emplace(std::move(up), number);
    if (is_new) classes_.push_back({.member = at});
    class_of_[at] = known->second;
  }
}

void UpDownPaths::find(std::span<const std::uint32_t> tor_set) {
  for (const std::uint32_t at : queue_) {
    distance_[at] = kFar;
    down_ports_[at].clear();
  }
  for (const std::uint32_t at : tor_set) distance_[at] = 0;
  queue_.assign(tor_set.begin(), tor_set.end());
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const std::uint32_t at = queue_[i];
    for (const SwitchGraph::Link& link : graph_.up_links_of(at)) {
      if (distance_[link.peer] == kFar) {
        distance_[link.peer] = distance_[at] + 1;
        queue_.push_back(link.peer);
      }
      if (distance_[link.peer] == distance_[at] + 1) {
        down_ports_[link.peer].push_back(link.peer_port);
      }
    }
  }
  // Anchors at the bottom that go up alike, such as two leaves of a pod, make no difference above.
  anchor_classes_.clear();
  bool is_bottom = true;
  for (const std::uint32_t at : tor_set) {
    anchor_classes_.push_back(class_of_[at]);
    is_bottom = is_bottom && !graph_.has_links_down(at);
  }
  if (is_bottom && is_known_ && anchor_classes_ == known_for_) return;
  for (Class& c : classes_) go_up(c);
  is_known_ = is_bottom;
  std::swap(known_for_, anchor_classes_);
}

std::uint32_t UpDownPaths::set_down(std::uint32_t at) {
  ports_ = down_ports_[at];
  std::ranges::sort(ports_);
  return maker_.set(at, ports_, latest_[at]);
}

void UpDownPaths::go_up(Class& c) {
  c.distance = kFar;
  for (const SwitchGraph::Link& link : graph_.up_links_of(c.member)) {
    c.distance = std::min(c.distance, distance(link.peer) + 1);
  }
  c.distance = std::min(c.distance, kFar);
  ports_.clear();
  for (const SwitchGraph::Link& link : graph_.up_links_of(c.member)) {
    if (c.distance == kFar) break;
    if (distance(link.peer) + 1 == c.distance) ports_.push_back(link.local_port);
  }
  maker_.set(c.member, ports_, c.set);
}

}  // namespace weft::topologies
