#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/results/results.hpp"
#include "simcore/base/result.hpp"
#include "tools/sweep/language/expression.hpp"
#include "tools/sweep/language/metrics.hpp"

/// What is expected of results (`--expect`), in the language of conditions of sweeps.
namespace weft::cli {

/// The numbers of a run that expectations are about.
struct MeasuredRun {
  std::string name;  ///< its folder
  std::string outcome;
  sweep::SummaryNumbers numbers;
};

[[nodiscard]] MeasuredRun measured_run(const scenarios::Results& results, std::string name);
/// Of a folder that `weft run` wrote.
[[nodiscard]] Result<MeasuredRun> measured_run(const std::filesystem::path& folder);

/// Whether one expectation holds, and what it is about.
struct Verdict {
  std::string expectation;
  std::string run;  ///< its folder; empty: of several runs
  std::vector<std::pair<std::string, std::optional<double>>> values;
  bool holds = false;
  std::string because;  ///< why it cannot be said; empty: the values say it

  /// `x < 1ms does not hold: x is 1.2 ms`.
  [[nodiscard]] std::string sentence() const;
};

using Expectations = std::vector<sweep::Expression>;

/// Of one run, whose numbers are called `names`; of several the first is a, the next b and so on,
/// as in `b.network.timeouts <= a.network.timeouts`, and what names no run is asked of each.
/// Errors say where in an expression what is wrong.
[[nodiscard]] Result<Expectations> read_expectations(const std::vector<std::string>& expressions,
                                                     const std::vector<std::string>& names,
                                                     std::size_t runs);

[[nodiscard]] std::vector<Verdict> judge(const Expectations& expectations,
                                         const std::vector<MeasuredRun>& runs, bool counts_cut_off);

/// What folders that `weft run` wrote are expected to hold.
[[nodiscard]] Result<std::vector<Verdict>> judge_folders(
    const std::vector<std::string>& folders, const std::vector<std::string>& expressions,
    bool counts_cut_off);

[[nodiscard]] bool all_hold(const std::vector<Verdict>& verdicts);
[[nodiscard]] nlohmann::ordered_json verdicts_json(const std::vector<Verdict>& verdicts);

/// What does not hold, to standard error; what holds, to standard output unless `is_quiet`.
void print_verdicts(const std::vector<Verdict>& verdicts, bool is_quiet);

}  // namespace weft::cli
