#include "protocols/analysis/victim_analysis.hpp"

#include <algorithm>
#include <tuple>

#include "protocols/analysis/pause_index.hpp"

namespace weft::protocols {
namespace {

/// Adds up times that come by rising start, each moment once.
struct Union {
  Picoseconds covered{};
  Picoseconds sum{};

  void add(Picoseconds start, Picoseconds end) {
    start = std::max(start, covered);
    if (end <= start) return;
    sum += end - start;
    covered = end;
  }
};

/// Examines flows one after the other. The pauses of a port are sorted once; a flow merges those of
/// its ports, so that no flow needs a sort of its own.
class VictimSearch {
 public:
  VictimSearch(const Fabric& fabric, std::span<const PauseInterval> pauses,
               const PauseAnalysis& analysis)
      : index_(pauses),
        rooted_at_(fabric.ports.size()),
        by_storm_(analysis.storms.size()),
        own_of_flow_(analysis.storms.size(), kNoIndex) {
    for (std::uint32_t s = 0; s < analysis.storms.size(); ++s) {
      for (const PortId port : analysis.storms[s].ports) rooted_at_[port.value()].push_back(s);
    }
    storms_.reserve(pauses.size());
    for (const PauseIndex::Entry& entry : index_.entries()) {
      storms_.push_back(analysis.storm_of[entry.pause]);
    }
  }

  [[nodiscard]] VictimFlow examine(std::uint32_t number, const FlowActivity& flow) {
    VictimFlow victim{.flow = number, .active = flow.before};
    for (const Period& period : flow.active) victim.active += period.end - period.start;
    queues_.clear();
    for (const PortId port : flow.path) {
      const auto pauses = index_.of(port, flow.traffic_class);
      if (!pauses.empty()) queues_.push_back(pauses);
    }
    if (queues_.empty()) return victim;
    mark_own_storms(number, flow);
    all_ = {};
    for (const Period& period : flow.active) add_holds(number, period);
    victim.lost = all_.sum;
    for (const std::uint32_t storm : touched_) {
      victim.losses.push_back({storm, by_storm_[storm].sum});
      by_storm_[storm] = {};
    }
    touched_.clear();
    std::ranges::sort(victim.losses, {},
                      [](const VictimLoss& l) { return std::tuple(-l.lost.count(), l.storm); });
    return victim;
  }

 private:
  /// Storms whose root the flow may cross itself.
  void mark_own_storms(std::uint32_t number, const FlowActivity& flow) {
    const auto mark = [&](PortId port) {
      for (const std::uint32_t storm : rooted_at_[port.value()]) own_of_flow_[storm] = number;
    };
    std::ranges::for_each(flow.path, mark);
    std::ranges::for_each(flow.spread, mark);
  }

  void add_holds(std::uint32_t number, const Period& period) {
    cursors_.clear();
    for (const auto& pauses : queues_) {
      // Pauses of one port and class do not overlap: their ends ascend as well.
      const auto first =
          std::ranges::upper_bound(pauses, period.start, {}, &PauseIndex::Entry::end);
      if (first != pauses.end()) cursors_.push_back({&*first, pauses.data() + pauses.size()});
    }
    while (!cursors_.empty()) {
      const auto next = std::ranges::min_element(
          cursors_, {}, [](const Cursor& cursor) { return cursor.at->start; });
      if (next->at->start >= period.end) return;
      add_hold(number, *next->at, period);
      if (++next->at == next->end) cursors_.erase(next);
    }
  }

  void add_hold(std::uint32_t number, const PauseIndex::Entry& pause, const Period& period) {
    const auto position = static_cast<std::size_t>(&pause - index_.entries().data());
    const std::uint32_t storm = storms_[position];
    if (storm == kNoIndex || own_of_flow_[storm] == number) return;
    const Picoseconds start = std::max(pause.start, period.start);
    const Picoseconds end = std::min(pause.end, period.end);
    if (end <= start) return;
    all_.add(start, end);
    if (by_storm_[storm].sum == 0_ps) touched_.push_back(storm);
    by_storm_[storm].add(start, end);
  }

  struct Cursor {
    const PauseIndex::Entry* at;
    const PauseIndex::Entry* end;
  };

  PauseIndex index_;
  std::vector<std::uint32_t> storms_;                  ///< by position in the index
  std::vector<std::vector<std::uint32_t>> rooted_at_;  ///< storms by port

  // Of the flow at hand.
  std::vector<std::span<const PauseIndex::Entry>> queues_;
  std::vector<Cursor> cursors_;
  Union all_;
  std::vector<Union> by_storm_;
  std::vector<std::uint32_t> touched_;      ///< storms with a sum
  std::vector<std::uint32_t> own_of_flow_;  ///< by storm: the last flow whose path has its root
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
