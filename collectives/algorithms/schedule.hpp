#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "collectives/algorithms/schedule_plan.hpp"
#include "collectives/spec/collective_spec.hpp"
#include "collectives/steps/step.hpp"

/// One collective as steps per rank and lane: what the algorithm says, without what it costs.
///
/// Data is named by block and range. The vector operations have block 0, `size` bytes long, of
/// which part r (part_of) belongs to rank r in a reduce-scatter, an all-gather, a gather and a
/// scatter. In an all-to-all and a send/receive, block source * n + destination is what the one has
/// for the other.
namespace weft::collectives {

class Schedule {
 public:
  explicit Schedule(SchedulePlan plan) : plan_(std::move(plan)) {}
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  virtual ~Schedule() = default;

  [[nodiscard]] const SchedulePlan& plan() const { return plan_; }
  /// Per rank: the lanes of a channel are neighbours.
  [[nodiscard]] std::uint32_t lanes() const { return plan_.channels * lanes_per_channel(); }
  [[nodiscard]] virtual std::uint32_t lanes_per_channel() const { return 1; }
  /// The ranks that a lane sends to, ascending and without duplicates. May name some that get
  /// nothing because there is less data than ranks.
  [[nodiscard]] virtual std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                              std::uint32_t lane) const = 0;
  /// Every rank is in one of them; empty: no lane has scale-up switches do anything.
  [[nodiscard]] virtual std::vector<RankGroup> groups() const { return {}; }
  [[nodiscard]] virtual InNetworkWork in_network_work(std::uint32_t /*lane*/) const { return {}; }
  /// Ranks work in buffers of their own, into which lanes that have scale-up switches add copy the
  /// input and out of which those that have them repeat copy the result.
  [[nodiscard]] virtual bool is_staged() const { return false; }
  /// Refers to the schedule, which must outlive it.
  [[nodiscard]] virtual StepStream steps(std::uint32_t rank, std::uint32_t lane) const = 0;

  /// Of those, the steps that send, in their order.
  virtual void for_each_send(std::uint32_t rank, std::uint32_t lane,
                             const std::function<void(const Step&)>& visit) const {
    StepStream all = steps(rank, lane);
    for (Step step; all.next(step);) {
      if (step.sends()) visit(step);
    }
  }

  /// Bytes that all channels work on in one round, which a long call repeats: chunk after chunk;
  /// 0: there are no rounds. How many lie in a size, and how the rest is shared, is for `steps`.
  [[nodiscard]] virtual std::int64_t round_size() const { return 0; }

 protected:
  [[nodiscard]] std::uint32_t channel_of(std::uint32_t lane) const {
    return lane / lanes_per_channel();
  }
  [[nodiscard]] std::uint32_t slices() const { return plan_.slices; }
  /// Of rounds in which every channel has n chunks.
  [[nodiscard]] std::int64_t round_of(std::uint32_t chunks) const {
    return plan_.chunk * plan_.channels * chunks;
  }

 private:
  SchedulePlan plan_;
};

/// How many pieces of `chunk` bytes cover `size`; one if the chunk is 0 (undivided).
[[nodiscard]] inline std::int64_t piece_count(std::int64_t size, std::int64_t chunk) {
  return chunk == 0 ? 1 : (size + chunk - 1) / chunk;
}
/// Piece `i`, which may be empty at the end.
[[nodiscard]] inline Range piece_of(Range range, std::int64_t chunk, std::int64_t i) {
  if (chunk == 0) return range;
  const std::int64_t begin = std::min(i * chunk, range.size);
  return {range.offset + begin, std::min(chunk, range.size - begin)};
}

}  // namespace weft::collectives
