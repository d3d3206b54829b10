#pragma once

#include <array>
#include <string>
#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "tools/topo/outline.hpp"

namespace weft::topo {

struct Point {
  double x = 0;
  double y = 0;
};

/// An outline with a place for everything. Lengths are points (1/72 inch); y grows upwards.
struct Picture {
  struct Box {
    Point centre;
    double width = 0;
    double height = 0;
    std::vector<std::string> text{};
    double font = 10;
    const char* fill = "none";
    const char* border = "none";
    double pen = 1;
    bool is_stack = false;  ///< stands for several nodes that are not shown
    std::string id{};       ///< unique; empty for what no line meets
    std::string tooltip{};
    bool is_marked = false;
    std::vector<NodeId> nodes{};  ///< that it stands for; none: a frame or a text
  };
  struct Line {
    std::string from;  ///< ids of boxes
    std::string to;
    std::array<Point, 4> curve{};  ///< cubic Bezier
    double pen = 1;
    const char* colour = "black";
    bool is_dashed = false;
    bool is_marked = false;
    std::string tooltip{};
  };
  std::string title;
  std::vector<Box> boxes;  ///< painted in this order, over the lines
  std::vector<Line> lines;
};

struct PictureOptions {
  std::string name;  ///< of the fabric
  std::uint32_t max_boxes = 24;
  const Highlight* highlight = nullptr;
  std::vector<Mark> marks = {};
  bool lists_marks = true;  ///< as texts above the picture
};

/// Tiers in rows, hosts at the bottom, scale-up switches below their hosts. Takes time in
/// proportion to the fabric; what is drawn does not grow with it.
[[nodiscard]] Picture draw_picture(const Fabric& fabric, const PictureOptions& options);

}  // namespace weft::topo
