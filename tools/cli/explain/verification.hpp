#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenarios/blame/explain/blame_file.hpp"
#include "scenarios/blame/explain/slow_links.hpp"
#include "scenarios/language/load_scenario.hpp"

namespace weft::cli {

/// `weft explain --verify`: runs the scenario of a folder again, in the engine of its run, without
/// what it has in it that is worse than it should be, and without what is blamed
/// (scenarios::candidates_of), and says what that saves beside what is blamed, and why it does not.
/// Prints each as it is known; with `json`, which may be null, adds them to it instead. Returns the
/// exit code.
[[nodiscard]] int verify_blame(const std::string& folder, const scenarios::LoadedScenario& scenario,
                               const std::vector<scenarios::BlameEntry>& blame,
                               const std::vector<scenarios::SlowLink>& slow_links,
                               nlohmann::ordered_json* json);

}  // namespace weft::cli
