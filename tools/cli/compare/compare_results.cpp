#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/compare/comparison.hpp"
#include "scenarios/text/json_text.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/expect/expectations.hpp"
#include "tools/cli/output.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

/// What folders are expected to hold.
Result<std::vector<Verdict>> judge_folders(const std::vector<std::string>& folders,
                                           const ExpectArguments& expect) {
  if (expect.expressions.empty()) return std::vector<Verdict>();
  std::vector<MeasuredRun> runs;
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    auto run = measured_run(std::filesystem::path(folder));
    if (!run) return run.errors();
    for (const auto& [name, value] : run.value().numbers) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    runs.push_back(std::move(run).value());
  }
  const auto expectations = read_expectations(expect.expressions, names, runs.size());
  if (!expectations) return expectations.errors();
  return judge(expectations.value(), runs, expect.counts_cut_off);
}

}  // namespace

int compare_results(const std::vector<std::string>& folders, bool print_json,
                    const ExpectArguments& expect) {
  std::vector<scenarios::ComparedRun> runs;
  bool is_readable = true;
  for (const std::string& folder : folders) {
    auto run = scenarios::read_compared_run(folder);
    if (run) {
      runs.push_back(std::move(run).value());
    } else {
      print_errors(run.errors());
      is_readable = false;
    }
  }
  if (!is_readable) return kBadInput;
  const auto verdicts = judge_folders(folders, expect);
  if (!verdicts) return refuse(verdicts.errors());
  const scenarios::Comparison comparison = scenarios::compare_runs(runs);
  if (print_json) {
    nlohmann::ordered_json compared = scenarios::comparison_json(runs, comparison);
    if (!verdicts.value().empty()) compared["expectations"] = verdicts_json(verdicts.value());
    print(scenarios::json_text(compared) + "\n");
  } else {
    print(scenarios::comparison_text(runs, comparison));
  }
  std::fflush(stdout);
  print_verdicts(verdicts.value(), print_json);
  return all_hold(verdicts.value()) ? kSuccess : kUnfinished;
}

}  // namespace weft::cli
