#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/estimate/scenario_estimate.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/spec/scenario.hpp"

namespace weft::sweep {

/// Names and numbers of a run, in a fixed order.
using Metrics = std::vector<std::pair<std::string, double>>;

/// Every number of summary.json by its path, jobs by name (`jobs.incast.jct_seconds`), without what
/// depends on the machine; besides, for each job the times of its messages, and the fullest port's
/// queue. What a run does not have (the JCT of an unfinished job) is left out.
[[nodiscard]] Metrics metrics_of(const scenarios::Results& results);

/// The names that `metrics_of` can give for runs of this scenario; `is_isolated`: whose jobs run
/// alone, too.
[[nodiscard]] std::vector<std::string> metric_names(const scenarios::Scenario& scenario,
                                                    bool is_isolated = false);

/// Numbers of a summary.json by their paths, jobs by name, without what depends on the machine;
/// null where it has a key without a value.
using SummaryNumbers = std::vector<std::pair<std::string, std::optional<double>>>;
[[nodiscard]] SummaryNumbers numbers_of(nlohmann::ordered_json summary);

/// The names that `numbers_of` can give for runs of this scenario.
[[nodiscard]] std::vector<std::string> summary_names(const scenarios::Scenario& scenario,
                                                     bool is_isolated);

/// What jobs take beside the others and alone has names that begin so, and the job behind it.
inline constexpr std::string_view kIsolatedPrefix = "isolated.";
/// Of all jobs; nothing where one of them has none.
inline constexpr std::string_view kWorstSlowdown = "isolated.slowdown.max";

/// Estimates are metrics, too, whose names begin so: of a point, and of the slice of it that is
/// simulated.
inline constexpr std::string_view kEstimatePrefix = "estimate.";
inline constexpr std::string_view kSlicePrefix = "slice_estimate.";

/// Every number of `weft estimate --json` by its path behind `prefix`:
/// `estimate.jobs.NAME.step_seconds`.
[[nodiscard]] Metrics metrics_of(const scenarios::ScenarioEstimate& estimate,
                                 std::string_view prefix);

[[nodiscard]] bool is_estimate(std::string_view name);

/// The results that an estimate may stand beside, the likeliest first: of
/// `estimate.jobs.NAME.step_seconds` it is `training.NAME.step_seconds.mean`.
[[nodiscard]] std::vector<std::string> results_beside(std::string_view estimate);

/// The unit of a metric by its name: `s`, `B`, `B/s` or nothing.
[[nodiscard]] std::string metric_unit(const std::string& name);

}  // namespace weft::sweep
