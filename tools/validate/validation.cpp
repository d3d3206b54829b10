#include "tools/validate/validation.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "simcore/base/digest.hpp"

namespace weft::validate {
namespace {

/// A run, and the rows that look at it.
struct Job {
  const Case* of = nullptr;
  std::vector<std::string> changes;
  std::vector<std::size_t> verdicts{};  ///< their places
  std::string digest{};                 ///< when it has run
};

/// The number of a column that a row asks for.
std::optional<double> number_of(const Row& row, const api::Table& table,
                                const api::Column& column) {
  const auto at = [&column](std::size_t i) {
    return column.type == api::ColumnType::kNumber ? column.numbers[i]
                                                   : static_cast<double>(column.integers[i]);
  };
  const api::Column* const jobs = table.column("job");
  double sum = 0;
  std::size_t count = 0;
  std::optional<double> found;
  for (std::size_t i = 0; i < table.rows; ++i) {
    if (!row.job.empty() && (jobs == nullptr || jobs->text(i) != row.job)) continue;
    if (column.is_missing(i)) return {};  // what did not end has no time
    const double value = at(i);
    sum += value;
    ++count;
    if (!found || (row.of == Row::Of::kMin ? value < *found : value > *found)) found = value;
  }
  if (row.of == Row::Of::kMean && count > 0) return sum / static_cast<double>(count);
  return found;
}

void judge(Verdict& verdict, const api::Results& results) {
  const Row& row = *verdict.row;
  const api::Table* const table = results.table(row.table);
  const api::Column* const column = table == nullptr ? nullptr : table->column(row.column);
  const bool is_number = column != nullptr && column->type != api::ColumnType::kText &&
                         column->type != api::ColumnType::kFlag;
  const auto number = is_number ? number_of(row, *table, *column) : std::nullopt;
  if (!number) {
    verdict.failure =
        "the run, which is " + results.outcome() + ", has no " + row.table + "." + row.column;
    return;
  }
  verdict.simulated = *number;
  verdict.unit = column->unit;
  verdict.error = verdict.simulated / row.expected - 1;
  verdict.holds = row.tolerance > 0 ? std::abs(verdict.error) <= row.tolerance
                                    : verdict.simulated == row.expected;
}

void run(Job& job, std::vector<Verdict>& verdicts) {
  const auto fail = [&](const api::Errors& errors) {
    for (const std::size_t place : job.verdicts) {
      verdicts[place].failure = errors.front().to_string();
    }
  };
  const auto scenario = scenario_of(*job.of, job.changes);
  if (!scenario) return fail(scenario.errors());
  const auto results = scenario.value().run({.threads = 1});
  if (!results) return fail(results.errors());
  for (const std::size_t place : job.verdicts) judge(verdicts[place], results.value());
  job.digest = results.value().digest();
}

}  // namespace

bool Validation::is_good() const { return std::ranges::none_of(verdicts, &Verdict::is_red); }

Validation validate(const std::vector<Case>& suite, const Options& options) {
  Validation all;
  std::vector<Job> jobs;
  std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> known;
  for (const Case& one : suite) {
    for (const Row& row : one.rows) {
      if (row.is_full && !options.is_full) continue;
      std::vector<std::string> changes = row.changes;
      changes.insert(changes.end(), options.changes.begin(), options.changes.end());
      // Rows of one scenario share its run; those of a shipped file even between cases.
      std::vector<std::string> key = one.changes;
      key.insert(key.end(), changes.begin(), changes.end());
      const auto [at, is_new] =
          known.try_emplace({one.file.empty() ? one.name : one.file, key}, jobs.size());
      if (is_new) jobs.push_back({.of = &one, .changes = std::move(changes)});
      jobs[at->second].verdicts.push_back(all.verdicts.size());
      all.verdicts.push_back({.of = &one, .row = &row});
    }
  }
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::atomic<bool> is_stopped{false};
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size() && !is_stopped; i = next++) {
      run(jobs[i], all.verdicts);
      const std::lock_guard lock(mutex);
      if (options.progress && !options.progress(++done, jobs.size())) is_stopped = true;
    }
  };
  const std::uint32_t cores = std::max(std::thread::hardware_concurrency(), 1U);
  {
    std::vector<std::jthread> others;
    for (std::uint32_t i = 1; i < (options.workers == 0 ? cores : options.workers); ++i) {
      others.emplace_back(work);
    }
    work();
  }
  if (is_stopped) {
    std::erase_if(all.verdicts,
                  [](const Verdict& v) { return v.unit.empty() && v.failure.empty(); });
  }
  Digest digest;
  for (const Job& job : jobs) digest.add_text(job.digest);
  all.digest = digest.hex();
  all.runs = jobs.size();
  return all;
}

}  // namespace weft::validate
