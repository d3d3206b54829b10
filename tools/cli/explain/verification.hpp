#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/blame/explain/run_facts.hpp"
#include "scenarios/language/load_scenario.hpp"

namespace weft::cli {

/// `weft explain --verify`: runs the scenario of a folder again, in the engine of its run, without
/// each thing that it has in it that is worse than it should be, and without what is blamed
/// (scenarios::candidates_of), and says what that saves beside what is blamed, and why it does not.
/// Of more than `max_jobs` jobs, the less blamed are tried in groups. Where nothing helps a job
/// much by itself, what may act together is taken out together. Prints each as it is known; with
/// `json`, which may be null, adds them to it instead. Returns the exit code.
[[nodiscard]] int verify_blame(const std::string& folder, const scenarios::LoadedScenario& scenario,
                               const std::vector<scenarios::BlameEntry>& blame,
                               const scenarios::RunFacts& facts, std::size_t max_jobs,
                               nlohmann::ordered_json* json);

}  // namespace weft::cli
