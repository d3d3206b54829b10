#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/algorithms/schedule.hpp"
#include "collectives/spec/collective_spec.hpp"

/// What can be asked of algorithms by their numbers; `list.hpp` has them as types.
namespace weft::collectives {

/// As scenarios spell them, those that choose included.
[[nodiscard]] const char* name_of(Algorithm algorithm);
[[nodiscard]] std::optional<Algorithm> algorithm_named(const std::string& name);
[[nodiscard]] std::vector<std::string> algorithm_names();

/// The algorithms that there are for an operation, the default first.
[[nodiscard]] std::vector<Algorithm> algorithms_for(Operation operation);

/// Why the operation cannot run by the algorithm as planned; empty if it can.
[[nodiscard]] std::string refusal(const SchedulePlan& plan, Algorithm algorithm,
                                  bool has_in_network_reduction);

/// The algorithm must not be one that chooses, and not refused.
[[nodiscard]] std::unique_ptr<const Schedule> make_schedule(SchedulePlan plan, Algorithm algorithm);

}  // namespace weft::collectives
