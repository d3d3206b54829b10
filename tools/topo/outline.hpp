#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"
#include "topologies/analysis/roles.hpp"

/// Pictures of fabrics: what is drawn (outline), where (layout), and in Graphviz's language (dot).
namespace weft::topo {

/// Link directions that are to stand out, and the hosts at their ends.
struct Highlight {
  HostId from;
  HostId to;
  std::vector<PortId> ports;
  std::string caption;
};

/// What is to be seen at once: nodes and links that are not as their likes are, and why.
struct Mark {
  std::vector<NodeId> nodes;
  std::vector<PortId> ports;
  std::string text;
};

/// What a snapshot shows: nodes in boxes, each with one node or with several of the same role, and
/// the links between two boxes as one bundle. Few nodes have a box each. Of many, hosts that hang
/// on the same switches share one, and where racks or switches are too many to read, all but the
/// first and the last are put together and counted.
struct Outline {
  struct Box {
    std::vector<NodeId> nodes;
    std::uint32_t role = 0;
    std::optional<std::uint32_t> frame{};
    bool has_cells = false;  ///< its nodes are drawn one by one inside
    bool is_highlighted = false;
  };
  /// What is drawn around the boxes of a rack, a pod or a scale-up domain.
  struct Frame {
    std::string caption;  ///< empty: no border
    std::vector<std::uint32_t> boxes;
  };
  struct Bundle {
    std::uint32_t lower = 0;  ///< boxes, by role
    std::uint32_t upper = 0;
    std::uint32_t links = 0;
    BitsPerSecond rate{};  ///< of all links together
    BitsPerSecond slowest = BitsPerSecond::max();
    bool is_highlighted = false;
  };

  topologies::RoleTable roles;
  std::vector<Box> boxes;  ///< by role; in a row from left to right
  std::vector<Frame> frames;
  std::vector<Bundle> bundles;
};

/// `max_boxes`: beside each other, before the middle ones are put together; at least 4.
[[nodiscard]] Outline outline_of(const Fabric& fabric, std::uint32_t max_boxes,
                                 const Highlight* highlight);

}  // namespace weft::topo
