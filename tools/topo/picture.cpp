#include "tools/topo/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "scenarios/text/format.hpp"
#include "scenarios/text/plain_number.hpp"
#include "tools/topo/layout.hpp"

namespace weft::topo {
namespace {

using scenarios::format_count;
using scenarios::format_rate;

/// Bundles between two rows up to which each has its number beside it.
constexpr std::size_t kMaxLabels = 60;
constexpr std::size_t kMaxTooltipNames = 8;
constexpr double kLabelFont = 8;
constexpr double kMarkFont = 10;
constexpr std::uint32_t kEverywhere = ~std::uint32_t{0};
constexpr const char* kLit = "#d62728";
constexpr const char* kPale = "#ccd2da";
constexpr const char* kSlow = "#8e44ad";
constexpr const char* kMarked = "#e8590c";
/// Findings that are written out above a picture.
constexpr std::size_t kMaxMarks = 6;

struct Colours {
  const char* fill;
  const char* border;
};

Colours colours_of(const topologies::Role& role) {
  if (role.kind == NodeKind::kHost) return {"#e8f0fb", "#5b84b1"};
  if (role.network == NetworkKind::kScaleUp) return {"#e3f3e6", "#3f8f55"};
  if (role.tier <= 1) return {"#fdf3dd", "#b9851b"};
  if (role.tier == 2) return {"#fbe5d6", "#c9692c"};
  return {"#f5dbe3", "#a8476a"};
}

class Painter {
 public:
  Painter(const Fabric& fabric, const PictureOptions& options)
      : fabric_(fabric),
        options_(options),
        outline_(outline_of(fabric, options.max_boxes, options.highlight)),
        layout_(layout_of(fabric, outline_)) {
    find_marks();
  }

  Picture paint() {
    picture_.title = options_.name;
    for (std::size_t i = 0; i < outline_.frames.size(); ++i) paint_frame(i);
    find_scales();
    for (const Outline::Bundle& bundle : outline_.bundles) paint_bundle(bundle);
    for (std::uint32_t i = 0; i < outline_.boxes.size(); ++i) paint_box(i);
    paint_captions();
    return std::move(picture_);
  }

 private:
  [[nodiscard]] const topologies::Role& role_of_box(std::uint32_t box) const {
    return outline_.roles.roles[outline_.boxes[box].role];
  }

  /// Which boxes, cells and bundles have what is marked.
  void find_marks() {
    std::map<NodeId, std::uint32_t> box_of;
    for (std::uint32_t i = 0; i < outline_.boxes.size() && !options_.marks.empty(); ++i) {
      for (const NodeId node : outline_.boxes[i].nodes) box_of[node] = i;
    }
    for (const Mark& mark : options_.marks) {
      for (const NodeId node : mark.nodes) {
        add_mark(marks_of_node_[node], mark.text);
        add_mark(marks_of_box_[box_of.at(node)], mark.text);
      }
      for (const PortId port : mark.ports) {
        const std::uint32_t a = box_of.at(fabric_.port(port).node);
        const std::uint32_t b = box_of.at(fabric_.peer_node(port));
        add_mark(marks_of_bundle_[std::minmax(a, b)], mark.text);
      }
    }
  }
  static void add_mark(std::string& said, const std::string& text) {
    if (said.find(text) == std::string::npos) said += "; finding: " + text;
  }
  template <class Key>
  static std::string mark_of(const std::map<Key, std::string>& marks, const Key& key) {
    const auto found = marks.find(key);
    return found == marks.end() ? std::string() : found->second;
  }

  void paint_frame(std::size_t i) {
    const Outline::Frame& frame = outline_.frames[i];
    if (frame.caption.empty()) return;
    const Layout::Place& place = layout_.frames[i];
    picture_.boxes.push_back({.centre = place.centre,
                              .width = place.width,
                              .height = place.height,
                              .border = "#a3abb5",
                              .tooltip = frame.caption});
    paint_text({frame.caption}, {place.centre.x, place.bottom() + 9}, 10);
  }

  void paint_text(std::vector<std::string> lines, Point at, double font, bool on_line = false) {
    Picture::Box text;
    text.centre = at;
    text.width = text_width(lines, font) + 6;
    text.height = (font + 3) * static_cast<double>(lines.size()) + (on_line ? 0 : 2);
    text.text = std::move(lines);
    text.font = font;
    text.pen = 0;
    if (on_line) text.fill = "#ffffffd0";
    picture_.boxes.push_back(std::move(text));
  }

  [[nodiscard]] std::string names(const std::vector<NodeId>& nodes) const {
    std::string text;
    for (std::size_t i = 0; i < nodes.size() && i < kMaxTooltipNames; ++i) {
      text += (i == 0 ? "" : ", ") + fabric_.node(nodes[i]).name;
    }
    if (nodes.size() <= kMaxTooltipNames) return text;
    return text + " ... " + fabric_.node(nodes.back()).name;
  }

  [[nodiscard]] std::string id_of(std::uint32_t box) const {
    const std::vector<NodeId>& nodes = outline_.boxes[box].nodes;
    const std::string& first = fabric_.node(nodes.front()).name;
    return nodes.size() == 1 ? first : fmt::format("{} +{}", first, nodes.size() - 1);
  }

  void paint_box(std::uint32_t i) {
    const Outline::Box& box = outline_.boxes[i];
    const Layout::Place& place = layout_.boxes[i];
    const Colours colours = colours_of(outline_.roles.roles[box.role]);
    const bool is_stack = box.nodes.size() > 1 && !box.has_cells;
    const double border = is_stack ? kStackBorder : 0;
    Picture::Box painted{.centre = place.centre,
                         .width = place.width - 2 * border,
                         .height = place.height - 2 * border,
                         .text = place.text,
                         .font = kBoxFont,
                         .fill = box.has_cells ? "#ffffff" : colours.fill,
                         .border = box.is_highlighted ? kLit : colours.border,
                         .pen = box.is_highlighted ? 2.2 : (box.has_cells ? 0.6 : 1.0),
                         .is_stack = is_stack,
                         .id = id_of(i),
                         .tooltip = names(box.nodes) + mark_of(marks_of_box_, i),
                         .nodes = box.nodes};
    if (marks_of_box_.contains(i) && !box.has_cells) mark(painted);
    picture_.boxes.push_back(std::move(painted));
    if (!box.has_cells) return;
    const std::vector<std::string> labels = short_names(fabric_, box.nodes);
    for (std::size_t c = 0; c < box.nodes.size(); ++c) {
      const auto column = static_cast<double>(c % place.columns);
      const std::size_t above = c / place.columns;
      const auto row = static_cast<double>(above);
      Picture::Box cell{
          .centre = {place.left() + 4 + (column + 0.5) * (place.cell_width + 2) - 1,
                     place.top() - 4 - (row + 0.5) * (kCellHeight + 2) + 1},
          .width = place.cell_width,
          .height = kCellHeight,
          .text = {labels[c]},
          .font = kCellFont,
          .fill = colours.fill,
          .border = colours.border,
          .pen = 0.6,
          .tooltip = fabric_.node(box.nodes[c]).name + mark_of(marks_of_node_, box.nodes[c]),
          .nodes = {box.nodes[c]}};
      if (marks_of_node_.contains(box.nodes[c])) mark(cell);
      picture_.boxes.push_back(std::move(cell));
    }
  }
  static void mark(Picture::Box& box) {
    box.is_marked = true;
    box.border = kMarked;
    box.pen = 2.4;
  }

  using RolePair = std::pair<std::uint32_t, std::uint32_t>;
  using RateKey = std::pair<RolePair, std::uint32_t>;  ///< two rows, and a frame
  [[nodiscard]] RolePair roles_of(const Outline::Bundle& bundle) const {
    return {outline_.boxes[bundle.lower].role, outline_.boxes[bundle.upper].role};
  }

  void find_scales() {
    for (const Outline::Bundle& bundle : outline_.bundles) {
      // A single link is no wider than half of the widest line.
      fastest_ = std::max(fastest_, bundle.links == 1 ? bundle.rate * 4 : bundle.rate);
      ++bundles_between_[roles_of(bundle)];
      ++fan_of_[{bundle.lower, outline_.boxes[bundle.upper].role}];
      ++fan_of_[{bundle.upper, outline_.boxes[bundle.lower].role}];
    }
    find_usual_rates();
  }

  /// What is usual among links of two rows, and in a frame of theirs: racks of different servers
  /// have different links, of which none is slow.
  void find_usual_rates() {
    std::map<RateKey, std::map<BitsPerSecond, std::uint64_t>> links;
    for (const Outline::Bundle& bundle : outline_.bundles) {
      const BitsPerSecond rate = rate_of_each(bundle);
      links[{roles_of(bundle), kEverywhere}][rate] += bundle.links;
      const auto frame = outline_.boxes[bundle.lower].frame;
      if (frame) links[{roles_of(bundle), *frame}][rate] += bundle.links;
    }
    for (const auto& [key, rates] : links) {
      usual_rate_[key] = std::ranges::max_element(rates, {}, [](const auto& entry) {
                           return entry.second;
                         })->first;
      std::uint64_t all = 0;
      for (const auto& [rate, count] : rates) all += count;
      links_of_[key] = all;
    }
  }
  /// Links of a bundle mostly have one rate: the mean, or where one of them is slow, the others'.
  static BitsPerSecond rate_of_each(const Outline::Bundle& bundle) {
    const std::int64_t mean = bundle.rate.count() / bundle.links;
    if (mean == bundle.slowest.count()) return bundle.slowest;
    return BitsPerSecond((bundle.rate.count() - bundle.slowest.count()) / (bundle.links - 1));
  }
  [[nodiscard]] BitsPerSecond usual_rate(const Outline::Bundle& bundle) const {
    const auto frame = outline_.boxes[bundle.lower].frame;
    if (frame) {
      const RateKey own{roles_of(bundle), *frame};
      if (links_of_.at(own) > bundle.links || bundle.links > 1) return usual_rate_.at(own);
    }
    return usual_rate_.at({roles_of(bundle), kEverywhere});
  }

  /// Where a line to somewhere at `x` leaves a box: wide ones on the way, others in their middle.
  static double attachment(const Layout::Place& box, double x) {
    constexpr double kWide = 120;
    const double reach = box.width > kWide ? box.width / 2 - 10 : 0.12 * box.width;
    return std::clamp(x, box.centre.x - reach, box.centre.x + reach);
  }

  static std::array<Point, 4> straight(Point a, Point b) {
    return {a,
            {a.x + (b.x - a.x) / 3, a.y + (b.y - a.y) / 3},
            {b.x - (b.x - a.x) / 3, b.y - (b.y - a.y) / 3},
            b};
  }

  [[nodiscard]] std::array<Point, 4> curve_of(const Outline::Bundle& bundle) const {
    const Layout::Place& a = layout_.boxes[bundle.lower];
    const Layout::Place& b = layout_.boxes[bundle.upper];
    if (outline_.boxes[bundle.lower].role == outline_.boxes[bundle.upper].role) {
      return curve_within_row(bundle, a, b);
    }
    const bool goes_up = b.centre.y > a.centre.y;
    // Wide boxes meet where they face each other.
    const double to = attachment(b, attachment(a, b.centre.x));
    const double from = attachment(a, to);
    return straight({from, goes_up ? a.top() : a.bottom()}, {to, goes_up ? b.bottom() : b.top()});
  }

  [[nodiscard]] std::array<Point, 4> curve_within_row(const Outline::Bundle& bundle,
                                                      const Layout::Place& a,
                                                      const Layout::Place& b) const {
    const bool is_left = a.centre.x < b.centre.x;
    const bool is_next = bundle.upper == bundle.lower + 1;
    if (is_next) {
      return straight({is_left ? a.right() : a.left(), a.centre.y},
                      {is_left ? b.left() : b.right(), b.centre.y});
    }
    const bool is_below = role_of_box(bundle.lower).network == NetworkKind::kScaleUp;
    const double bend = arc_height(std::abs(b.centre.x - a.centre.x)) * (is_below ? -1 : 1);
    const double from = is_below ? a.bottom() : a.top();
    const double to = is_below ? b.bottom() : b.top();
    const double lean = 0.15 * (b.centre.x - a.centre.x);
    return {Point{a.centre.x, from}, Point{a.centre.x + lean, from + bend},
            Point{b.centre.x - lean, to + bend}, Point{b.centre.x, to}};
  }

  void paint_bundle(const Outline::Bundle& bundle) {
    const bool is_scale_up = role_of_box(bundle.upper).network == NetworkKind::kScaleUp;
    const bool is_slow = bundle.slowest < usual_rate(bundle);
    const double share =
        static_cast<double>(bundle.rate.count()) / static_cast<double>(fastest_.count());
    const double thin = outline_.bundles.size() > 300 ? 0.6 : 1.0;
    Picture::Line line;
    line.from = id_of(bundle.lower);
    line.to = id_of(bundle.upper);
    line.curve = curve_of(bundle);
    line.pen = thin * (0.5 + 3.5 * std::sqrt(share));
    line.colour = is_scale_up ? "#58a56c" : "#6d88aa";
    if (is_slow) line.colour = kSlow;
    line.is_dashed = is_slow;
    if (options_.highlight != nullptr) {
      line.colour = bundle.is_highlighted ? kLit : kPale;
      line.pen = bundle.is_highlighted ? std::max(line.pen, 1.8) : line.pen * 0.7;
    }
    line.tooltip = fmt::format(
        "{} to {}: {} x {}", names(outline_.boxes[bundle.lower].nodes),
        names(outline_.boxes[bundle.upper].nodes),
        format_count(static_cast<std::int64_t>(bundle.links)),
        format_rate(static_cast<double>(bundle.rate.count()) / static_cast<double>(bundle.links)));
    const std::string marked = mark_of(
        marks_of_bundle_,
        std::pair(std::min(bundle.lower, bundle.upper), std::max(bundle.lower, bundle.upper)));
    if (!marked.empty()) {
      line.is_marked = true;
      line.colour = kMarked;
      line.pen = std::max(line.pen, 2.4);
      line.tooltip += marked;
    }
    label(bundle, line, is_slow);
    // Highlighted lines last, so that no other crosses over them.
    (bundle.is_highlighted || line.is_marked ? lit_lines_ : picture_.lines)
        .push_back(std::move(line));
  }

  void label(const Outline::Bundle& bundle, const Picture::Line& line, bool is_slow) {
    std::string text;
    if (bundle.links > 1) text = fmt::format("{} x", format_count(bundle.links));
    if (is_slow && !text.empty()) text += " ";
    if (is_slow) text += format_rate(static_cast<double>(bundle.slowest.count()));
    const bool is_crowded = bundles_between_.at(roles_of(bundle)) > kMaxLabels;
    if (text.empty() || (is_crowded && !is_slow)) return;
    // Near the end where fewer lines meet; in the middle where lines run side by side.
    const auto fan = [&](std::uint32_t box, std::uint32_t to) {
      return fan_of_.at({box, outline_.boxes[to].role});
    };
    const std::size_t below = fan(bundle.lower, bundle.upper);
    const std::size_t above = fan(bundle.upper, bundle.lower);
    double wanted = 0.5;
    if (below < above && below > 1) wanted = 0.25;
    if (above < below && above > 1) wanted = 0.75;
    if (below > 3 && above > 3 && !is_slow) return;
    const double width = text_width(text, kLabelFont) + 6;
    // As near to there as no other label is; where there is no room, none but slow links have one.
    for (const double by : {0.0, -0.1, 0.1, -0.2, 0.2, -0.3, 0.3}) {
      const Point place = point_of(line.curve, wanted + by);
      if (wanted + by < 0.1 || wanted + by > 0.9 || is_taken(place, width)) continue;
      paint_label(text, place, width);
      return;
    }
    if (is_slow) paint_label(text, point_of(line.curve, wanted), width);
  }

  static Point point_of(const std::array<Point, 4>& c, double t) {
    const auto at = [t](double p0, double p1, double p2, double p3) {
      const double s = 1 - t;
      return s * s * s * p0 + 3 * s * s * t * p1 + 3 * s * t * t * p2 + t * t * t * p3;
    };
    return {at(c[0].x, c[1].x, c[2].x, c[3].x), at(c[0].y, c[1].y, c[2].y, c[3].y)};
  }
  [[nodiscard]] bool is_taken(Point at, double width) const {
    return std::ranges::any_of(labels_, [&](const auto& other) {
      return std::abs(other.first.x - at.x) < (other.second + width) / 2 &&
             std::abs(other.first.y - at.y) < kLabelFont + 3;
    });
  }
  void paint_label(const std::string& text, Point at, double width) {
    labels_.emplace_back(at, width);
    paint_text({text}, at, kLabelFont, true);
  }

  // To the left of the rows: what they are, and what joins them.
  void paint_captions() {
    std::move(lit_lines_.begin(), lit_lines_.end(), std::back_inserter(picture_.lines));
    const auto& roles = outline_.roles.roles;
    std::vector<Caption> captions;
    double top = 0;
    for (std::uint32_t i = 0; i < roles.size(); ++i) {
      const Layout::Place& row = layout_.rows[i];
      top = std::max(top, row.top());
      captions.push_back({role_caption(roles[i]), row.centre.y, 11});
    }
    std::map<RolePair, std::vector<std::string>> links;
    for (const topologies::LinkKind& kind : outline_.roles.links) {
      std::vector<std::string>& lines = links[{kind.lower, kind.upper}];
      if (lines.size() == 3) lines.back() = "and others";
      if (lines.size() >= 3) continue;
      lines.push_back(fmt::format("{} - {}: {} x {}", roles[kind.lower].name,
                                  roles[kind.upper].name,
                                  format_count(static_cast<std::int64_t>(kind.links)),
                                  format_rate(static_cast<double>(kind.rate.count()))));
    }
    for (auto& [pair, lines] : links) {
      const Layout::Place& a = layout_.rows[pair.first];
      const Layout::Place& b = layout_.rows[pair.second];
      if (pair.first == pair.second) {
        const bool is_scale_up = roles[pair.first].network == NetworkKind::kScaleUp;
        captions.push_back({std::move(lines), is_scale_up ? a.bottom() - 16 : a.top() + 16, 9});
      } else {
        const bool goes_up = b.centre.y > a.centre.y;
        const double y = goes_up ? (a.top() + b.bottom()) / 2 : (a.bottom() + b.top()) / 2;
        captions.push_back({std::move(lines), y, 9});
      }
    }
    join_captions(captions);
    double width = 0;
    for (const Caption& caption : captions) {
      width = std::max(width, text_width(caption.lines, caption.font));
    }
    for (Caption& caption : captions) {
      paint_text(std::move(caption.lines), {-30 - width / 2, caption.y}, caption.font);
    }
    paint_title(top);
  }

  struct Caption {
    std::vector<std::string> lines;
    double y;
    double font;
    [[nodiscard]] double height() const {
      return (font + 3) * static_cast<double>(lines.size()) + 2;
    }
  };

  /// Rows at one height, as GPUs and hosts without, have one caption: theirs under each other.
  static void join_captions(std::vector<Caption>& captions) {
    std::ranges::stable_sort(captions, std::ranges::greater{}, &Caption::y);
    std::vector<Caption> joined;
    for (Caption& caption : captions) {
      if (!joined.empty() && joined.back().font == caption.font &&
          joined.back().y - caption.y < (joined.back().height() + caption.height()) / 2) {
        std::ranges::move(caption.lines, std::back_inserter(joined.back().lines));
      } else {
        joined.push_back(std::move(caption));
      }
    }
    captions = std::move(joined);
  }

  [[nodiscard]] static std::vector<std::string> role_caption(const topologies::Role& role) {
    std::vector<std::string> lines{topologies::counted(role.nodes, role.name)};
    if (role.kind == NodeKind::kHost) return lines;
    std::string ports = role.fewest_ports == role.max_ports
                            ? topologies::counted(role.max_ports, "port")
                            : fmt::format("{} to {} ports", role.fewest_ports, role.max_ports);
    lines.push_back(std::move(ports));
    if (role.oversubscription > 0)
      lines.push_back(scenarios::plain_number(role.oversubscription, 3) + ":1");
    return lines;
  }

  void paint_title(double top) {
    std::vector<std::string> lines{options_.name};
    if (options_.highlight != nullptr) lines.push_back(options_.highlight->caption);
    const double width = text_width(lines, 14);
    const double middle = std::max(layout_.width, width) / 2;
    std::vector<std::string> found;
    for (std::size_t i = 0; options_.lists_marks && i < options_.marks.size(); ++i) {
      if (i == kMaxMarks) break;
      found.push_back(options_.marks[i].text);
    }
    if (options_.lists_marks && options_.marks.size() > kMaxMarks) {
      found.push_back(fmt::format("and {} more findings", options_.marks.size() - kMaxMarks));
    }
    const double below = (kMarkFont + 3) * static_cast<double>(found.size());
    const double base = top + 44 + layout_.arc_above;
    if (!found.empty()) paint_text(found, {middle, base + below / 2 - 8}, kMarkFont);
    paint_text(std::move(lines), {middle, base + below}, 14);
  }

  const Fabric& fabric_;
  const PictureOptions& options_;
  Outline outline_;
  Layout layout_;
  Picture picture_;
  std::vector<Picture::Line> lit_lines_;
  BitsPerSecond fastest_ = 1_bps;
  std::map<RolePair, std::size_t> bundles_between_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> fan_of_;  ///< box, other role
  std::map<RateKey, BitsPerSecond> usual_rate_;
  std::map<RateKey, std::uint64_t> links_of_;
  std::map<NodeId, std::string> marks_of_node_;
  std::map<std::uint32_t, std::string> marks_of_box_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> marks_of_bundle_;  ///< boxes
  std::vector<std::pair<Point, double>> labels_;  ///< of lines: where, and how wide
};

}  // namespace

Picture draw_picture(const Fabric& fabric, const PictureOptions& options) {
  return Painter(fabric, options).paint();
}

}  // namespace weft::topo
