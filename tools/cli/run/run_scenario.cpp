#include "tools/cli/commands.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/blame/counterfactual/late_ranks.hpp"
#include "scenarios/blame/explain/explanation.hpp"
#include "scenarios/blame/explain/run_facts.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/checks/forecast.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/output/result_writer.hpp"
#include "scenarios/output/run_files.hpp"
#include "scenarios/output/summary.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/run/fluid_simulation.hpp"
#include "scenarios/run/simulation.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/text/json_text.hpp"
#include "simcore/base/digest.hpp"
#include "simcore/base/escape.hpp"
#include "simcore/base/log.hpp"
#include "simcore/fluid/flow_solver.hpp"
#include "tools/cli/expect/expectations.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/run/follower.hpp"
#include "tools/cli/run/isolated.hpp"
#include "tools/cli/run/load.hpp"
#include "tools/cli/run/next_step.hpp"
#include "tools/cli/run/run_place.hpp"
#include "tools/io/terminal.hpp"
#include "tools/sweep/language/metrics.hpp"

namespace weft::cli {
namespace {

/// Seconds in which nobody asks which engine is the faster one.
constexpr double kSoon = 5;

/// Whether a run of the packet engine fits into memory; says so if not. With a limit, it cannot
/// take more.
bool fits_memory(const scenarios::Forecast& f, const std::optional<std::int64_t>& limit) {
  log_info("about " + scenarios::forecast_text(f));
  const std::string excess = scenarios::memory_excess(f, limit, "--memory-limit");
  if (!excess.empty()) {
    complain(excess);
    return false;
  }
  if (limit) {
    const rlimit both{static_cast<rlim_t>(*limit), static_cast<rlim_t>(*limit)};
    ::setrlimit(RLIMIT_DATA, &both);
  }
  return true;
}

scenarios::Results simulate(const Loaded& loaded, Engine engine, const RunArguments& arguments,
                            scenarios::RunFiles& files, Follower& follower) {
  const auto observer = [&follower](const scenarios::Progress& now) { return follower.poll(now); };
  const scenarios::MessageSink sink = follower.sink(files);
  scenarios::Results results =
      engine == Engine::kFluid
          ? scenarios::simulate_fluid(loaded.experiment, observer, sink, files.timeline())
          : scenarios::simulate(loaded.experiment, observer, &files, {.threads = arguments.threads},
                                sink);
  follower.end(results);
  scenarios::complete(results, loaded, loaded.invocation, WEFT_VERSION);
  return results;
}

/// `verdicts` are no part of summary.json, and have a file of their own: what is expected is not
/// the run's.
void print_results(const scenarios::Results& results, const std::vector<Verdict>& verdicts,
                   const RunArguments& arguments) {
  if (arguments.print_json) {
    nlohmann::ordered_json summary = scenarios::summary_json(results);
    if (!verdicts.empty()) summary["expectations"] = verdicts_json(verdicts);
    print(scenarios::json_text(summary) + "\n");
  } else if (!arguments.is_quiet) {
    print(scenarios::summary_text(results));
  }
  std::fflush(stdout);
  // Who waited for whom when somebody stopped the run says nothing.
  if (results.outcome == scenarios::Outcome::kInterrupted) return;
  for (const std::string& sentence : results.explanation) complain(escaped(sentence));
}

/// How a run ended that did not finish.
std::string ending_of(const scenarios::Results& results) {
  if (results.outcome != scenarios::Outcome::kInterrupted) {
    return fmt::format("the run did not finish: {}", scenarios::outcome_name(results.outcome));
  }
  return fmt::format("interrupted at {} of simulated time: results are those so far",
                     scenarios::format_time(results.simulated));
}

/// What `ideal JCT` has in it that an empty network of healthy ranks and links would not.
void print_hidden_causes(const std::vector<scenarios::LateRanks>& all,
                         const scenarios::Results& results) {
  for (const scenarios::LateRanks& late : all) {
    print(fmt::format("  ideal JCT of {} has {} in it; `--without stragglers` runs without\n",
                      escaped(late.job), escaped(late.text)));
  }
  for (const scenarios::JobResult& job : results.jobs) {
    if (!job.nominal_ideal) continue;
    const std::string times =
        job.is_finished ? fmt::format(", JCT/ideal {:.3f}",
                                      to_seconds(job.jct) / to_seconds(*job.nominal_ideal))
                        : std::string();
    print(fmt::format(
        "  ideal JCT of {} has slow links in it: at nominal rates it is {}{}; `--without "
        "slow-links` runs without\n",
        escaped(job.name), scenarios::format_time(*job.nominal_ideal), times));
  }
}

/// The worst of what is to blame for the time of each job.
void print_blame(const std::filesystem::path& folder, const scenarios::Results& results,
                 const scenarios::LoadedScenario& source) {
  constexpr std::size_t kLines = 6;
  const auto blame = scenarios::read_blame(folder);
  if (!blame) return;
  scenarios::RunFacts facts = scenarios::facts_of(source);
  scenarios::add_outcome(scenarios::summary_json(results), facts);
  print(fmt::format("\n{}{}  more: `weft explain {}`\n",
                    scenarios::explanation_text(blame.value(), kLines, facts),
                    scenarios::repairs_text(blame.value(), facts), folder.string()));
}

/// Says where the results are, what they replace, and what is not there. `out` is where they should
/// be; `replaced` says what was there.
void print_place(const scenarios::Results& results, const std::filesystem::path& written,
                 const std::filesystem::path& out, const std::string& replaced,
                 const scenarios::LoadedScenario& source,
                 const std::vector<scenarios::LateRanks>& late, const RunArguments& arguments) {
  const bool is_replaced = written == out && !replaced.empty();
  if (is_replaced && arguments.print_json && !arguments.is_quiet) {
    complain(fmt::format("{}: the results of {} are replaced", out.string(), replaced));
  }
  if (!arguments.is_quiet && !arguments.print_json) {
    if (!results.has_blame) print_hidden_causes(late, results);
    print(fmt::format("  results in {}\n", written.string()));
    if (is_replaced) print(fmt::format("  where they replace those of {}\n", escaped(replaced)));
    for (const char* trace : {"timeline.perfetto-trace", "timeline.json"}) {
      if (!std::filesystem::exists(written / trace)) continue;
      print(fmt::format("  what ranks did when: {} (ui.perfetto.dev shows it)\n",
                        (written / trace).string()));
    }
    if (!results.lists_messages) {
      print(
          fmt::format("  without messages.csv: its rows would be more than {} "
                      "(`--set observe.messages=true` writes them, packed)\n",
                      scenarios::format_count(scenarios::kMessagesListed)));
    }
    if (results.has_blame) print_blame(written, results, source);
  }
  if (written == out) return;
  complain(fmt::format(
      "interrupted: {} keeps the results that it had; those of this run so far are in {}",
      out.string(), written.string()));
}

std::vector<Verdict> verdicts_of(const Loaded& loaded, const scenarios::Results& results,
                                 const std::filesystem::path& out, const RunArguments& arguments) {
  if (loaded.expectations.empty()) return {};
  return judge(loaded.expectations, {measured_run(results, out.string())},
               arguments.expect.counts_cut_off);
}

/// Runs one engine, writes and prints. Returns the exit code.
int run_engine(Loaded& loaded, Engine engine, const std::filesystem::path& out,
               const RunArguments& arguments) {
  std::optional<IsolatedRuns> isolated;
  if (arguments.is_isolated) isolated.emplace(arguments, loaded.experiment, engine);
  // Before the run: what cannot be written should not take an hour to say so.
  auto created = scenarios::RunFiles::create(
      loaded.experiment, out, scenarios::kinds_of_files(loaded, engine == Engine::kPacket));
  if (!created) return refuse(created.errors(), kUnfinished);
  scenarios::RunFiles& files = *created.value();
  std::optional<Follower> follower;
  follower.emplace(arguments, loaded.experiment, engine);
  scenarios::Results results = simulate(loaded, engine, arguments, files, *follower);
  log_info(fmt::format("{} logical processes, {} threads, lookahead {}, {} events",
                       results.logical_processes, results.threads,
                       scenarios::format_time(results.lookahead), results.totals.events));
  if (isolated) {
    follower.reset();
    isolated->run(results);
  }
  const std::string replaced = describe_results_in(out);
  const std::vector<Verdict> verdicts = verdicts_of(loaded, results, out, arguments);
  if (follower) follower->enter("writing the results");
  // Before anything is printed, since nobody may be there to read it: `weft run ... | head -1`.
  const auto written = scenarios::write_results(
      results, loaded.source.resolved_yaml(WEFT_VERSION), out,
      {.pauses = loaded.experiment.scenario.observe.pauses,
       .expectations = verdicts.empty() ? "" : scenarios::json_text(verdicts_json(verdicts)) + "\n",
       .files = &files,
       .continues = [&out, said = false]() mutable {
         if (!std::exchange(said, true)) {
           complain(out.string() + " is locked by another program; waiting for it");
         }
         return !is_interrupted();
       }});
  follower.reset();
  print_results(results, verdicts, arguments);
  if (!written) return refuse(written.errors(), kUnfinished);
  const std::vector<scenarios::LateRanks> late = scenarios::late_ranks(loaded.source);
  print_place(results, written.value(), out, replaced, loaded.source, late, arguments);
  const bool says_next = !arguments.is_quiet && !arguments.print_json &&
                         arguments.engine != Engine::kBoth &&
                         results.outcome != scenarios::Outcome::kInterrupted;
  if (says_next) print(next_step(results, written.value(), late, arguments));
  print_verdicts(verdicts, arguments.is_quiet || arguments.print_json);
  if (scenarios::is_success(results.outcome)) return all_hold(verdicts) ? kSuccess : kUnfinished;
  complain(ending_of(results));
  return kUnfinished;
}

/// Waits for a process that runs beside this one, and ends it if this one is to end: a signal may
/// have reached only one of them. Returns its status.
int wait_until_over(pid_t child) {
  constexpr std::chrono::milliseconds kBetween{20};
  bool is_told = false;
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return status;
    if (is_interrupted() && !std::exchange(is_told, true)) ::kill(child, SIGTERM);
    std::this_thread::sleep_for(kBetween);
  }
}

/// Runs the fluid engine in a process of its own (SimGrid has one clock per process) beside the
/// packet engine, and compares what they wrote.
int run_both(Loaded& loaded, const RunPlace& place, const RunArguments& arguments) {
  RunArguments silent = arguments;
  silent.print_json = false;
  silent.is_quiet = true;
  silent.is_live = false;
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) {
    complain("cannot start a process for the fluid engine");
    return kUnfinished;
  }
  if (child == 0) {
    const int code = run_engine(loaded, Engine::kFluid, place.fluid, silent);
    std::fflush(nullptr);
    ::_exit(code);
  }
  const int packet = run_engine(loaded, Engine::kPacket, place.packet, arguments);
  const int status = wait_until_over(child);
  if (!WIFEXITED(status)) {
    complain(fmt::format("the fluid engine ended by signal {}", WTERMSIG(status)));
    return kUnfinished;
  }
  if (!arguments.is_quiet && !arguments.print_json) {
    if (is_interrupted()) return kUnfinished;
    print(fmt::format("  results in {}\n\n", place.fluid.string()));
    if (const int code = compare_results({place.packet.string(), place.fluid.string()}, false);
        code != kSuccess) {
      return code;
    }
    print("\n" + next_step(place.packet, place.fluid));
  }
  return std::max(packet, WEXITSTATUS(status));
}

/// Adds what takes `arguments.without` out of the scenario; says so, or what is wrong with it.
bool add_without(const RunArguments& arguments, std::vector<std::string>& overrides) {
  if (arguments.without.empty()) return true;
  const auto loaded = scenarios::load_scenario(arguments.scenario, overrides);
  if (!loaded) {
    print_errors(loaded.errors());
    return false;
  }
  const auto refuse_without = [](const Errors& errors) {
    for (const Error& error : errors) complain("--without: " + error.message);
    return false;
  };
  const auto more = scenarios::overrides_without(arguments.without, loaded.value());
  if (!more) return refuse_without(more.errors());
  std::string said;
  for (const std::string& one : more.value()) said += " --set \"" + one + "\"";
  if (!arguments.is_quiet && !arguments.print_json) {
    print(fmt::format("without {}:{}\n", arguments.without, said));
  }
  overrides.insert(overrides.end(), more.value().begin(), more.value().end());
  const auto without = scenarios::load_scenario(arguments.scenario, overrides);
  if (!without) return refuse_without(without.errors());
  if (!scenarios::has_removable(arguments.without, without.value())) return true;
  return refuse_without({{"overrides do not reach all of it", {}}});
}

}  // namespace

int run_scenario(const RunArguments& arguments) {
  std::vector<std::string> overrides = arguments.overrides;
  if (!add_without(arguments, overrides)) return kBadInput;
  if (arguments.blames) overrides.emplace_back("observe.blame=true");
  if (arguments.has_timeline) overrides.emplace_back("observe.timeline.format=perfetto");
  std::optional<Loaded> loaded = load(arguments.scenario, overrides);
  if (!loaded) return kBadInput;
  auto expectations = read_expectations(
      arguments.expect.expressions,
      sweep::summary_names(loaded->experiment.scenario, arguments.is_isolated), 1);
  if (!expectations) return refuse(expectations.errors());
  loaded->expectations = std::move(expectations).value();
  loaded->invocation = invocation_of(arguments);
  const auto found = place_of_run(arguments, loaded->invocation, loaded->experiment.scenario.name,
                                  sha256_hex(loaded->source.canonical_yaml()));
  if (!found) return refuse(found.errors());
  const RunPlace& place = found.value();
  // Before the run, not after an hour of it.
  Errors errors = scenarios::check_output_folder(place.packet);
  if (errors.empty() && arguments.engine == Engine::kBoth) {
    errors = scenarios::check_output_folder(place.fluid);
  }
  if (errors.empty() && arguments.engine != Engine::kPacket) {
    errors = loaded->source.located(scenarios::check_fluid(loaded->experiment));
  }
  if (!errors.empty()) {
    print_errors(errors);
    return kBadInput;
  }
  const scenarios::Forecast& forecast = loaded->forecast;
  if (arguments.engine != Engine::kFluid && !fits_memory(forecast, arguments.memory_limit)) {
    return kUnfinished;
  }
  if (arguments.engine != Engine::kPacket && !arguments.is_quiet) {
    const double fluid = scenarios::fluid_seconds(loaded->experiment, forecast.messages);
    if (fluid > std::max(kSoon, forecast.seconds)) {
      complain(fmt::format("the fluid engine will take about {}, the packet engine {}",
                           scenarios::format_time(fluid),
                           scenarios::format_time(forecast.seconds)));
    }
  }
  if (arguments.engine != Engine::kPacket) {
    if (const Errors missing = load_flow_solver(); !missing.empty()) {
      print_errors(missing);
      return kUnfinished;
    }
  }
  stop_on_interrupt();
  if (arguments.engine == Engine::kBoth) return run_both(*loaded, place, arguments);
  return run_engine(*loaded, arguments.engine, place.packet, arguments);
}

}  // namespace weft::cli
