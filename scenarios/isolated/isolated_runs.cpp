#include "scenarios/isolated/isolated_runs.hpp"

#include <fmt/format.h>

#include <optional>

namespace weft::scenarios {
namespace {

template <class Iterations>
std::optional<Picoseconds> mean_of_job(const Iterations& iterations, std::uint32_t job) {
  Picoseconds sum;
  std::int64_t count = 0;
  for (const auto& iteration : iterations) {
    if (iteration.job != job) continue;
    sum += iteration.end - iteration.start;
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(sum / count);
}

/// Why a job has no times alone, or not all of them; empty: it has.
std::string shortcoming_of(const LoneRun& run) {
  if (!run.failure.empty()) return run.failure;
  return run.outcome == Outcome::kFinished ? std::string() : outcome_name(run.outcome);
}

}  // namespace

IsolatedResult::Times times_of(const Results& results, std::uint32_t number) {
  const JobResult& job = results.jobs[number];
  IsolatedResult::Times times;
  if (job.is_finished) times.completion = job.jct;
  times.iteration = mean_of_job(results.iterations, number);
  if (!times.iteration) times.iteration = mean_of_job(results.collectives, number);
  if (job.message_seconds) times.message_p99_seconds = job.message_seconds->p99;
  return times;
}

void run_isolated(const RunAlone& run_alone, Results& results) {
  for (std::uint32_t j = 0; j < results.jobs.size(); ++j) {
    if (results.outcome == Outcome::kInterrupted) break;
    if (!results.jobs[j].has_begun) continue;
    IsolatedResult isolated{.job = j, .shared = times_of(results, j), .alone = {}};
    if (results.jobs.size() == 1) {
      isolated.alone = isolated.shared;
    } else {
      const LoneRun alone = run_alone({.job = j, .begin = results.jobs[j].start});
      isolated.alone = alone.times;
      if (alone.outcome == Outcome::kInterrupted) {
        results.outcome = Outcome::kInterrupted;
        break;
      }
      if (const std::string why = shortcoming_of(alone); !why.empty()) {
        results.warnings.push_back(
            fmt::format("job {} alone did not finish: {}", results.jobs[j].name, why));
      }
    }
    results.isolated.push_back(isolated);
  }
}

void run_isolated(const Experiment& e, const protocols::Parallelism& parallelism,
                  const ObserverOfJob& observer_of, Results& results) {
  run_isolated(
      [&](const collectives::LoneJob& lone) -> LoneRun {
        const Results alone =
            simulate(e, observer_of(lone.job), nullptr, parallelism, {}, {.lone_job = lone});
        return {.outcome = alone.outcome, .times = times_of(alone, lone.job)};
      },
      results);
}

}  // namespace weft::scenarios
