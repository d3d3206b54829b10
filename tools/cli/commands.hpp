#pragma once

#include <string>
#include <vector>

namespace weft::cli {

/// Exit codes of the program.
enum ExitCode : int {
  kSuccess = 0,
  kUnfinished = 1,  ///< the simulation could not finish, or its results could not be written
  kBadInput = 2,    ///< a bad scenario or a bad command line
};

struct RunArguments {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string out;
  bool print_json = false;
  bool is_quiet = false;
};

/// `weft run`: simulates, prints the summary, writes the results.
[[nodiscard]] int run_scenario(const RunArguments& arguments);
/// `weft check`: validates and says how the scenario would be simulated.
[[nodiscard]] int check_scenario(const std::string& path,
                                 const std::vector<std::string>& overrides);
/// `weft schema`: prints the JSON Schema of scenarios.
[[nodiscard]] int print_schema();

}  // namespace weft::cli
