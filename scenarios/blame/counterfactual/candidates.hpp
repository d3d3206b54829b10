#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/blame/counterfactual/slow_links.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What a scenario has in it that makes a fabric or its ranks worse than they are meant to be.
struct Degradation {
  std::string what;                ///< one of kDegradations, as `--without` takes it
  std::vector<std::string> parts;  ///< `the NIC of h3 runs at 50 Gbps of 400 Gbps`, `faults[0] ...`
  std::vector<std::string> jobs{};   ///< that have it; empty: it is of the fabric
  std::vector<std::string> names{};  ///< what is to be mended: `the NIC of h3`; empty: no one thing

  /// `slow-links (the NIC of h3 runs at 50 Gbps of 400 Gbps)`
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] std::vector<Degradation> degradations_of(const LoadedScenario& scenario,
                                                       const std::vector<SlowLink>& slow_links);

/// Whether a port joins switches, by its name: switches have their ports numbered in names, hosts
/// do not: `leaf0[4]->spine1[0]`.
[[nodiscard]] bool joins_switches(const std::string& port);

/// What of a job's time (of all jobs, where `job` is empty) a run without `causes` might spare it;
/// what several of them are blamed for counts once. Jobs that do not have a degradation are spared
/// nothing by its removal: jitter of one job is not to blame for stragglers of another.
[[nodiscard]] Picoseconds blamed_time(std::span<const std::string> causes, std::string_view job,
                                      const std::vector<BlameEntry>& blame,
                                      const std::vector<Degradation>& degradations,
                                      const std::vector<SlowLink>& slow_links);

/// This many jobs are tried each by itself, unless somebody asks for another number.
inline constexpr std::size_t kMaxJobsEach = 40;

/// What a run is worth to be repeated without.
struct Candidates {
  std::vector<std::string> causes;  ///< degradations, jobs, settings: each by itself, in this order
  std::vector<std::string> more_jobs;  ///< of more jobs than `max_jobs`, the others
};

/// First whatever the scenario has that is worse than it should be, blamed or not: degradations,
/// then jobs, where there are several. Then the settings that are blamed; all that there are for
/// `is_unfinished`, a run without blame. In each group what is blamed for most comes first.
[[nodiscard]] Candidates candidates_of(const std::vector<BlameEntry>& blame,
                                       const LoadedScenario& scenario,
                                       const std::vector<SlowLink>& slow_links,
                                       std::size_t max_jobs = kMaxJobsEach,
                                       bool is_unfinished = false);

}  // namespace weft::scenarios
