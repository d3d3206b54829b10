#include "tools/topo/frames.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "topologies/analysis/network_view.hpp"

namespace weft::topo {
namespace {

using topologies::NetworkView;

class FrameFinder {
 public:
  FrameFinder(const Fabric& fabric, const topologies::RoleTable& roles)
      : fabric_(fabric), roles_(roles) {}

  FrameTable find() {
    find_sites();
    table_.frame_of.assign(fabric_.nodes.size(), kNoFrame);
    for (const NodeId id : fabric_.hosts) add_host(id);
    const bool is_alone = table_.frames.size() == 1;
    for (const NodeId id : fabric_.switches) {
      // A lone rack or domain would swallow the spines; it has its scale-up switches only.
      if (!is_alone || fabric_.node(id).network == NetworkKind::kScaleUp) add_switch(id);
    }
    take_out_mixed_roles();
    finish();
    return std::move(table_);
  }

 private:
  void find_sites() {
    const NetworkView scale_out(fabric_, NetworkKind::kScaleOut);
    const NetworkView scale_up(fabric_, NetworkKind::kScaleUp);
    for (std::size_t i = 0; i < fabric_.hosts.size(); ++i) {
      const HostId host(i);
      table_.site_of.push_back((std::uint64_t{scale_out.site_of(host)} << 32U) |
                               scale_up.site_of(host));
    }
  }

  /// What kind of frame, and which.
  using Key = std::tuple<int, std::uint64_t>;

  void add_host(NodeId id) {
    const Node& host = fabric_.node(id);
    Key key{2, table_.site_of[host.index]};
    if (host.group >= 0) key = {1, static_cast<std::uint64_t>(host.group)};
    if (host.domain >= 0) key = {0, static_cast<std::uint64_t>(host.domain)};
    const auto [place, is_new] = index_.try_emplace(key, table_.frames.size());
    if (is_new) {
      kinds_.push_back(std::get<0>(key));
      numbers_.push_back(std::get<1>(key));
      table_.frames.emplace_back();
    }
    table_.frame_of[id.value()] = static_cast<std::uint32_t>(place->second);
  }

  void add_switch(NodeId id) {
    const Node& node = fabric_.node(id);
    std::uint32_t common = kNoFrame;
    for (const Port& port : fabric_.ports_of(id)) {
      const NodeId below = fabric_.port(port.peer).node;
      const Node& peer = fabric_.node(below);
      if (peer.kind == NodeKind::kSwitch && peer.tier >= node.tier) continue;
      const std::uint32_t frame = table_.frame_of[below.value()];
      if (frame == kNoFrame || (common != kNoFrame && common != frame)) return;
      common = frame;
    }
    table_.frame_of[id.value()] = common;
  }

  /// A row is inside frames or outside.
  void take_out_mixed_roles() {
    std::set<std::uint32_t> outside;
    for (const NodeId id : fabric_.switches) {
      if (table_.frame_of[id.value()] == kNoFrame) outside.insert(roles_.role_of[id.value()]);
    }
    // Scale-out rows above one that is outside are outside as well: frames are in one piece.
    for (std::uint32_t role = 0; role < roles_.roles.size(); ++role) {
      const topologies::Role& r = roles_.roles[role];
      for (const std::uint32_t other : outside) {
        const topologies::Role& o = roles_.roles[other];
        if (o.network == r.network && o.kind == r.kind && o.tier < r.tier) {
          outside.insert(role);
          break;
        }
      }
    }
    for (const NodeId id : fabric_.switches) {
      if (outside.contains(roles_.role_of[id.value()])) table_.frame_of[id.value()] = kNoFrame;
    }
  }

  void finish() {
    std::vector<std::set<std::uint64_t>> sites(table_.frames.size());
    std::set<std::uint32_t> tiers;
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i) {
      const std::uint32_t frame = table_.frame_of[i];
      if (frame == kNoFrame) continue;
      const Node& node = fabric_.nodes[i];
      table_.frames[frame].nodes.emplace_back(i);
      if (node.kind == NodeKind::kHost) sites[frame].insert(table_.site_of[node.index]);
      if (node.kind == NodeKind::kSwitch && node.network == NetworkKind::kScaleOut) {
        tiers.insert(node.tier);
      }
    }
    const char* const group = tiers.size() > 1 ? "pod " : "rack ";
    for (std::size_t i = 0; i < table_.frames.size(); ++i) {
      FrameTable::Entry& frame = table_.frames[i];
      frame.host_kinds = static_cast<std::uint32_t>(sites[i].size());
      if (kinds_[i] == 2) continue;
      frame.name = (kinds_[i] == 0 ? "domain " : group) + std::to_string(numbers_[i]);
    }
  }

  const Fabric& fabric_;
  const topologies::RoleTable& roles_;
  FrameTable table_;
  std::map<Key, std::size_t> index_;
  std::vector<int> kinds_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace

FrameTable find_frames(const Fabric& fabric, const topologies::RoleTable& roles) {
  return FrameFinder(fabric, roles).find();
}

}  // namespace weft::topo
