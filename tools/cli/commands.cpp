#include "tools/cli/commands.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>

#include "scenarios/format.hpp"
#include "scenarios/load_scenario.hpp"
#include "scenarios/result_writer.hpp"
#include "scenarios/simulation.hpp"
#include "scenarios/summary.hpp"
#include "simcore/digest.hpp"
#include "simcore/log.hpp"
#include "tools/cli/progress.hpp"
#include "tools/print_errors.hpp"
#include "topologies/summary.hpp"

namespace weft::cli {
namespace {

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

struct Loaded {
  scenarios::LoadedScenario source;
  scenarios::Experiment experiment;
};

/// Loads and builds, or prints what is wrong.
std::optional<Loaded> load(const std::string& path, const std::vector<std::string>& overrides) {
  auto loaded = scenarios::load_scenario(path, overrides);
  if (!loaded) {
    print_errors(loaded.errors());
    return {};
  }
  auto experiment = scenarios::build_experiment(loaded.value().scenario);
  if (!experiment) {
    print_errors(loaded.value().located(experiment.errors()));
    return {};
  }
  const scenarios::Experiment& e = experiment.value();
  log_info(fmt::format("{}: {} hosts, {} switches, {} connections", path, e.fabric.hosts.size(),
                       e.fabric.switches.size(), e.workload.connections().size()));
  return Loaded{std::move(loaded).value(), std::move(experiment).value()};
}

std::string tiers_text(const Fabric& fabric) {
  const topologies::TopologySummary summary = topologies::summarize(fabric);
  std::string text = fmt::format("  {} hosts", scenarios::format_count(std::ssize(fabric.hosts)));
  for (const auto& tier : summary.tiers) {
    text += fmt::format(", {} switches of tier {}", tier.switches, tier.tier);
    if (tier.oversubscription > 0) {
      text += fmt::format(" (oversubscription {:.2g}:1)", tier.oversubscription);
    }
  }
  return text + "\n";
}

}  // namespace

int run_scenario(const RunArguments& arguments) {
  std::optional<Loaded> loaded = load(arguments.scenario, arguments.overrides);
  if (!loaded) return kBadInput;
  const std::filesystem::path out =
      arguments.out.empty() ? std::filesystem::path("results") / loaded->experiment.scenario.name
                            : std::filesystem::path(arguments.out);
  // Before the run, not after an hour of it.
  if (const Errors errors = scenarios::check_output_folder(out); !errors.empty()) {
    print_errors(errors);
    return kBadInput;
  }

  stop_on_interrupt();
  scenarios::Results results = [&] {
    ProgressLine progress(!arguments.is_quiet);
    return scenarios::simulate(loaded->experiment,
                               [&progress](Picoseconds now, std::uint64_t hops) {
                                 progress.update(now, hops);
                                 return !is_interrupted();
                               });
  }();
  log_info(fmt::format("{} cells, lookahead {}, {} events", results.cells,
                       scenarios::format_time(results.lookahead), results.totals.events));
  results.version = WEFT_VERSION;
  results.scenario_sha256 = sha256_hex(loaded->source.canonical_yaml());

  if (arguments.print_json) {
    print(scenarios::summary_json(results).dump(2) + "\n");
  } else if (!arguments.is_quiet) {
    print(scenarios::summary_text(results));
  }
  std::fflush(stdout);
  for (const std::string& sentence : results.explanation) {
    std::fprintf(stderr, "weft: %s\n", sentence.c_str());
  }
  const auto written =
      scenarios::write_results(results, loaded->source.resolved_yaml(WEFT_VERSION), out,
                               {.messages = loaded->experiment.scenario.observe.messages});
  if (!written) {
    print_errors(written.errors());
    return kUnfinished;
  }
  if (!arguments.is_quiet && !arguments.print_json) {
    print(fmt::format("  results in {}\n", out.string()));
  }
  if (results.outcome == scenarios::Outcome::kFinished) return kSuccess;
  std::fprintf(stderr, "weft: the run did not finish: %s\n",
               scenarios::outcome_name(results.outcome));
  return kUnfinished;
}

int check_scenario(const std::string& path, const std::vector<std::string>& overrides) {
  const std::optional<Loaded> loaded = load(path, overrides);
  if (!loaded) return kBadInput;
  const scenarios::Experiment& e = loaded->experiment;
  const CellPlan plan = scenarios::plan_of(e);
  std::string text = fmt::format("{} is valid\n", e.scenario.name);
  text += tiers_text(e.fabric);
  text += fmt::format("  {} jobs, {} ranks, {} connections\n", e.workload.jobs().size(),
                      scenarios::format_count(std::ssize(e.workload.process_hosts())),
                      scenarios::format_count(std::ssize(e.workload.connections())));
  text += fmt::format("  {} cells, lookahead {}, set by {}\n", plan.cell_count,
                      scenarios::format_time(plan.lookahead),
                      plan.limiting_port.is_none() ? std::string("run.control_latency")
                                                   : e.fabric.port_name(plan.limiting_port));
  for (const std::string& warning : e.warnings) text += "  warning: " + warning + "\n";
  print(text);
  return kSuccess;
}

int print_schema() {
  print(scenarios::scenario_json_schema().dump(2) + "\n");
  return kSuccess;
}

}  // namespace weft::cli
