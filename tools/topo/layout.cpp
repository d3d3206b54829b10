#include "tools/topo/layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace weft::topo {
namespace {

constexpr double kBoxGap = 9;
constexpr double kFramePadding = 9;
constexpr double kFrameGap = 14;
constexpr double kCaptionHeight = 16;
/// Cells are stretched to fill their frame, up to here.
constexpr double kMaxCellWidth = 70;

class Placer {
 public:
  Placer(const Fabric& fabric, const Outline& outline) : fabric_(fabric), outline_(outline) {}

  Layout place() {
    for (const Outline::Box& box : outline_.boxes) layout_.boxes.push_back(size_of(box));
    find_rows();
    find_width();
    place_rows();
    place_frames();
    place_free_boxes();
    find_arcs();
    surround_frames();
    return std::move(layout_);
  }

 private:
  [[nodiscard]] const topologies::Role& role(std::uint32_t index) const {
    return outline_.roles.roles[index];
  }

  [[nodiscard]] Layout::Place size_of(const Outline::Box& box) const {
    Layout::Place place;
    const bool is_host = role(box.role).kind == NodeKind::kHost;
    if (box.has_cells) {
      const std::size_t count = box.nodes.size();
      place.cell_width = text_width(short_names(fabric_, box.nodes), kCellFont) + 6;
      // A lone rack is drawn wide, many racks are drawn compact.
      const double shape = outline_.frames.size() == 1 ? 4.5 : 2;
      place.columns = count <= 4 ? static_cast<std::uint32_t>(count)
                                 : static_cast<std::uint32_t>(
                                       std::ceil(std::sqrt(shape * static_cast<double>(count))));
      const std::size_t rows = (count + place.columns - 1) / place.columns;
      place.width = place.columns * (place.cell_width + 2) + 6;
      place.height = static_cast<double>(rows) * (kCellHeight + 2) + 6;
      return place;
    }
    if (box.nodes.size() == 1) {
      place.text = {fabric_.node(box.nodes.front()).name};
    } else {
      place.text = {topologies::counted(box.nodes.size(), role(box.role).name)};
      const std::int32_t rail = fabric_.node(box.nodes.front()).rail;
      const auto shares = [&](NodeId id) { return fabric_.node(id).rail == rail; };
      const bool is_rail = rail >= 0 && std::ranges::all_of(box.nodes, shares);
      if (is_rail && has_several_rails(box.role)) {
        place.text.push_back("rail " + std::to_string(rail));
      }
    }
    // A second border lies outside of the first.
    const double border = box.nodes.size() > 1 ? 2 * kStackBorder : 0;
    place.width = std::max(is_host ? 24.0 : 44.0, text_width(place.text, kBoxFont) + 14) + border;
    place.height = 10 + 13 * static_cast<double>(place.text.size()) + border;
    return place;
  }

  /// Servers with one NIC are all on the same rail, which says nothing.
  [[nodiscard]] bool has_several_rails(std::uint32_t role) const {
    std::int32_t first = -1;
    return std::ranges::any_of(outline_.boxes, [&](const Outline::Box& box) {
      if (box.role != role) return false;
      return std::ranges::any_of(box.nodes, [&](NodeId id) {
        const std::int32_t rail = fabric_.node(id).rail;
        if (first < 0) first = rail;
        return rail != first;
      });
    });
  }

  void find_rows() {
    layout_.rows.resize(outline_.roles.roles.size());
    for (std::size_t i = 0; i < outline_.boxes.size(); ++i) {
      Layout::Place& row = layout_.rows[outline_.boxes[i].role];
      row.height = std::max(row.height, layout_.boxes[i].height);
    }
  }

  /// Boxes of a frame by role.
  [[nodiscard]] std::map<std::uint32_t, std::vector<std::uint32_t>> rows_of(
      const Outline::Frame& frame) const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> rows;
    for (const std::uint32_t box : frame.boxes) rows[outline_.boxes[box].role].push_back(box);
    return rows;
  }
  /// What boxes need if each gets the same room.
  [[nodiscard]] double even_width(const std::vector<std::uint32_t>& boxes) const {
    double widest = 0;
    for (const std::uint32_t box : boxes) widest = std::max(widest, layout_.boxes[box].width);
    return (widest + kBoxGap) * static_cast<double>(boxes.size());
  }

  void find_width() {
    double frames = 0;
    double widest = 0;
    for (const Outline::Frame& frame : outline_.frames) {
      double width = text_width(frame.caption, kBoxFont);
      for (const auto& [role, boxes] : rows_of(frame)) width = std::max(width, even_width(boxes));
      Layout::Place place;
      place.width = width + 2 * kFramePadding;
      layout_.frames.push_back(std::move(place));
      frames += layout_.frames.back().width + kFrameGap;
      widest = std::max(widest, width);
    }
    inner_gap_ = std::clamp(0.3 * widest, 46.0, 120.0);
    layout_.width = frames;
    std::map<std::uint32_t, std::vector<std::uint32_t>> free_rows;
    for (std::uint32_t i = 0; i < outline_.boxes.size(); ++i) {
      if (!outline_.boxes[i].frame) free_rows[outline_.boxes[i].role].push_back(i);
    }
    for (const auto& [role, boxes] : free_rows) {
      layout_.width = std::max(layout_.width, even_width(boxes));
    }
    outer_gap_ = std::clamp(0.12 * layout_.width, 80.0, 260.0);
    spread_ = (layout_.width - frames) / static_cast<double>(outline_.frames.size());
  }

  /// Scale-out rows upwards from the hosts, scale-up rows downwards.
  void place_rows() {
    std::vector<bool> is_framed(layout_.rows.size());
    for (const Outline::Box& box : outline_.boxes) is_framed[box.role] = box.frame.has_value();
    double up = 0;
    double down = 0;
    for (std::uint32_t i = 0; i < layout_.rows.size(); ++i) {
      Layout::Place& row = layout_.rows[i];
      row.centre.x = layout_.width / 2;
      if (role(i).kind == NodeKind::kHost) {
        up = std::max(up, row.height / 2);
        down = std::max(down, row.height / 2);
        continue;
      }
      const double gap = is_framed[i] ? inner_gap_ : outer_gap_;
      if (role(i).network == NetworkKind::kScaleUp) {
        row.centre.y = -(down + gap + row.height / 2);
        down = -row.centre.y + row.height / 2;
      } else {
        row.centre.y = up + gap + row.height / 2;
        up = row.centre.y + row.height / 2;
      }
    }
  }

  void place_frames() {
    double left = 0;
    for (std::size_t i = 0; i < outline_.frames.size(); ++i) {
      Layout::Place& frame = layout_.frames[i];
      frame.centre.x = left + (kFrameGap + spread_ + frame.width) / 2;
      left += frame.width + kFrameGap + spread_;
      for (const auto& [role, boxes] : rows_of(outline_.frames[i])) {
        const double room = frame.width - 2 * kFramePadding;
        if (boxes.size() == 1) stretch(layout_.boxes[boxes.front()], room);
        spread(boxes, frame.left() + kFramePadding, room);
      }
    }
  }
  static void stretch(Layout::Place& place, double room) {
    if (place.columns == 0) return;
    const double cell = (room - kBoxGap - 6) / place.columns - 2;
    place.cell_width = std::max(place.cell_width, std::min(cell, kMaxCellWidth));
    place.width = place.columns * (place.cell_width + 2) + 6;
  }
  void place_free_boxes() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> free_rows;
    for (std::uint32_t i = 0; i < outline_.boxes.size(); ++i) {
      if (!outline_.boxes[i].frame) free_rows[outline_.boxes[i].role].push_back(i);
    }
    for (const auto& [role, boxes] : free_rows) spread(boxes, 0, layout_.width);
  }
  void spread(const std::vector<std::uint32_t>& boxes, double left, double width) {
    const double room = width / static_cast<double>(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      Layout::Place& place = layout_.boxes[boxes[i]];
      place.centre.x = left + room * (static_cast<double>(i) + 0.5);
      place.centre.y = layout_.rows[outline_.boxes[boxes[i]].role].centre.y;
    }
  }

  /// Lines within a row lie above it, on scale-up networks below.
  void find_arcs() {
    for (const Outline::Bundle& bundle : outline_.bundles) {
      const std::uint32_t row = outline_.boxes[bundle.lower].role;
      if (row != outline_.boxes[bundle.upper].role || bundle.upper == bundle.lower + 1) continue;
      const double distance =
          std::abs(layout_.boxes[bundle.upper].centre.x - layout_.boxes[bundle.lower].centre.x);
      const bool is_below = role(row).network == NetworkKind::kScaleUp;
      double& room = is_below ? layout_.arc_below : layout_.arc_above;
      room = std::max(room, 0.75 * arc_height(distance) + 8);
    }
  }

  /// All frames have the same height, as far as they have the same rows.
  void surround_frames() {
    for (std::size_t i = 0; i < outline_.frames.size(); ++i) {
      Layout::Place& frame = layout_.frames[i];
      double top = 0;
      double bottom = 0;
      for (const std::uint32_t box : outline_.frames[i].boxes) {
        const Layout::Place& row = layout_.rows[outline_.boxes[box].role];
        top = std::max(top, row.top());
        bottom = std::min(bottom, row.bottom());
      }
      top += kFramePadding;
      bottom -= kFramePadding + kCaptionHeight + layout_.arc_below;
      frame.centre.y = (top + bottom) / 2;
      frame.height = top - bottom;
    }
  }

  const Fabric& fabric_;
  const Outline& outline_;
  Layout layout_;
  double inner_gap_ = 0;  ///< between rows inside frames
  double outer_gap_ = 0;
  double spread_ = 0;  ///< additional room of each frame, where another row is wider
};

}  // namespace

double arc_height(double distance) { return std::clamp(0.16 * distance, 30.0, 90.0); }

double text_width(const std::string& text, double font) {
  return 0.58 * font * static_cast<double>(text.size());
}

double text_width(const std::vector<std::string>& lines, double font) {
  double width = 0;
  for (const std::string& line : lines) width = std::max(width, text_width(line, font));
  return width;
}

std::vector<std::string> short_names(const Fabric& fabric, const std::vector<NodeId>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const NodeId id : nodes) names.push_back(fabric.node(id).name);
  std::string_view common = names.front();
  for (const std::string& name : names) {
    const auto [a, b] = std::ranges::mismatch(common, name);
    common = common.substr(0, static_cast<std::size_t>(a - common.begin()));
  }
  const std::size_t separator = common.find_last_of("-._/:");
  if (separator == std::string_view::npos) return names;
  for (std::string& name : names) name.erase(0, separator + 1);
  return names;
}

Layout layout_of(const Fabric& fabric, const Outline& outline) {
  return Placer(fabric, outline).place();
}

}  // namespace weft::topo
