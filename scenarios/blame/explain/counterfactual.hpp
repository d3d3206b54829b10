#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/blame/explain/blame_file.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

/// What can be taken out of a scenario, to see what it costs.
inline constexpr std::array<const char*, 6> kRemovable{
    "stragglers", "congestion-control", "pauses", "slow-links", "collisions", "link-failures"};

/// The overrides that take it out, wherever the scenario says it (for all, of a class, a tier, a
/// rack or a job): the run without it is the scenario with these. `stragglers`: late and slow
/// ranks, jitter, noise. `pauses`: lossless without flow control, in buffers that hold everything,
/// and without NICs that pause. `slow-links`: changes of links, NICs slower than those of other
/// racks, and faults that slow links down. `collisions`: packets are sprayed, and taken in any
/// order. `job:NAME`: that job, while the others keep hosts, paths and random numbers. Error: the
/// scenario has nothing of the kind, or overrides cannot take it out.
[[nodiscard]] Result<std::vector<std::string>> overrides_without(const std::string& what,
                                                                 const LoadedScenario& scenario);

/// Whether the scenario has anything of the kind, also where overrides cannot take it out.
[[nodiscard]] bool has_removable(const std::string& what, const LoadedScenario& scenario);

/// What would have to be taken out against what is blamed; nothing can be, where it is absent.
[[nodiscard]] std::optional<std::string> removable_for(const BlameEntry& blame);

}  // namespace weft::scenarios
