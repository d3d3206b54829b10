#include "tools/topo/outline.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "tools/topo/frames.hpp"

namespace weft::topo {
namespace {

/// Up to this many hosts, and lines from them, each host has a box of its own.
constexpr std::size_t kMaxSingleHosts = 32;
constexpr std::size_t kMaxSingleLines = 160;
/// Up to this many hosts are drawn one by one inside their boxes.
constexpr std::size_t kMaxCells = 400;

class Outliner {
 public:
  Outliner(const Fabric& fabric, std::uint32_t max_boxes, const Highlight* highlight)
      : fabric_(fabric), max_boxes_(std::max(max_boxes, 4U)), box_of_(fabric.nodes.size()) {
    outline_.roles = topologies::find_roles(fabric);
    frames_ = find_frames(fabric, outline_.roles);
    if (highlight == nullptr) return;
    for (const PortId port : highlight->ports) {
      ports_.insert({port.value(), fabric.port(port).peer.value()});
      lit_nodes_.insert({fabric.port(port).node, fabric.peer_node(port)});
    }
    ends_ = {fabric.hosts[highlight->from.value()], fabric.hosts[highlight->to.value()]};
    lit_nodes_.insert(ends_.begin(), ends_.end());
  }

  Outline outline() {
    count_singles();
    const std::vector<std::vector<std::uint32_t>> shown = shown_frames();
    count_framed_switches(shown);
    std::size_t cells = 0;
    for (const auto& members : shown) {
      if (members.size() == 1) cells += hosts_in(members.front());
    }
    has_cells_ = cells <= kMaxCells;
    is_folded_ = shown.size() < frames_.frames.size();
    for (const auto& members : shown) add_frame(members);
    add_free_rows();
    sort_boxes();
    add_bundles();
    return std::move(outline_);
  }

 private:
  [[nodiscard]] const Node& node(NodeId id) const { return fabric_.node(id); }
  [[nodiscard]] std::uint32_t role_of(NodeId id) const {
    return outline_.roles.role_of[id.value()];
  }
  /// Rows that are a little too long are left as they are.
  [[nodiscard]] std::size_t max_in_row() const { return max_boxes_ + max_boxes_ / 2; }
  [[nodiscard]] std::size_t hosts_in(std::uint32_t frame) const {
    const auto is_host = [this](NodeId id) { return node(id).kind == NodeKind::kHost; };
    return static_cast<std::size_t>(std::ranges::count_if(frames_.frames[frame].nodes, is_host));
  }

  void count_singles() {
    std::size_t lines = 0;
    for (const NodeId id : fabric_.hosts) {
      std::uint32_t previous = kNoFrame;
      for (const Port& port : fabric_.ports_of(id)) {
        const std::uint32_t peer = fabric_.port(port.peer).node.value();
        if (std::exchange(previous, peer) != peer) ++lines;
      }
    }
    single_hosts_ = fabric_.hosts.size() <= kMaxSingleHosts && lines <= kMaxSingleLines;
  }
  /// Of the frames that are drawn one by one.
  void count_framed_switches(const std::vector<std::vector<std::uint32_t>>& shown) {
    for (const auto& members : shown) {
      if (members.size() > 1) continue;
      for (const NodeId id : frames_.frames[members.front()].nodes) {
        if (node(id).kind == NodeKind::kSwitch) ++framed_of_role_[role_of(id)];
      }
    }
  }

  /// How many boxes' room the hosts of a frame take, if they are drawn one by one inside.
  [[nodiscard]] std::size_t room_of(std::uint32_t frame) const {
    if (fabric_.hosts.size() > kMaxCells) return frames_.frames[frame].host_kinds;
    constexpr double kCellsOfBox = 1.7;
    const double columns = std::ceil(std::sqrt(2 * static_cast<double>(hosts_in(frame))));
    return static_cast<std::size_t>(std::ceil(columns / kCellsOfBox));
  }
  /// Frames that are alike: of the same name but for its number, with as many hosts.
  [[nodiscard]] std::pair<std::string, std::size_t> kind_of(std::uint32_t frame) const {
    const std::string& name = frames_.frames[frame].name;
    return {name.substr(0, name.find(' ')), hosts_in(frame)};
  }

  /// Frames as they are drawn: one by one, or a run of them together.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> shown_frames() const {
    const auto count = static_cast<std::uint32_t>(frames_.frames.size());
    std::size_t width = 0;
    std::size_t room = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      width += frames_.frames[i].host_kinds;
      room += room_of(i);
    }
    const bool fits = single_hosts_ || (width <= max_in_row() && room <= 2 * max_in_row());
    std::vector<bool> is_alone(count, fits);
    if (!fits) {
      // The first ones up to half of the room, the first and last of each kind, and the last.
      std::size_t used = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        const bool is_edge = i == 0 || i + 1 == count || kind_of(i) != kind_of(i - 1) ||
                             (kind_of(i) != kind_of(i + 1) && used < max_boxes_ / 2);
        is_alone[i] = is_edge || (kind_of(i) == kind_of(0) && used < max_boxes_ / 3);
        if (is_alone[i]) used += std::max<std::size_t>(frames_.frames[i].host_kinds, room_of(i));
      }
      for (const NodeId end : ends_) is_alone[frames_.frame_of[end.value()]] = true;
    }
    std::vector<std::vector<std::uint32_t>> shown;
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool joins = i > 0 && !is_alone[i] && !is_alone[i - 1] && kind_of(i) == kind_of(i - 1);
      if (!joins) shown.emplace_back();
      shown.back().push_back(i);
    }
    return shown;
  }

  void add_frame(const std::vector<std::uint32_t>& members) {
    const auto index = static_cast<std::uint32_t>(outline_.frames.size());
    const bool is_merged = members.size() > 1;
    outline_.frames.push_back({caption(members), {}});
    using Key = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>;
    std::map<Key, std::vector<NodeId>> groups;
    for (const std::uint32_t member : members) {
      for (const NodeId id : frames_.frames[member].nodes) {
        groups[{role_of(id), kind_in_frame(id, is_merged), alone_in_frame(id, is_merged)}]
            .push_back(id);
      }
    }
    for (auto& [key, nodes] : groups) {
      Outline::Box box{std::move(nodes), std::get<0>(key), index};
      box.has_cells = !is_merged && has_cells_ && box.nodes.size() > 1 &&
                      node(box.nodes.front()).kind == NodeKind::kHost;
      add_box(std::move(box));
    }
  }

  /// Nodes of a role that may share a box have the same number.
  [[nodiscard]] std::uint64_t kind_in_frame(NodeId id, bool is_merged) const {
    const Node& n = node(id);
    if (n.kind == NodeKind::kSwitch) return 0;
    if (is_merged) return static_cast<std::uint64_t>(n.rail) + 1;
    return frames_.site_of[n.index];
  }
  /// Nodes that share no box have different numbers.
  [[nodiscard]] std::uint32_t alone_in_frame(NodeId id, bool is_merged) const {
    if (is_merged) return kNoFrame;
    const bool is_host = node(id).kind == NodeKind::kHost;
    const bool is_end = std::ranges::find(ends_, id) != ends_.end();
    const bool is_single =
        is_host ? single_hosts_ : framed_of_role_.at(role_of(id)) <= max_in_row();
    return is_single || is_end ? id.value() : kNoFrame;
  }

  [[nodiscard]] std::string caption(const std::vector<std::uint32_t>& members) const {
    const std::string& first = frames_.frames[members.front()].name;
    const std::string& last = frames_.frames[members.back()].name;
    if (members.size() == 1) return first;
    const std::string kind = first.substr(0, first.find(' '));
    if (first.empty() || last.empty()) return std::to_string(members.size()) + " groups";
    return std::to_string(members.size()) + " " + kind + "s: " + first.substr(kind.size() + 1) +
           " to " + last.substr(last.find(' ') + 1);
  }

  /// Switches in no frame: each alone, or the first and the last, and one box between.
  void add_free_rows() {
    std::map<std::uint32_t, std::vector<NodeId>> rows;
    for (const NodeId id : fabric_.switches) {
      if (frames_.frame_of[id.value()] == kNoFrame) rows[role_of(id)].push_back(id);
    }
    for (const auto& [role, nodes] : rows) {
      const bool is_short = nodes.size() <= (is_folded_ ? max_boxes_ : max_in_row());
      const std::size_t first = is_short ? nodes.size() : max_boxes_ / 3;
      std::vector<NodeId> middle;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (i < first || i + 1 == nodes.size()) {
          if (i + 1 == nodes.size() && !middle.empty()) {
            add_box({std::move(middle), role});
            middle.clear();
          }
          add_box({{nodes[i]}, role});
        } else {
          middle.push_back(nodes[i]);
        }
      }
    }
  }

  void add_box(Outline::Box box) {
    const auto is_lit = [this](NodeId id) { return lit_nodes_.contains(id); };
    box.is_highlighted = std::ranges::any_of(box.nodes, is_lit);
    outline_.boxes.push_back(std::move(box));
  }

  void sort_boxes() {
    std::ranges::stable_sort(outline_.boxes, {}, [](const Outline::Box& box) {
      return std::tuple(box.role, box.frame.value_or(0), box.nodes.front());
    });
    for (std::uint32_t i = 0; i < outline_.boxes.size(); ++i) {
      const Outline::Box& box = outline_.boxes[i];
      for (const NodeId id : box.nodes) box_of_[id.value()] = i;
      if (box.frame) outline_.frames[*box.frame].boxes.push_back(i);
    }
  }

  void add_bundles() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Outline::Bundle> bundles;
    for (std::uint32_t i = 0; i < fabric_.ports.size(); ++i) {
      const Port& port = fabric_.ports[i];
      if (port.peer.value() < i) continue;
      std::uint32_t lower = box_of_[port.node.value()];
      std::uint32_t upper = box_of_[fabric_.port(port.peer).node.value()];
      if (lower == upper) continue;  // between switches that are drawn as one
      if (lower > upper) std::swap(lower, upper);
      Outline::Bundle& bundle = bundles[{lower, upper}];
      bundle.lower = lower;
      bundle.upper = upper;
      ++bundle.links;
      bundle.rate += port.rate;
      bundle.slowest = std::min(bundle.slowest, port.rate);
      bundle.is_highlighted = bundle.is_highlighted || ports_.contains(i);
    }
    for (const auto& [key, bundle] : bundles) outline_.bundles.push_back(bundle);
  }

  const Fabric& fabric_;
  std::uint32_t max_boxes_;
  Outline outline_;
  FrameTable frames_;
  std::vector<std::uint32_t> box_of_;  ///< by NodeId
  std::set<std::uint32_t> ports_;      ///< highlighted, both directions of their links
  std::set<NodeId> lit_nodes_;
  std::vector<NodeId> ends_;
  std::unordered_map<std::uint32_t, std::size_t> framed_of_role_;
  bool single_hosts_ = false;
  bool has_cells_ = false;
  bool is_folded_ = false;  ///< some frames are drawn as one
};

}  // namespace

Outline outline_of(const Fabric& fabric, std::uint32_t max_boxes, const Highlight* highlight) {
  return Outliner(fabric, max_boxes, highlight).outline();
}

}  // namespace weft::topo
