#include "protocols/analysis/pause_analysis.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "protocols/analysis/pause_index.hpp"

namespace weft::protocols {
namespace {

/// The pause that each pause came from.
class Parents {
 public:
  Parents(std::span<const PauseInterval> pauses, std::span<const Picoseconds> reaction)
      : pauses_(pauses),
        reaction_(reaction),
        parent_(pauses.size(), kNoIndex),
        is_weak_(pauses.size(), false),
        on_cycle_(pauses.size(), false) {
    const PauseIndex index(pauses);
    for (std::uint32_t i = 0; i < pauses.size(); ++i) {
      if (!pauses[i].cause.is_none()) find_parent(index, i);
    }
    cut_where_no_cycle_follows();
  }

  [[nodiscard]] const std::vector<std::uint32_t>& parent() const { return parent_; }
  [[nodiscard]] bool is_on_cycle(std::uint32_t pause) const { return on_cycle_[pause]; }

 private:
  /// When XOFF was crossed, at the latest.
  [[nodiscard]] Picoseconds crossed(const PauseInterval& pause) const {
    return reaction_.empty() ? pause.start : pause.start - reaction_[pause.port.value()];
  }

  void find_parent(const PauseIndex& index, std::uint32_t i) {
    const PauseInterval& pause = pauses_[i];
    const auto candidates = index.of(pause.cause, pause.traffic_class);
    if (candidates.empty()) return;
    const Picoseconds at = crossed(pause);
    if (pause.is_lasting && pauses_[candidates.back().pause].is_lasting) {
      parent_[i] = candidates.back().pause;
      is_weak_[i] = candidates.back().start > at;
      return;
    }
    const auto* holding = PauseIndex::last_begun(candidates, at);
    if (holding != nullptr && holding->end > at) {
      parent_[i] = holding->pause;
      return;
    }
    Picoseconds held;
    Picoseconds longest;
    for (auto it = std::ranges::upper_bound(candidates, at, {}, &PauseIndex::Entry::start);
         it != candidates.end() && it->start < pause.end; ++it) {
      const Picoseconds overlap = std::min(it->end, pause.end) - it->start;
      held += overlap;
      if (overlap <= longest) continue;
      longest = overlap;
      parent_[i] = it->pause;
    }
    is_weak_[i] = 2 * held <= pause.end - at;
  }

  /// Every pause has at most one parent, so a walk ends at a root or in a cycle. A weak parent
  /// explains nothing unless a cycle follows.
  void cut_where_no_cycle_follows() {
    enum class State : std::uint8_t { kNew, kOnWalk, kEndsAtRoot, kEndsInCycle };
    std::vector<State> states(parent_.size(), State::kNew);
    std::vector<std::uint32_t> walk;
    for (std::uint32_t i = 0; i < parent_.size(); ++i) {
      walk.clear();
      std::uint32_t at = i;
      while (at != kNoIndex && states[at] == State::kNew) {
        states[at] = State::kOnWalk;
        walk.push_back(at);
        at = parent_[at];
      }
      State end = at == kNoIndex ? State::kEndsAtRoot : states[at];
      if (end == State::kOnWalk) {
        end = State::kEndsInCycle;
        for (std::uint32_t c = at; !on_cycle_[c]; c = parent_[c]) on_cycle_[c] = true;
      }
      for (const std::uint32_t pause : walk) states[pause] = end;
    }
    for (std::uint32_t i = 0; i < parent_.size(); ++i) {
      if (states[i] == State::kEndsAtRoot && is_weak_[i]) parent_[i] = kNoIndex;
    }
  }

  std::span<const PauseInterval> pauses_;
  std::span<const Picoseconds> reaction_;
  std::vector<std::uint32_t> parent_;
  std::vector<bool> is_weak_;  ///< the parent began later and held for less than half of the time
  std::vector<bool> on_cycle_;
};

/// Collects pauses into the trees of their roots, parents first.
class Storms {
 public:
  Storms(const Fabric& fabric, std::span<const PauseInterval> pauses, const Parents& parents,
         Picoseconds from)
      : fabric_(fabric),
        pauses_(pauses),
        parents_(parents),
        from_(from),
        storm_of_(pauses.size(), kNoIndex),
        branch_of_(pauses.size(), kNoIndex) {
    std::vector<std::uint32_t> walk;
    for (std::uint32_t i = 0; i < pauses.size(); ++i) {
      for (std::uint32_t at = i; at != kNoIndex && storm_of_[at] == kNoIndex;
           at = parents.parent()[at]) {
        walk.push_back(at);
        if (parents.is_on_cycle(at)) break;
      }
      for (; !walk.empty(); walk.pop_back()) place(walk.back());
    }
  }

  /// Fills everything but the parents.
  void finish(PauseAnalysis& analysis) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t s = 0; s < storms_.size(); ++s) {
      if (storms_[s].pauses == 0) continue;
      order_tree(storms_[s]);
      count_ports(storms_[s]);
      order.push_back(s);
    }
    std::ranges::sort(order, [this](std::uint32_t a, std::uint32_t b) {
      const auto key = [](const PauseStorm& s) {
        return std::tuple(-s.paused.count(), s.root, s.ports.front(), s.traffic_class);
      };
      return key(storms_[a]) < key(storms_[b]);
    });
    std::vector<std::uint32_t> number(storms_.size(), kNoIndex);
    for (std::uint32_t n = 0; n < order.size(); ++n) {
      number[order[n]] = n;
      analysis.storms.push_back(std::move(storms_[order[n]]));
    }
    analysis.storm_of.assign(pauses_.size(), kNoIndex);
    for (std::uint32_t i = 0; i < pauses_.size(); ++i) {
      if (pauses_[i].end > from_) analysis.storm_of[i] = number[storm_of_[i]];
    }
  }

 private:
  /// Its parent, unless it is on a cycle, has been placed.
  void place(std::uint32_t i) {
    const PauseInterval& pause = pauses_[i];
    const std::uint32_t parent = parents_.parent()[i];
    std::uint32_t above = kNoIndex;
    if (parents_.is_on_cycle(i)) {
      storm_of_[i] = storm_of_cycle(i);
    } else if (parent != kNoIndex) {
      storm_of_[i] = storm_of_[parent];
      above = branch_of_[parent];
    } else if (pause.cause.is_none()) {
      storm_of_[i] = storm_at(PauseStorm::Root::kNic, {pause.port}, pause.traffic_class);
    } else {
      storm_of_[i] = storm_at(PauseStorm::Root::kEgress, {pause.cause}, pause.traffic_class);
    }
    PauseStorm& storm = storms_[storm_of_[i]];
    const auto [it, is_new] =
        branches_.try_emplace({storm_of_[i], above, pause.port}, storm.tree.size());
    if (is_new) {
      storm.tree.push_back({.port = pause.port,
                            .parent = above,
                            .depth = above == kNoIndex ? 1 : storm.tree[above].depth + 1});
    }
    branch_of_[i] = it->second;
    if (pause.end > from_) count(storm, storm.tree[it->second], pause);
  }

  std::uint32_t storm_of_cycle(std::uint32_t i) {
    std::vector<PortId> ports;
    std::uint32_t at = i;
    do {
      if (std::ranges::find(ports, pauses_[at].port) == ports.end()) {
        ports.push_back(pauses_[at].port);
      }
      at = parents_.parent()[at];
    } while (at != i && storm_of_[at] == kNoIndex);
    if (at != i) return storm_of_[at];
    std::rotate(ports.begin(), std::ranges::min_element(ports), ports.end());
    return storm_at(PauseStorm::Root::kCycle, ports, pauses_[i].traffic_class);
  }

  std::uint32_t storm_at(PauseStorm::Root root, const std::vector<PortId>& ports,
                         ClassId traffic_class) {
    const auto [it, is_new] =
        numbers_.try_emplace(std::tuple(root, ports, traffic_class), storms_.size());
    if (is_new) {
      PauseStorm storm;
      storm.root = root;
      storm.ports = ports;
      storm.traffic_class = traffic_class;
      storms_.push_back(std::move(storm));
    }
    return it->second;
  }

  void count(PauseStorm& storm, PauseBranch& branch, const PauseInterval& pause) const {
    const Picoseconds time = pause.end - std::max(pause.start, from_);
    const auto add = [&](auto& sums) {
      sums.first = sums.pauses == 0 ? pause.start : std::min(sums.first, pause.start);
      sums.last = std::max(sums.last, pause.end);
      sums.paused += time;
      ++sums.pauses;
    };
    add(storm);
    add(branch);
  }

  void order_tree(PauseStorm& storm) const {
    std::vector<PauseBranch>& tree = storm.tree;
    std::vector<std::uint64_t> pauses(tree.size());  // with everything below
    // Branches were made parents first.
    for (std::size_t b = tree.size(); b-- > 0;) {
      tree[b].total += tree[b].paused;
      pauses[b] += tree[b].pauses;
      if (tree[b].parent == kNoIndex) continue;
      tree[tree[b].parent].total += tree[b].total;
      pauses[tree[b].parent] += pauses[b];
    }
    std::vector<std::vector<std::uint32_t>> children(tree.size() + 1);
    for (std::uint32_t b = 0; b < tree.size(); ++b) {
      // What ended before the measurement and caused nothing in it is left out.
      if (pauses[b] == 0) continue;
      children[tree[b].parent == kNoIndex ? tree.size() : tree[b].parent].push_back(b);
    }
    const auto is_lighter = [&tree](std::uint32_t a, std::uint32_t b) {
      return std::tuple(tree[a].total, tree[b].port) < std::tuple(tree[b].total, tree[a].port);
    };
    for (auto& siblings : children) std::ranges::sort(siblings, is_lighter);
    std::vector<PauseBranch> ordered;
    std::vector<std::uint32_t> number(tree.size(), kNoIndex);
    std::vector<std::uint32_t> pending = children.back();
    while (!pending.empty()) {
      const std::uint32_t b = pending.back();  // the heaviest
      pending.pop_back();
      number[b] = static_cast<std::uint32_t>(ordered.size());
      ordered.push_back(tree[b]);
      if (tree[b].parent != kNoIndex) ordered.back().parent = number[tree[b].parent];
      pending.insert(pending.end(), children[b].begin(), children[b].end());
    }
    tree = std::move(ordered);
  }

  void count_ports(PauseStorm& storm) const {
    std::vector<PortId> ports;
    for (const PauseBranch& branch : storm.tree) {
      if (branch.pauses > 0) ports.push_back(branch.port);
      storm.depth = std::max(storm.depth, branch.depth);
    }
    std::ranges::sort(ports);
    ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
    storm.paused_ports = static_cast<std::uint32_t>(ports.size());
    storm.paused_hosts =
        static_cast<std::uint32_t>(std::ranges::count_if(ports, [this](PortId port) {
          return fabric_.node(fabric_.port(port).node).kind == NodeKind::kHost;
        }));
  }

  const Fabric& fabric_;
  std::span<const PauseInterval> pauses_;
  const Parents& parents_;
  Picoseconds from_;
  std::vector<std::uint32_t> storm_of_;
  std::vector<std::uint32_t> branch_of_;  ///< in the storm's tree
  std::vector<PauseStorm> storms_;
  std::map<std::tuple<PauseStorm::Root, std::vector<PortId>, ClassId>, std::uint32_t> numbers_;
  /// By storm, branch above and port.
  std::map<std::tuple<std::uint32_t, std::uint32_t, PortId>, std::uint32_t> branches_;
};

}  // namespace

PauseAnalysis analyse_pauses(const Fabric& fabric, std::span<const PauseInterval> pauses,
                             const PauseAnalysisOptions& options) {
  const Parents parents(pauses, options.reaction);
  PauseAnalysis analysis;
  Storms(fabric, pauses, parents, options.from).finish(analysis);
  analysis.parent = parents.parent();
  return analysis;
}

}  // namespace weft::protocols
