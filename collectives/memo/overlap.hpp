#pragma once

#include <cstdint>
#include <span>

#include "collectives/tasks/task_program.hpp"

namespace weft::collectives {

/// Of the calls that a rank makes in an iteration of `communicators`, all of which it is a member
/// of: those that no dependency orders against some call of another of them, so that both may be on
/// the network at once. By the call's number, how often. Takes time and memory linear in the rank's
/// tasks times these communicators, and none where there is one.
[[nodiscard]] CallCounts overlapping_calls(const TaskProgram& program, std::uint32_t rank,
                                           std::span<const std::uint32_t> communicators);

}  // namespace weft::collectives
