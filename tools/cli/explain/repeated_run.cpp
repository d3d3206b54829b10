#include "tools/cli/explain/repeated_run.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "scenarios/results/results.hpp"
#include "scenarios/run/fluid_simulation.hpp"
#include "scenarios/run/simulation.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/fluid/flow_solver.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/progress.hpp"

namespace weft::cli {
namespace {

/// How a run ended, and who waits for whom.
std::string ending_of(const scenarios::Results& results) {
  using scenarios::Outcome;
  if (results.outcome == Outcome::kHorizon) {
    return fmt::format("it is cut off at {} (run.until)",
                       scenarios::format_time(results.simulated));
  }
  std::string text = scenarios::outcome_name(results.outcome);
  if (results.outcome == Outcome::kFinished) return {};
  text += " at " + scenarios::format_time(results.simulated);
  if (results.explanation.empty()) return text;
  std::string_view why = results.explanation.front();
  if (why.starts_with("deadlock: ")) why.remove_prefix(std::string_view("deadlock: ").size());
  return text + ": " + std::string(why);
}

RepeatedRun told_of(const scenarios::Results& results) {
  RepeatedRun run;
  run.why_unfinished = ending_of(results);
  run.is_interrupted = results.outcome == scenarios::Outcome::kInterrupted;
  run.totals = results.totals;
  std::map<std::uint32_t, Picoseconds> ends;
  for (const auto& i : results.collectives) ends[i.job] = std::max(ends[i.job], i.end);
  for (const auto& i : results.iterations) ends[i.job] = std::max(ends[i.job], i.end);
  for (std::uint32_t j = 0; j < results.jobs.size(); ++j) {
    const scenarios::JobResult& job = results.jobs[j];
    if (!job.is_finished) continue;
    // An open loop has no zero-load time: arrivals set its end.
    if (job.ideal == Picoseconds(0) && job.message_seconds) {
      run.times[job.name] = Picoseconds(std::llround(job.message_seconds->p99 * 1e12));
      continue;
    }
    run.times[job.name] = ends.contains(j) ? ends[j] - job.start : job.jct;
  }
  return run;
}

scenarios::ProgressObserver observer_of(const std::string& title, bool shows, const char* unit) {
  const auto progress = std::make_shared<ProgressLine>(shows, unit, "without " + title);
  return [progress](const scenarios::Progress& now) {
    progress->update(now);
    return !is_interrupted();
  };
}

/// Writes what the run was to `to`, and ends the process.
[[noreturn]] void run_copy(const scenarios::Experiment& experiment, const std::string& title,
                           bool shows_progress, int to) {
  RepeatedRun run;
  {
    const auto observer = observer_of(title, shows_progress, "messages");
    run = told_of(scenarios::simulate_fluid(experiment, observer));
  }
  nlohmann::json said{{"interrupted", run.is_interrupted},
                      {"times", nlohmann::json::object()},
                      {"why_unfinished", run.why_unfinished}};
  for (const auto& [job, time] : run.times) said["times"][job] = time.count();
  const std::string text = said.dump();
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t now = ::write(to, text.data() + written, text.size() - written);
    if (now < 0 && errno != EINTR) ::_exit(kUnfinished);
    written += now < 0 ? 0 : static_cast<std::size_t>(now);
  }
  ::_exit(kSuccess);
}

/// All that comes until the other end is closed.
std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> some{};
  for (;;) {
    const ssize_t size = ::read(from, some.data(), some.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(some.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace

RepeatedRun run_packets(const scenarios::Experiment& experiment, const std::string& title,
                        bool shows_progress) {
  return told_of(
      scenarios::simulate(experiment, observer_of(title, shows_progress, "packet-hops")));
}

Result<RepeatedRun> run_fluid(const scenarios::Experiment& experiment, const std::string& title,
                              bool shows_progress) {
  if (Errors missing = load_flow_solver(); !missing.empty()) return missing;
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return Error{"there is no pipe for the fluid engine", {}};
  std::fflush(nullptr);  // or the copy writes again what waits to be written
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    run_copy(experiment, title, shows_progress, ends[1]);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return Error{"there is no process for the fluid engine", {}};
  }
  const auto said = nlohmann::json::parse(read_all(ends[0]), nullptr, false);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!said.is_object()) {
    return Error{fmt::format("the fluid engine ended with status {}", status), {}};
  }
  RepeatedRun run;
  run.is_interrupted = said.at("interrupted").get<bool>();
  run.why_unfinished = said.at("why_unfinished").get<std::string>();
  for (const auto& [job, time] : said.at("times").items()) {
    run.times[job] = Picoseconds(time.get<std::int64_t>());
  }
  return run;
}

}  // namespace weft::cli
