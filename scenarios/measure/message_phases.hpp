#pragma once

#include <cstdint>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "scenarios/results/message_phase.hpp"

namespace weft::scenarios {

/// Sums up messages by the iteration of their job that their sender posted them in. Of a job
/// without iterations all are one phase.
class MessagePhases {
 public:
  MessagePhases(const collectives::Workload& workload, const collectives::Executor& executor)
      : workload_(workload), executor_(executor), phases_(workload.jobs().size()) {}

  /// A message that `source` posted.
  void add(ProcessId source, const MessageResult& message);
  /// Those of all jobs, by job and iteration.
  [[nodiscard]] std::vector<MessagePhase> take();

 private:
  /// Where several iterations of the rank begin at one instant, the last of them.
  [[nodiscard]] std::uint32_t iteration_at(ProcessId source, Picoseconds posted) const;
  [[nodiscard]] Picoseconds start_of(std::uint32_t job, std::uint32_t iteration) const;

  const collectives::Workload& workload_;
  const collectives::Executor& executor_;
  std::vector<std::vector<MessagePhase>> phases_;  ///< by job and iteration
};

}  // namespace weft::scenarios
