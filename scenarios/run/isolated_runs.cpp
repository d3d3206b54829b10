#include "scenarios/run/isolated_runs.hpp"

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

IsolatedResult::Times times_of(const Results& results, std::uint32_t number) {
  const JobResult& job = results.jobs[number];
  IsolatedResult::Times times;
  if (job.is_finished) times.completion = job.jct;
  times.iteration = mean_of_job(results.iterations, number);
  if (!times.iteration) times.iteration = mean_of_job(results.collectives, number);
  if (job.message_seconds) times.message_p99_seconds = job.message_seconds->p99;
  return times;
}

}  // namespace

void run_isolated(Experiment& e, const protocols::Parallelism& parallelism,
                  const ObserverOfJob& observer_of, Results& results) {
  for (std::uint32_t j = 0; j < e.scenario.jobs.size(); ++j) {
    if (results.outcome == Outcome::kInterrupted) break;
    if (!results.jobs[j].has_begun) continue;
    IsolatedResult isolated{.job = j, .shared = times_of(results, j), .alone = {}};
    if (e.scenario.jobs.size() == 1) {
      isolated.alone = isolated.shared;
    } else {
      e.lone_job = collectives::LoneJob{.job = j, .begin = results.jobs[j].start};
      const Results alone = simulate(e, observer_of(j), nullptr, parallelism);
      isolated.alone = times_of(alone, j);
      if (alone.outcome == Outcome::kInterrupted) {
        results.outcome = Outcome::kInterrupted;
        break;
      }
      if (alone.outcome != Outcome::kFinished) {
        results.warnings.push_back(fmt::format("job {} alone did not finish: {}",
                                               results.jobs[j].name, outcome_name(alone.outcome)));
      }
    }
    results.isolated.push_back(isolated);
  }
  e.lone_job.reset();
}

}  // namespace weft::scenarios
