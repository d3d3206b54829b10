#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/memo/epoch_program.hpp"
#include "collectives/runtime/workload.hpp"
#include "collectives/tasks/task_program.hpp"
#include "simcore/messages/zero_load_network.hpp"

namespace weft::scenarios {

/// A job's program of tasks; null: it has another.
[[nodiscard]] const collectives::TaskProgram* task_program_of(const collectives::JobPlan& job);

/// Runs calls of a communicator with nothing around it, on a network without contention.
class CallAlone {
 public:
  using Times = std::vector<Picoseconds>;
  using Ends = std::vector<OptionalTime>;
  /// Ends that are worth keeping, of communicators alike: some megabytes.
  static constexpr std::size_t kMaxKept = 16'384;

  /// Of a job whose program is one of tasks. `workload` must outlive it. `delay_of`: of messages of
  /// the workload.
  CallAlone(const collectives::Workload& workload, std::uint32_t job, std::uint32_t communicator,
            ZeroLoadNetwork::DelayOf delay_of, Picoseconds control_latency);

  /// `call`: its number among those of the communicator. Begins and ends are by member, in the
  /// order of ranks; an end that is missing never comes.
  [[nodiscard]] Ends ends_of(std::uint32_t call, const Times& begins);

 private:
  const ZeroLoadNetwork::DelayOf delay_of_;
  const Picoseconds control_latency_;
  std::uint32_t stream_ = 0;
  std::span<const std::uint32_t> numbers_;  ///< of calls, in the program
  collectives::EpochProgram* program_ = nullptr;
  collectives::Workload workload_;
  std::vector<ConnectionId> in_whole_;  ///< by connection
};

}  // namespace weft::scenarios
