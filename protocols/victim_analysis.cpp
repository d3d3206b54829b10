#include "protocols/victim_analysis.hpp"

#include <algorithm>
#include <tuple>

#include "protocols/pause_index.hpp"

namespace weft::protocols {
namespace {

/// A time during which a flow was held up by a storm.
struct Hold {
  std::uint32_t storm = 0;
  Picoseconds start{};
  Picoseconds end{};
};

/// Adds up times that come by rising start, each moment once.
class Union {
 public:
  void add(const Hold& hold) {
    const Picoseconds start = std::max(hold.start, covered_);
    if (hold.end <= start) return;
    sum_ += hold.end - start;
    covered_ = hold.end;
  }
  [[nodiscard]] Picoseconds sum() const { return sum_; }

 private:
  Picoseconds covered_{};
  Picoseconds sum_{};
};

class VictimSearch {
 public:
  VictimSearch(const Fabric& fabric, std::span<const PauseInterval> pauses,
               const PauseAnalysis& analysis)
      : index_(pauses), analysis_(analysis), rooted_at_(fabric.ports.size()) {
    for (std::uint32_t s = 0; s < analysis.storms.size(); ++s) {
      for (const PortId port : analysis.storms[s].ports) {
        rooted_at_[port.value()].push_back(s);
      }
    }
  }

  [[nodiscard]] VictimFlow examine(std::uint32_t number, const FlowActivity& flow) {
    collect_holds(flow);
    VictimFlow victim{.flow = number};
    for (const Period& period : flow.active) victim.active += period.end - period.start;
    if (holds_.empty()) return victim;
    std::ranges::sort(holds_, {}, [](const Hold& h) { return std::tuple(h.start, h.end); });
    Union all;
    for (const Hold& hold : holds_) all.add(hold);
    victim.lost = all.sum();
    std::ranges::stable_sort(holds_, {}, &Hold::storm);
    for (std::size_t i = 0; i < holds_.size();) {
      Union of_storm;
      const std::uint32_t storm = holds_[i].storm;
      for (; i < holds_.size() && holds_[i].storm == storm; ++i) of_storm.add(holds_[i]);
      victim.losses.push_back({storm, of_storm.sum()});
    }
    std::ranges::stable_sort(victim.losses, std::greater<>(), &VictimLoss::lost);
    return victim;
  }

 private:
  void collect_holds(const FlowActivity& flow) {
    holds_.clear();
    has_own_ = false;
    for (const PortId port : flow.path) {
      const auto pauses = index_.of(port, flow.traffic_class);
      if (pauses.empty()) continue;
      if (!has_own_) find_own_storms(flow);
      for (const Period& period : flow.active) collect_holds(pauses, period);
    }
  }

  void collect_holds(std::span<const PauseIndex::Entry> pauses, const Period& period) {
    // Pauses of one port and class do not overlap: their ends ascend as well.
    for (auto it = std::ranges::upper_bound(pauses, period.start, {}, &PauseIndex::Entry::end);
         it != pauses.end() && it->start < period.end; ++it) {
      const std::uint32_t storm = analysis_.storm_of[it->pause];
      if (storm == kNoIndex || std::ranges::find(own_, storm) != own_.end()) continue;
      holds_.push_back({storm, std::max(it->start, period.start), std::min(it->end, period.end)});
    }
  }

  /// Storms whose root the flow may cross itself.
  void find_own_storms(const FlowActivity& flow) {
    has_own_ = true;
    own_.clear();
    const auto add = [this](PortId port) {
      const std::vector<std::uint32_t>& storms = rooted_at_[port.value()];
      own_.insert(own_.end(), storms.begin(), storms.end());
    };
    std::ranges::for_each(flow.path, add);
    std::ranges::for_each(flow.spread, add);
  }

  PauseIndex index_;
  const PauseAnalysis& analysis_;
  std::vector<std::vector<std::uint32_t>> rooted_at_;  ///< storms by port
  std::vector<std::uint32_t> own_;                     ///< of the flow at hand
  bool has_own_ = false;
  std::vector<Hold> holds_;
};

}  // namespace

std::vector<VictimFlow> find_victims(const Fabric& fabric, std::span<const PauseInterval> pauses,
                                     const PauseAnalysis& analysis,
                                     std::span<const FlowActivity> flows) {
  VictimSearch search(fabric, pauses, analysis);
  std::vector<VictimFlow> victims;
  for (std::uint32_t f = 0; f < flows.size(); ++f) {
    VictimFlow victim = search.examine(f, flows[f]);
    if (victim.lost > 0_ps) victims.push_back(std::move(victim));
  }
  std::ranges::stable_sort(victims, std::greater<>(), &VictimFlow::lost);
  return victims;
}

}  // namespace weft::protocols
