#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/memo/gpu_sets.hpp"
#include "collectives/tasks/task_program.hpp"

namespace weft::collectives {

/// By call of the program: its number among those of its communicator.
[[nodiscard]] std::vector<std::uint32_t> numbers_of_calls(const TaskProgram& program);

/// By process and stream: whether it is of a communicator of one of the GPU sets.
[[nodiscard]] std::vector<std::vector<bool>> streams_of(const Workload& workload,
                                                        const GpuSets& gpu_sets);

/// The communicator whose calls a connection of a program of tasks carries.
[[nodiscard]] std::optional<std::uint32_t> communicator_of(const Workload& workload,
                                                           const TaskProgram& program,
                                                           ConnectionId connection);

/// Whether two GPU sets of a job make the same calls of the same communicators, rank by rank in
/// the order of their numbers.
[[nodiscard]] bool do_calls_match(const TaskProgram& program, const GpuSet& a, const GpuSet& b);

/// Whether no rank ends such a call before all have begun it.
[[nodiscard]] bool waits_for_all(const CollectiveSpec& spec);

}  // namespace weft::collectives
