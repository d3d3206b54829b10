#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
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

  /// Of a job whose program is one of tasks. `workload` must outlive it. `delay_of`: of messages of
  /// the workload.
  CallAlone(const collectives::Workload& workload, std::uint32_t job, std::uint32_t communicator,
            ZeroLoadNetwork::DelayOf delay_of, Picoseconds control_latency);

  /// `call`: its number among those of the communicator. Begins and ends are by member, in the
  /// order of ranks; an end that is missing never comes. A call that begins alike is run once.
  /// Valid until the next question.
  [[nodiscard]] const Ends& ends_of(std::uint32_t call, const Times& begins);

 private:
  [[nodiscard]] Ends run(std::uint32_t call, const Times& begins);

  const ZeroLoadNetwork::DelayOf delay_of_;
  const Picoseconds control_latency_;
  std::uint32_t stream_ = 0;
  std::span<const std::uint32_t> numbers_;  ///< of calls, in the program
  collectives::EpochProgram* program_ = nullptr;
  collectives::Workload workload_;
  std::vector<ConnectionId> in_whole_;  ///< by connection
  std::map<std::pair<std::uint32_t, Times>, Ends> known_;
};

}  // namespace weft::scenarios
