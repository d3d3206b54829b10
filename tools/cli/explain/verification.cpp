#include "tools/cli/explain/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "scenarios/explain/counterfactual.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/progress.hpp"

namespace weft::cli {
namespace {

using scenarios::BlameEntry;

/// By job: what it took, and what each removable cause is blamed for.
struct Blamed {
  Picoseconds time;
  std::map<std::string, Picoseconds> causes;
};

std::map<std::string, Blamed> sum_by_job(const std::vector<BlameEntry>& blame) {
  std::map<std::string, Blamed> jobs;
  for (const BlameEntry& entry : blame) {
    Blamed& job = jobs[entry.job];
    job.time += entry.time;
    if (const auto removable = scenarios::removable_for(entry)) {
      job.causes[*removable] += entry.time;
    }
  }
  return jobs;
}

/// What can be taken out, by what it is blamed for in all jobs together, the worst first.
std::vector<std::string> worst_first(const std::map<std::string, Blamed>& jobs) {
  std::map<std::string, Picoseconds> sums;
  for (const auto& [name, job] : jobs) {
    for (const auto& [cause, time] : job.causes) sums[cause] += time;
  }
  std::vector<std::string> causes;
  causes.reserve(sums.size());
  for (const auto& [cause, time] : sums) causes.push_back(cause);
  std::ranges::stable_sort(
      causes, [&sums](const std::string& a, const std::string& b) { return sums[a] > sums[b]; });
  return causes;
}

/// What jobs took, by name: as blame counts, from their begin to the end of their last iteration.
std::map<std::string, Picoseconds> times_of(const scenarios::Results& results) {
  std::map<std::string, Picoseconds> times;
  std::map<std::uint32_t, Picoseconds> ends;
  for (const auto& i : results.collectives) ends[i.job] = std::max(ends[i.job], i.end);
  for (const auto& i : results.iterations) ends[i.job] = std::max(ends[i.job], i.end);
  for (std::uint32_t j = 0; j < results.jobs.size(); ++j) {
    const scenarios::JobResult& job = results.jobs[j];
    if (!job.is_finished) continue;
    times[job.name] = ends.contains(j) ? ends[j] - job.start : job.jct;
  }
  return times;
}

void print_saved(const std::string& cause, const std::string& job, const Blamed& blamed,
                 const std::optional<Picoseconds>& without) {
  const Picoseconds of_cause = blamed.causes.at(cause);
  if (!without) {
    print(fmt::format("  {}: does not end\n", escaped(job)));
    return;
  }
  const bool is_longer = *without > blamed.time;
  const Picoseconds change = is_longer ? *without - blamed.time : blamed.time - *without;
  print(fmt::format("  {}: {} instead of {}, {} {}; blamed for {}{}\n", escaped(job),
                    scenarios::format_time(*without), scenarios::format_time(blamed.time),
                    scenarios::format_time(change), is_longer ? "more" : "less",
                    scenarios::format_time(of_cause),
                    is_longer || 10 * change.count() < 9 * of_cause.count()
                        ? "; other paths are nearly as long, or others still in the way"
                        : ""));
}

/// The results without a cause; nothing if it was interrupted, or cannot be built.
std::optional<scenarios::Results> run_without(const std::string& file, const std::string& cause,
                                              const std::vector<std::string>& overrides) {
  const auto loaded = scenarios::load_scenario(file, overrides);
  if (!loaded) {
    print_errors(loaded.errors());
    return {};
  }
  auto experiment = scenarios::build_experiment(loaded.value().scenario);
  if (!experiment) {
    print_errors(loaded.value().located(experiment.errors()));
    return {};
  }
  experiment.value().scenario.observe.blame = false;
  const auto progress = std::make_shared<ProgressLine>(true, "packet-hops", "without " + cause);
  return scenarios::simulate(experiment.value(), [progress](const scenarios::Progress& now) {
    progress->update(now);
    return !is_interrupted();
  });
}

}  // namespace

int verify_blame(const std::string& folder, const std::vector<BlameEntry>& blame,
                 std::size_t most) {
  const std::string file = (std::filesystem::path(folder) / "resolved.yaml").string();
  const auto loaded = scenarios::load_scenario(file);
  if (!loaded) return refuse(loaded.errors(), kBadInput);
  const std::map<std::string, Blamed> jobs = sum_by_job(blame);
  stop_on_interrupt();
  std::size_t tried = 0;
  for (const std::string& cause : worst_first(jobs)) {
    if (tried == most || is_interrupted()) break;
    const auto overrides = scenarios::overrides_without(cause, loaded.value().scenario);
    if (!overrides) continue;  // the scenario has nothing of the kind
    ++tried;
    const auto results = run_without(file, cause, overrides.value());
    if (!results || results->outcome == scenarios::Outcome::kInterrupted) return kUnfinished;
    const std::map<std::string, Picoseconds> times = times_of(*results);
    print("without " + cause + ":\n");
    for (const auto& [name, job] : jobs) {
      if (!job.causes.contains(cause)) continue;
      const auto time = times.find(name);
      print_saved(cause, name, job,
                  time == times.end() ? std::nullopt : std::optional(time->second));
    }
  }
  if (tried == 0) print("nothing that is blamed can be taken out of the scenario\n");
  return is_interrupted() ? kUnfinished : kSuccess;
}

}  // namespace weft::cli
