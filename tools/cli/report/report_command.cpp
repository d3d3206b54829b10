#include "tools/cli/report/report_command.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "scenarios/text/text_file.hpp"
#include "tools/cli/expect/expectations.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"
#include "tools/io/output_file.hpp"
#include "tools/report/page.hpp"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultFile = "report.html";
constexpr const char* kReportHelp =
    "\nExamples:\n"
    "  weft run scenarios/straggler.yaml --blame && weft report results/straggler\n"
    "  weft report results/before results/after -o difference.html\n"
    "  weft report results/before results/after --expect 'b.jobs.incast.jct <= a.jobs.incast.jct'\n"
    "  weft report results/dcqcn-ecn -o sweep.html\n"
    "\nThe page needs no network and no other file. It shows the more the run recorded: "
    "`--blame`,\n"
    "`--set observe.timeline=json`, `observe.queues`, `observe.pauses`, `observe.rates`.\n"
    "\nExit codes: 0 done, 1 the page could not be written, 2 no results, or a bad command line; "
    "what is\nexpected and does not hold stands on the page, and is `weft compare`'s to fail by.\n";

/// A file of the default name that is no page of ours stays as it is.
bool is_free(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(file, ignored))) return true;
  if (!fs::is_regular_file(file, ignored)) return false;
  if (fs::file_size(file, ignored) == 0) return true;
  scenarios::LineReader in(file);
  return in.next() && in.line() == report::kFirstLine;
}

}  // namespace

ReportCommand::ReportCommand(CLI::App& app) {
  report_ = app.add_subcommand(
      "report", "results as one HTML page: of a run, of several beside each other, of a sweep");
  report_->footer(kReportHelp);
  report_->add_option("folders", folders_, "folders that `weft run` wrote, or one of `weft sweep`")
      ->type_name(kFolder)
      ->required();
  report_->add_option("-o,--out,--output", output_, "file to write (default: report.html)")
      ->type_name(kFile);
  add_expectations(*report_, expect_.expressions, expect_.counts_cut_off);
}

std::optional<int> ReportCommand::run() {
  if (!report_->parsed()) return std::nullopt;
  const std::string file = output_.empty() ? kDefaultFile : output_;
  if (output_.empty() && !is_free(file)) {
    complain(file + ": is there and no page of `weft report`; say by -o what to write");
    return kBadInput;
  }
  const std::vector<fs::path> folders(folders_.begin(), folders_.end());
  const auto verdicts = judge_folders(folders_, expect_.expressions, expect_.counts_cut_off);
  if (!verdicts) return refuse(verdicts.errors());
  const auto data = report::page_data(folders, verdicts_json(verdicts.value()));
  if (!data) return refuse(data.errors());
  auto out = OutputFile::open(file);
  if (!out) return refuse(out.errors(), kUnfinished);
  const std::string name = fs::path(folders_.front()).lexically_normal().string();
  report::write_page(out.value().stream(), "weft report: " + name, data.value());
  if (const Errors errors = out.value().commit(); !errors.empty()) {
    return refuse(errors, kUnfinished);
  }
  if (!is_dash(file)) print("  report in " + file + "\n");
  return kSuccess;
}

}  // namespace weft::cli
