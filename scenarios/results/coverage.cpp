#include "scenarios/results/coverage.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "scenarios/results/results.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

constexpr std::string_view kFinishedRun = "finished";

std::uint64_t whole_number(const std::optional<double>& number) {
  return number && *number > 0 ? static_cast<std::uint64_t>(std::llround(*number)) : 0;
}

/// `jobs.NAME` of `sizes.NAME.3` or `isolated.NAME`.
std::string job_of(std::string_view row, std::string_view list, bool has_number) {
  row.remove_prefix(list.size());
  if (has_number) row = row.substr(0, row.rfind('.'));
  return "jobs." + std::string(row);
}

class CoverageFinder {
 public:
  CoverageFinder(std::string_view outcome, const NumberAt& number_at)
      : is_cut_(outcome != kFinishedRun), number_at_(number_at) {}

  [[nodiscard]] std::optional<Coverage> of_run() const {
    return counted("messages.completed", "messages.count", is_cut_);
  }

  /// Of the messages of a row, and whether its job was cut.
  [[nodiscard]] std::optional<Coverage> of_row(const std::string& row) const {
    if (row == "messages") return of_run();
    if (row.starts_with("jobs.")) {
      return counted(row + ".completed_messages", row + ".messages", is_job_cut(row));
    }
    constexpr std::string_view kSizes = "sizes.";
    if (!row.starts_with(kSizes)) return {};
    return counted(row + ".completed", row + ".messages", is_job_cut(job_of(row, kSizes, true)));
  }

  [[nodiscard]] std::optional<Coverage> of_steps(const std::string& row) const {
    Coverage coverage{.of = Coverage::Of::kIterations};
    coverage.completed = whole_number(number_at_(row + ".iterations"));
    coverage.is_cut = is_job_cut(job_of(row, "training.", false));
    return coverage;
  }

  /// Of what a job has beside the others, or of that over what it has alone (`isolated`).
  [[nodiscard]] std::optional<Coverage> of_isolated(const std::string& row,
                                                    std::string_view which) const {
    const auto shared = of_row(job_of(row, "isolated.", false));
    return which == "isolated" ? std::nullopt : shared;
  }

 private:
  [[nodiscard]] bool is_job_cut(const std::string& job) const {
    return is_cut_ && !number_at_(job + ".jct_seconds");
  }

  [[nodiscard]] std::optional<Coverage> counted(const std::string& completed,
                                                const std::string& count, bool is_cut) const {
    const auto all = number_at_(count);
    if (!all && !is_cut) return {};
    return Coverage{.completed = whole_number(number_at_(completed)),
                    .count = whole_number(all),
                    .is_cut = is_cut};
  }

  bool is_cut_;
  const NumberAt& number_at_;
};

/// `row` of `row.quantity.percentile`; empty: the path does not end so.
std::string row_before(std::string_view path, std::string_view quantity) {
  const std::size_t last = path.rfind('.');
  if (last == std::string_view::npos) return {};
  const std::string_view rest = path.substr(0, last);
  if (!rest.ends_with(quantity) || rest.size() <= quantity.size()) return {};
  const std::size_t end = rest.size() - quantity.size() - 1;
  return rest[end] == '.' ? std::string(rest.substr(0, end)) : std::string();
}

}  // namespace

std::string Coverage::text() const {
  const auto number = [](std::uint64_t n) { return format_count(static_cast<std::int64_t>(n)); };
  const char* what = of == Of::kMessages ? "messages" : "iterations";
  if (count == 0) return fmt::format("of {} {}, cut off", number(completed), what);
  return fmt::format("of {} of {} {}", number(completed), number(count), what);
}

Coverage& Coverage::operator+=(const Coverage& other) {
  completed += other.completed;
  count += other.count;
  is_cut = is_cut || other.is_cut;
  return *this;
}

Coverage coverage_of(const Results& r) {
  return {.completed = r.messages.completed(),
          .count = r.messages.count(),
          .is_cut = r.outcome != Outcome::kFinished};
}

Coverage coverage_of(const JobResult& job) {
  return {.completed = job.messages.completed(),
          .count = job.messages.count(),
          .is_cut = !job.is_finished};
}

Coverage coverage_of(const SizeRow& row) {
  return {
      .completed = row.size.completed, .count = row.size.messages, .is_cut = !row.job.is_finished};
}

Coverage coverage_of(const TrainingRow& row) {
  return {.completed = row.training.iterations,
          .is_cut = !row.job.is_finished,
          .of = Coverage::Of::kIterations};
}

std::optional<std::string> cut_off_text(const std::optional<Coverage>& coverage) {
  if (!coverage || !coverage->is_partial()) return {};
  return coverage->text();
}

std::string with_coverage(std::string name, const std::optional<Coverage>& coverage) {
  const auto text = cut_off_text(coverage);
  return text ? std::move(name) + ", " + *text : std::move(name);
}

std::optional<Coverage> coverage_at(std::string_view path, std::string_view outcome,
                                    const NumberAt& number_at) {
  const CoverageFinder find(outcome, number_at);
  if (path.ends_with(".mean")) return {};
  // The end of a run that was cut off is the limit's.
  const bool is_of_run = path == "simulated_seconds" || path.starts_with("packet_latency_seconds.");
  if (is_of_run) return find.of_run();
  if (path.starts_with("isolated.")) {
    constexpr std::string_view kSlowdown = ".fct_p99_slowdown";
    if (path.ends_with(kSlowdown)) {
      return find.of_isolated(std::string(path.substr(0, path.size() - kSlowdown.size())), "");
    }
    const std::string row = row_before(path, "fct_p99_seconds");
    if (row.empty()) return {};
    return find.of_isolated(row, path.substr(path.rfind('.') + 1));
  }
  if (const std::string row = row_before(path, "step_seconds"); row.starts_with("training.")) {
    return find.of_steps(row);
  }
  for (const std::string_view quantity : {"fct_seconds", "slowdown"}) {
    if (const std::string row = row_before(path, quantity); !row.empty()) return find.of_row(row);
  }
  return {};
}

}  // namespace weft::scenarios
