#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/results/results.hpp"
#include "simcore/base/result.hpp"
#include "tools/cli/commands.hpp"

namespace weft::cli {

/// Where the results of a run go.
struct RunPlace {
  std::filesystem::path packet;  ///< of the packet engine, or of the only one
  std::filesystem::path fluid;   ///< of the fluid engine, where both run
};

/// `--out`, or `results/<--name>`, or a name in `results/` made of the scenario's and of what was
/// changed. The latter is never that of another scenario or of other overrides: where results of
/// such, or anything else, are in the way, it ends in -2, -3 and so on.
[[nodiscard]] Result<RunPlace> place_of_run(const RunArguments& arguments,
                                            const scenarios::Invocation& invocation,
                                            const std::string& scenario_name,
                                            const std::string& scenario_sha256);

/// Of results of a run that came to its end: what asked for them. Empty: there are none.
[[nodiscard]] std::string describe_results_in(const std::filesystem::path& folder);

/// The command line of this process and what it says of the scenario.
[[nodiscard]] scenarios::Invocation invocation_of(const RunArguments& arguments);

}  // namespace weft::cli
