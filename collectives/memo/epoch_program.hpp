#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/steps/program.hpp"
#include "collectives/tasks/task_program.hpp"

namespace weft::collectives {

/// The calls of some communicators of a program of tasks, by their ranks alone: each rank is at the
/// start of its next task until somebody begins it (Executor::begin_by_timers), and is through
/// with it when the whole program would be. Lanes are numbered as in the whole program.
class EpochProgram final : public JobProgram,
                           public TaskStreams,
                           public TransferCosts,
                           public InNetworkUse {
 public:
  /// `ranks`: of the whole program, ascending; rank i of this one is the i-th. All ranks of the
  /// communicators are among them. `whole` must outlive it.
  EpochProgram(const TaskProgram& whole, std::vector<std::uint32_t> ranks,
               const std::vector<std::uint32_t>& communicators);

  /// What the next task of a rank's stream is, as the whole program numbers calls.
  void set_call(std::uint32_t rank, std::uint32_t stream, std::uint32_t call) {
    next_calls_[std::size_t{rank} * whole_.streams() + stream] = call;
  }

  [[nodiscard]] std::uint32_t lanes() const override { return whole_.lanes(); }
  [[nodiscard]] bool needs_acknowledgements() const override {
    return whole_.needs_acknowledgements();
  }
  [[nodiscard]] const TaskStreams& task_streams() const override { return *this; }
  [[nodiscard]] const TransferCosts& transfers() const override { return *this; }
  [[nodiscard]] const InNetworkUse& in_network() const override { return *this; }
  [[nodiscard]] std::uint32_t streams() const override { return whole_.streams(); }
  [[nodiscard]] std::uint32_t lanes_of(std::uint32_t rank, std::uint32_t stream) const override;
  [[nodiscard]] std::uint32_t stream_of(std::uint32_t lane) const override {
    return whole_.stream_of(lane);
  }
  [[nodiscard]] bool notes_posts(LanePlace place) const override {
    return whole_.notes_posts(of_whole(place));
  }
  [[nodiscard]] Bytes wire_size(LanePlace place, Bytes size) const override {
    return whole_.wire_size(of_whole(place), size);
  }
  [[nodiscard]] Picoseconds receive_latency(LanePlace place, std::uint32_t from) const override {
    return whole_.receive_latency(of_whole(place), ranks_[from]);
  }
  [[nodiscard]] std::uint32_t window(LanePlace place) const override {
    return whole_.window(of_whole(place));
  }
  [[nodiscard]] std::vector<ReductionGroup> groups() const override;
  [[nodiscard]] InNetworkWork in_network_work(LanePlace place) const override;
  [[nodiscard]] std::vector<std::uint32_t> send_peers(LanePlace place) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(LanePlace place) const override;

 private:
  class Source;
  [[nodiscard]] LanePlace of_whole(LanePlace place) const {
    return {ranks_[place.rank], place.lane};
  }
  /// Of one of the communicators.
  [[nodiscard]] bool is_used(LanePlace place) const;
  [[nodiscard]] std::uint32_t rank_here(std::uint32_t rank_of_whole) const;
  [[nodiscard]] StepStream stream(LanePlace place) const;

  const TaskProgram& whole_;
  std::vector<std::uint32_t> ranks_;
  std::vector<bool> is_used_;              ///< by communicator of the whole program
  std::vector<std::uint32_t> next_calls_;  ///< by rank and stream
};

}  // namespace weft::collectives
