#include "tools/cli/explain/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "scenarios/blame/explain/counterfactual.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
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

constexpr const char* kSlowLinks = "slow-links";

std::map<std::string, Blamed> sum_by_job(const std::vector<BlameEntry>& blame,
                                         const std::vector<scenarios::SlowLink>& slow_links) {
  std::map<std::string, Blamed> jobs;
  for (const BlameEntry& entry : blame) {
    Blamed& job = jobs[entry.job];
    job.time += entry.time;
    if (const auto removable = scenarios::removable_for(entry)) {
      job.causes[*removable] += entry.time;
    }
    // What waits for a slow link shows as a pause, as queueing or as congestion control.
    if (!slow_links.empty()) {
      const bool is_there = scenarios::slow_link_of(slow_links, entry) != nullptr;
      job.causes[kSlowLinks] += is_there ? entry.time : Picoseconds(0);
    }
  }
  return jobs;
}

/// What can be taken out, by what it is blamed for in all jobs together, the worst first, behind
/// slow links.
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
  std::ranges::stable_partition(causes, [](const std::string& c) { return c == kSlowLinks; });
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

/// What happened in a run that costs time, by name.
using Troubles = std::vector<std::pair<const char*, std::int64_t>>;

Troubles troubles_of(const protocols::NetworkTotals& t) {
  return {{"buffer drops", t.buffer_drops},
          {"retransmissions", static_cast<std::int64_t>(t.packets_retransmitted)},
          {"time-outs", static_cast<std::int64_t>(t.timeouts)},
          {"pauses", t.pauses},
          {"marks", t.ecn_marked}};
}

/// Those of the run in a folder; nothing where its summary.json has none.
Troubles troubles_of(const std::string& folder) {
  std::ifstream in(std::filesystem::path(folder) / "summary.json");
  const auto summary = nlohmann::json::parse(in, nullptr, false);
  const auto network = summary.is_object() ? summary.find("network") : summary.end();
  if (network == summary.end() || !network->is_object()) return {};
  Troubles troubles = troubles_of(protocols::NetworkTotals());
  constexpr std::array<const char*, 5> kFields{"buffer_drops", "packets_retransmitted", "timeouts",
                                               "pfc_pauses", "ecn_marked"};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    const auto field = network->find(kFields[i]);
    if (field == network->end() || !field->is_number_integer()) return {};
    troubles[i].second = field->get<std::int64_t>();
  }
  return troubles;
}

/// What there is more of in a run that takes longer: `422,107 retransmissions instead of 0`.
std::string why_longer(const Troubles& before, const Troubles& after) {
  std::string text;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (after[i].second <= before[i].second) continue;
    text += fmt::format("{}{} {} instead of {}", text.empty() ? "" : ", ",
                        scenarios::format_count(after[i].second), after[i].first,
                        scenarios::format_count(before[i].second));
  }
  return text.empty() ? "other paths are taken, or others are in the way" : text;
}

void print_saved(const std::string& cause, const std::string& job, const Blamed& blamed,
                 const std::optional<Picoseconds>& without, const std::string& why) {
  const Picoseconds of_cause = blamed.causes.at(cause);
  if (!without) {
    print(fmt::format("  {}: does not end\n", escaped(job)));
    return;
  }
  const bool is_longer = *without > blamed.time;
  const Picoseconds change = is_longer ? *without - blamed.time : blamed.time - *without;
  std::string remark;
  if (is_longer) {
    remark = "; " + why;
  } else if (change == Picoseconds(0)) {
    remark = "; it takes as long without: something else holds it up as much";
  } else if (10 * change.count() < 9 * of_cause.count()) {
    remark = "; other paths are nearly as long, or others still in the way";
  }
  print(fmt::format("  {}: {} instead of {}, {} {}; blamed for {}{}\n", escaped(job),
                    scenarios::format_time(*without), scenarios::format_time(blamed.time),
                    scenarios::format_time(change), is_longer ? "more" : "less",
                    scenarios::format_time(of_cause), remark));
}

/// The scenario of a run without a cause. Error: it cannot be taken out, and why.
Result<scenarios::Experiment> experiment_without(const std::string& file, const std::string& cause,
                                                 const scenarios::LoadedScenario& source) {
  const auto overrides = scenarios::overrides_without(cause, source);
  if (!overrides) return overrides.errors();
  auto loaded = scenarios::load_scenario(file, overrides.value());
  if (!loaded) return loaded.errors();
  if (scenarios::has_removable(cause, loaded.value())) {
    return Error{"overrides do not reach all of it", {}};
  }
  auto experiment = scenarios::build_experiment(loaded.value().scenario);
  if (experiment) experiment.value().scenario.observe.blame = false;
  return experiment;
}

scenarios::Results run_without(const std::string& cause, const scenarios::Experiment& experiment) {
  const auto progress = std::make_shared<ProgressLine>(true, "packet-hops", "without " + cause);
  return scenarios::simulate(experiment, [progress](const scenarios::Progress& now) {
    progress->update(now);
    return !is_interrupted();
  });
}

}  // namespace

int verify_blame(const std::string& folder, const std::vector<BlameEntry>& blame,
                 const std::vector<scenarios::SlowLink>& slow_links, std::size_t max) {
  const std::string file = (std::filesystem::path(folder) / "resolved.yaml").string();
  const auto loaded = scenarios::load_scenario(file);
  if (!loaded) return refuse(loaded.errors(), kBadInput);
  const std::map<std::string, Blamed> jobs = sum_by_job(blame, slow_links);
  const Troubles before = troubles_of(folder);
  stop_on_interrupt();
  std::size_t tried = 0;
  for (const std::string& cause : worst_first(jobs)) {
    if (tried == max + (slow_links.empty() ? 0 : 1) || is_interrupted()) break;
    if (!scenarios::has_removable(cause, loaded.value())) continue;
    ++tried;
    const auto experiment = experiment_without(file, cause, loaded.value());
    if (!experiment) {
      print(fmt::format("without {}: cannot be tried: {}\n", cause,
                        escaped(experiment.errors().front().message)));
      continue;
    }
    const scenarios::Results results = run_without(cause, experiment.value());
    if (results.outcome == scenarios::Outcome::kInterrupted) return kUnfinished;
    const std::map<std::string, Picoseconds> times = times_of(results);
    const std::string why = why_longer(before, troubles_of(results.totals));
    print("without " + cause + ":\n");
    for (const auto& [name, job] : jobs) {
      if (!job.causes.contains(cause)) continue;
      const auto time = times.find(name);
      print_saved(cause, name, job,
                  time == times.end() ? std::nullopt : std::optional(time->second), why);
    }
  }
  if (tried == 0) print("nothing that is blamed can be taken out of the scenario\n");
  return is_interrupted() ? kUnfinished : kSuccess;
}

}  // namespace weft::cli
