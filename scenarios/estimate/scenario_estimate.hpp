#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/checks/forecast.hpp"
#include "scenarios/estimate/training_estimate.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/base/result.hpp"

/// Scenarios in closed form, in milliseconds: nothing is simulated.
namespace weft::scenarios {

/// A job on a network where no message meets another: every computation, collective and message in
/// its order, each message taking its zero-load time.
struct ZeroLoadRun {
  double seconds = 0;  ///< of the whole job
  std::string set_by;  ///< `dependencies`, or the cut that carries too much
};

struct JobEstimate {
  std::string name;
  std::string type;
  std::uint32_t ranks = 0;
  std::uint64_t iterations = 1;
  std::optional<TrainingEstimate> training;  ///< of training jobs
  std::optional<double> collective_seconds;  ///< of collectives, one of them, by the cost model
  std::optional<ZeroLoadRun> ideal;          ///< where it was asked for, and the job has an end
  std::vector<std::string> notes;            ///< what the closed form does not know
};

/// What a run by packets would take; or why it is refused.
struct RunForecast {
  Forecast forecast;
  Errors refused;
};

struct ScenarioEstimate {
  std::string name;
  std::vector<JobEstimate> jobs;
  std::optional<RunForecast> run;
};

/// What of an estimate takes longer than closed forms: for both, everything is built that a run
/// needs.
struct EstimateParts {
  bool run = false;    ///< what a run by packets would take
  bool ideal = false;  ///< JobEstimate::ideal: about a microsecond for each message
};

/// Jobs each by itself, where its ranks are. Errors carry key paths.
[[nodiscard]] Result<ScenarioEstimate> estimate_scenario(Scenario scenario,
                                                         const EstimateParts& parts);

/// For people.
[[nodiscard]] std::string estimate_text(const ScenarioEstimate& estimate);
/// The same numbers; `jobs[i].step_seconds` of training jobs.
[[nodiscard]] nlohmann::ordered_json estimate_json(const ScenarioEstimate& estimate);

}  // namespace weft::scenarios
