#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/blame/counterfactual/late_ranks.hpp"
#include "scenarios/results/results.hpp"
#include "tools/cli/commands.hpp"

namespace weft::cli {

/// The line that ends what a run prints: what to do next, with a command that can be given as it
/// stands. Jobs with late ranks look healthy beside a zero-load time that has these in it. Empty:
/// what was printed says it already.
[[nodiscard]] std::string next_step(const scenarios::Results& results,
                                    const std::filesystem::path& folder,
                                    const std::vector<scenarios::LateRanks>& late,
                                    const RunArguments& arguments);

/// The same after two engines.
[[nodiscard]] std::string next_step(const std::filesystem::path& packet,
                                    const std::filesystem::path& fluid);

}  // namespace weft::cli
