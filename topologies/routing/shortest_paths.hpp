#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "topologies/assembly/host_attachments.hpp"
#include "topologies/routing/next_hop_sets.hpp"

namespace weft::topologies {

/// The distance of a switch without a path.
inline constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max() - 2;

/// The links between switches that have not failed, in flat arrays, in the order of ports; NIC
/// nodes have none.
class SwitchGraph {
 public:
  struct Link {
    std::uint32_t peer;  ///< SwitchId
    std::uint16_t local_port;
    std::uint16_t peer_port;
    std::int64_t rate;
    auto operator<=>(const Link&) const = default;
  };
  SwitchGraph(const Fabric& fabric, const std::vector<bool>& has_failed);
  [[nodiscard]] std::span<const Link> links_of(std::uint32_t at) const {
    return {links_.data() + first_[at], links_.data() + first_[at + 1]};
  }
  /// Those to higher tiers: the last ones, as ports follow the number of the node at the other end.
  [[nodiscard]] std::span<const Link> up_links_of(std::uint32_t at) const {
    return {links_.data() + first_up_[at], links_.data() + first_[at + 1]};
  }
  [[nodiscard]] bool has_links_down(std::uint32_t at) const { return first_up_[at] > first_[at]; }

 private:
  std::vector<std::size_t> first_;     ///< by SwitchId, and the end
  std::vector<std::size_t> first_up_;  ///< by SwitchId
  std::vector<Link> links_;
};

/// Turns local ports into sets, weighted if that is wanted.
class SetMaker {
 public:
  SetMaker(const Fabric& fabric, bool is_weighted, NextHopSets& sets)
      : fabric_(fabric), is_weighted_(is_weighted), sets_(sets) {}

  [[nodiscard]] std::uint32_t set(const Node& node, std::vector<std::uint16_t>& ports) const {
    if (is_weighted_) repeat_by_rate(fabric_, node, ports);
    return sets_.id_of(ports);
  }
  /// The same for a switch; `latest` is the set it had last, most often this one again.
  std::uint32_t set(std::uint32_t at, std::vector<std::uint16_t>& ports,
                    std::uint32_t& latest) const {
    if (is_weighted_) repeat_by_rate(fabric_, fabric_.switch_node(SwitchId(at)), ports);
    if (!sets_.holds(latest, ports)) latest = sets_.id_of(ports);
    return latest;
  }

 private:
  const Fabric& fabric_;
  bool is_weighted_;
  NextHopSets& sets_;
};

/// Paths of fewest links from every switch of a subnet to a group's ToR sets.
class ShortestPaths {
 public:
  ShortestPaths(const SwitchGraph& graph, std::size_t switches, const SetMaker& maker);

  void find(const HostAttachments::Subnet& subnet, std::span<const std::uint32_t> tor_set);
  [[nodiscard]] std::uint32_t distance(std::uint32_t at) const { return distance_[at]; }
  /// Of a switch that is no anchor: the set of links that lead closer.
  std::uint32_t set(std::uint32_t at);

 private:
  const SwitchGraph& graph_;
  const SetMaker& maker_;
  std::vector<std::uint32_t> distance_;
  std::vector<std::uint32_t> latest_;  ///< by switch: the set it had last
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint16_t> ports_;
};

/// Paths of fewest links that go up first and then down: down wherever that leads to the ToR set.
///
/// Only the switches above the ToR set are looked at one by one. All others go up, and those with
/// the same links up, such as the leaves of a pod, go the same way: they are a class, and asked
/// once. So a group costs the links above its ToR set and those of one switch per class, not all
/// links of the fabric.
class UpDownPaths {
 public:
  UpDownPaths(const SwitchGraph& graph, std::size_t switches, const SetMaker& maker);

  void find(std::span<const std::uint32_t> tor_set);
  [[nodiscard]] std::uint32_t distance(std::uint32_t at) const {
    return distance_[at] != kFar ? distance_[at] : classes_[class_of_[at]].distance;
  }
  /// The ToR sets and the switches above them, by distance.
  [[nodiscard]] std::span<const std::uint32_t> above() const { return queue_; }
  /// Of a switch above the ToR set: the set of links that lead down to them.
  std::uint32_t set_down(std::uint32_t at);

  [[nodiscard]] std::size_t class_count() const { return classes_.size(); }
  [[nodiscard]] std::uint32_t class_of(std::uint32_t at) const { return class_of_[at]; }
  /// Of all switches of a class that are neither ToR sets nor above them.
  [[nodiscard]] std::uint32_t set_up(std::size_t number) const { return classes_[number].set; }

 private:
  /// Switches with the same links up.
  struct Class {
    std::uint32_t member = 0;
    std::uint32_t distance = kFar;
    std::uint32_t set = 0;
  };
  void go_up(Class& c);

  const SwitchGraph& graph_;
  const SetMaker& maker_;
  std::vector<Class> classes_;           ///< those of higher tiers first
  std::vector<std::uint32_t> class_of_;  ///< by SwitchId
  std::vector<std::uint32_t> distance_;  ///< going down only
  std::vector<std::uint32_t> latest_;    ///< by switch: the set it had last
  bool is_known_ = false;                ///< the classes' paths are those to `known_for_`
  std::vector<std::uint32_t> known_for_;
  std::vector<std::uint32_t> anchor_classes_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::vector<std::uint16_t>> down_ports_;  ///< by SwitchId
};

}  // namespace weft::topologies
