#include "tools/cli/run/next_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "scenarios/results/tables/jobs_table.hpp"
#include "simcore/base/escape.hpp"
#include "tools/io/output_file.hpp"
#include "tools/io/result_name.hpp"

namespace weft::cli {
namespace {

/// From then on it is worth a second run to find out why.
constexpr double kSlow = 1.2;

/// Over its zero-load time at nominal rates, where slow links are in the other one.
double slowdown_of(const scenarios::JobResult& job) {
  if (!job.is_finished || job.ideal <= Picoseconds(0)) return 0;
  return to_seconds(job.jct) / to_seconds(job.nominal_ideal.value_or(job.ideal));
}

std::string report_line(std::vector<std::string> folders) {
  folders.insert(folders.begin(), {"weft", "report"});
  return fmt::format("  next: `{}` shows them as a page\n", escaped(shell_text(folders)));
}

}  // namespace

std::string next_step(const scenarios::Results& results, const std::filesystem::path& folder,
                      const std::vector<scenarios::LateRanks>& late,
                      const RunArguments& arguments) {
  if (results.has_blame) return {};
  const auto slowest = std::ranges::max_element(results.jobs, {}, slowdown_of);
  const bool can_run_again = !is_dash(arguments.scenario) && !arguments.command_line.empty();
  const bool is_slow = slowest != results.jobs.end() && slowdown_of(*slowest) >= kSlow;
  if ((!is_slow && late.empty()) || !can_run_again) return report_line({folder.string()});
  std::vector<std::string> again = arguments.command_line;
  again.emplace_back("--blame");
  if (!is_slow) {
    return fmt::format("  next: `{}` says what {} waits for\n", escaped(shell_text(again)),
                       escaped(late.front().job));
  }
  return fmt::format("  next: `{}` says why {} took {:.1f} times its ideal time{}\n",
                     escaped(shell_text(again)), escaped(slowest->name), slowdown_of(*slowest),
                     slowest->nominal_ideal ? " at nominal rates" : "");
}

std::string next_step(const std::filesystem::path& packet, const std::filesystem::path& fluid) {
  return report_line({packet.string(), fluid.string()});
}

}  // namespace weft::cli
