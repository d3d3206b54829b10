#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/blame/counterfactual/slow_links.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

/// What can be taken out of a scenario, to see what it costs, besides a job (`job:NAME`).
inline constexpr std::array<const char*, 10> kRemovable{
    "slow-links", "link-failures",    "bit-errors",         "nic-pauses", "stragglers",
    "jitter",     "changed-settings", "congestion-control", "pauses",     "collisions"};
/// The first ones make a fabric or its ranks worse than they are meant to be: a scenario without
/// is the healthy one. The others are settings.
inline constexpr std::span<const char* const> kDegradations{kRemovable.data(), 7};

/// The overrides that take it out, wherever the scenario says it (for all, of a class, a tier, a
/// rack or a job): the run without it is the scenario with these.
/// - `slow-links`: changes of the speed of links, NICs slower than those of other racks, NICs that
///   take in less than their links bring, and faults that slow links down.
/// - `link-failures`, `nic-pauses`: faults. `bit-errors`: of faults and of links.
/// - `stragglers`: late and slow ranks. `jitter`: their random delays.
/// - `changed-settings`: switches, ports and NICs that are not set as the others
/// (`fabric.changes`).
/// - `pauses`: lossless without flow control, in buffers that hold everything, and without NICs
///   that pause.
/// - `collisions`: packets are sprayed, and taken in any order.
/// - `job:NAME`: that job, while the others keep hosts, paths and random numbers.
/// - Several with commas between: all of these.
///
/// Error: the scenario has nothing of the kind, or overrides cannot take it out.
[[nodiscard]] Result<std::vector<std::string>> overrides_without(const std::string& what,
                                                                 const LoadedScenario& scenario);

/// The causes of a list such as `slow-links,job:b`, each once; and the list of causes.
[[nodiscard]] std::vector<std::string> causes_in(std::string_view list);
[[nodiscard]] std::string list_of_causes(std::span<const std::string> causes);

/// Whether the scenario has anything of the kind (of a list, of any of them), also where overrides
/// cannot take it out.
[[nodiscard]] bool has_removable(const std::string& what, const LoadedScenario& scenario);

/// Where the scenario says what is taken out: `faults[0] (link-down)`, `jobs[2].jitter`. Of jobs
/// nothing: they have a name.
[[nodiscard]] std::vector<std::string> removable_parts(const std::string& what,
                                                       const LoadedScenario& scenario);

/// Whether a run without it might be spared what is blamed.
[[nodiscard]] bool is_blamed(const std::string& what, const BlameEntry& blame,
                             const std::vector<SlowLink>& slow_links);

}  // namespace weft::scenarios
