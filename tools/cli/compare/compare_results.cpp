#include <cstdio>
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
  const auto verdicts = judge_folders(folders, expect.expressions, expect.counts_cut_off);
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
