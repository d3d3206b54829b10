#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "tools/topo/outline.hpp"
#include "tools/topo/picture.hpp"

namespace weft::topo {

/// The width of a text in a font of that size, near enough.
[[nodiscard]] double text_width(const std::string& text, double font);
[[nodiscard]] double text_width(const std::vector<std::string>& lines, double font);

/// Where the boxes and frames of an outline are.
struct Layout {
  struct Place {
    Point centre;
    double width = 0;
    double height = 0;
    std::vector<std::string> text{};
    std::uint32_t columns = 0;  ///< of cells
    double cell_width = 0;
    [[nodiscard]] double left() const { return centre.x - width / 2; }
    [[nodiscard]] double right() const { return centre.x + width / 2; }
    [[nodiscard]] double top() const { return centre.y + height / 2; }
    [[nodiscard]] double bottom() const { return centre.y - height / 2; }
  };
  std::vector<Place> boxes;   ///< by box
  std::vector<Place> frames;  ///< by frame
  std::vector<Place> rows;    ///< by role: the middle of the row, and its height
  double width = 0;           ///< from 0
  /// Room for lines within a row, above the highest and below the lowest one.
  double arc_above = 0;
  double arc_below = 0;
};

/// How far a line between two boxes of a row bends out of it.
[[nodiscard]] double arc_height(double distance);

inline constexpr double kCellHeight = 13;
inline constexpr double kCellFont = 7;
inline constexpr double kBoxFont = 10;
/// Between the two borders of a box that stands for several nodes: Graphviz's own.
inline constexpr double kStackBorder = 4;

/// Names without the part that all have in common up to a separator.
[[nodiscard]] std::vector<std::string> short_names(const Fabric& fabric,
                                                   const std::vector<NodeId>& nodes);

[[nodiscard]] Layout layout_of(const Fabric& fabric, const Outline& outline);

}  // namespace weft::topo
