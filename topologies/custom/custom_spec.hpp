#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/schema/schema.hpp"
#include "topologies/topology.hpp"

namespace weft::topologies {

/// Nodes and links by name.
struct CustomSpec {
  struct NodeSpec {
    std::string name;
    bool is_switch = false;
    std::uint32_t tier = 1;  ///< switches only
    Picoseconds pipeline{};
    std::int32_t domain = -1;  ///< hosts and scale-up switches that are one scale-up domain
    std::int32_t rail = -1;    ///< hosts only, for reports
    NetworkKind network = NetworkKind::kScaleOut;  ///< switches only
    Bytes buffer{};  ///< of a switch, as are cells; 0: as the configuration of all switches says
    Bytes cell{};
    Bytes headroom_pool{};     ///< of a switch, where `buffer` is
    BitsPerSecond capacity{};  ///< of a switch; 0: no limit
  };
  struct LinkEntry {
    std::string from;
    std::string to;
    LinkSpec link{};
    std::uint32_t count = 1;
  };
  /// At switch `at`, packets for host `to` leave towards one of `via` only.
  struct NextHopEntry {
    std::string at;
    std::string to;
    std::vector<std::string> via;
  };
  std::vector<NodeSpec> nodes;
  std::vector<LinkEntry> links;
  std::vector<NextHopEntry> next_hops;
  RoutingSpec routing{};

  static constexpr RoutingRule kRoutingRule = RoutingRule::kShortest;

  /// All domains that are listed are alike.
  [[nodiscard]] std::vector<std::optional<ScaleUpPart>> scale_up_parts() const {
    for (const NodeSpec& node : nodes) {
      if (node.domain >= 0) return {ScaleUpPart()};
    }
    return {};
  }
};

/// Nodes and links by name, as a scenario says them.
struct Custom {
  static constexpr const char* kName = "custom";
  static constexpr LinkRoles kRoles = LinkRoles::kOwn;
  static constexpr const char* kWhyNoRacks = "which lists its hosts under fabric.nodes";

  struct Node {
    std::string name;
    NodeKind kind = NodeKind::kHost;
    std::optional<std::uint32_t> tier;  ///< switches only
    std::optional<Picoseconds> latency;
    std::optional<std::uint32_t> domain;
    NetworkKind network = NetworkKind::kScaleOut;  ///< switches only
    std::optional<SwitchPart> switch_part;
  };
  struct Link {
    std::string from;
    std::string to;
    LinkPart link;
    std::uint32_t count = 1;
  };
  NicPart nic;
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<CustomSpec::NextHopEntry> next_hops;

  [[nodiscard]] static schema::Object<Custom> schema();
  [[nodiscard]] std::vector<SwitchUse> switch_uses() const;
  [[nodiscard]] std::vector<std::string> host_names() const;
  /// Its links must be complete.
  [[nodiscard]] CustomSpec specification(const FabricParts& parts) const;
};

}  // namespace weft::topologies
