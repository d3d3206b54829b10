#pragma once

#include <map>
#include <string>
#include <vector>

#include "scenarios/language/load_scenario.hpp"

namespace weft::scenarios {

/// What is known of how a scenario was written.
struct GivenKeys {
  /// Keys that it gives, by path, and where: `line 7`, `--set ...`. Long lists are not among them
  /// to their end.
  std::map<std::string, std::string> places;
  /// What was odd about the file as it was read: warnings of a run.
  std::vector<std::string> remarks;
};

[[nodiscard]] const GivenKeys& given_keys(const LoadedScenario& scenario);

}  // namespace weft::scenarios
