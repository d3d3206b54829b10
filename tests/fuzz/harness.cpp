#include "tests/fuzz/harness.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/build/changed_links.hpp"
#include "scenarios/checks/forecast.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/language/yaml/catalogue.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/fluid_simulation.hpp"
#include "tests/fuzz/size.hpp"
#include "tests/properties/bounds_law.hpp"
#include "tests/properties/variations.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/sweep/language/load_sweep.hpp"
#include "tools/sweep/plan/points.hpp"
#include "topologies/analysis/summary.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;

/// What the input's files are called, in this folder.
struct Place {
  TemporaryFolder folder{"fuzz"};
  fs::path scenario = folder.path() / "scenario.yaml";
  fs::path sweep = folder.path() / "sweep.yaml";
  fs::path catalogue = folder.path() / "catalogue";
};

void require(bool holds, const char* sentence, const std::string& detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n%s\n", sentence, detail.c_str());
  std::abort();
}

void require_sense(const Errors& errors) {
  require(!errors.empty(), "refused without an error");
  for (const Error& error : errors) {
    require(!error.message.empty(), "an error says nothing", error.to_string());
    require(error.where.line >= 0 && error.where.column >= 0, "an error stands nowhere",
            error.to_string());
  }
}

FuzzOutcome refused(const Errors& errors) {
  require_sense(errors);
  return FuzzOutcome::kRefused;
}

/// Files of the input that is looked at now; they go with it.
class Files {
 public:
  Files(const Place& place, const FuzzInput& input) : place_(place) {
    if (!input.messages.empty()) place.folder.write("messages.csv", input.messages);
    if (!input.sweep.empty()) {
      place.folder.write("scenario.yaml", input.scenario);
      place.folder.write("sweep.yaml", input.sweep);
    }
    if (input.catalogue.empty()) return;
    fs::create_directory(place.catalogue);
    for (const auto& [kind, text] : input.catalogue) {
      place.folder.write("catalogue/" + kind + ".yaml", text);
    }
    ::setenv(scenarios::language::kCatalogueVariable, place.catalogue.c_str(), 1);
  }
  ~Files() {
    std::error_code none;
    ::unsetenv(scenarios::language::kCatalogueVariable);
    for (const char* name : {"messages.csv", "scenario.yaml", "sweep.yaml"}) {
      fs::remove(place_.folder.path() / name, none);
    }
    fs::remove_all(place_.catalogue, none);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

 private:
  const Place& place_;
};

/// What is written out with every default reads as the same scenario. Only one in four is: it takes
/// as long as all else about a small one.
void check_resolved(const FuzzInput& input, const scenarios::LoadedScenario& loaded) {
  if (std::hash<std::string>()(input.scenario) % 4 != 0) return;
  const std::string text = loaded.resolved_yaml("fuzz");
  const auto again = scenarios::load_scenario_text(text, "resolved.yaml");
  require(again.ok(), "a resolved scenario is refused",
          again.ok() ? "" : again.errors().front().to_string() + "\n" + text);
  require(again.value().canonical_yaml() == loaded.canonical_yaml(),
          "a resolved scenario reads as another", text);
}

/// Of a run that is repeated here.
constexpr double kMaxHops = 100'000;
constexpr double kMaxSeconds = 0.05;
constexpr Picoseconds kLongest = 2_ms;

/// Nobody waits for what pauses or repeats without end.
bool cut_short(scenarios::Experiment& e) {
  scenarios::RunSpec& run = e.scenario.run;
  if (run.warmup > kLongest) return false;
  run.until = std::max(std::min(run.until.value_or(kLongest), kLongest), run.warmup + 1_us);
  const scenarios::Forecast forecast = scenarios::forecast(e);
  return forecast.packet_hops <= kMaxHops && forecast.seconds <= kMaxSeconds;
}

/// Every way to run gives the same bits. False if that would take too long to tell.
bool simulate_every_way(scenarios::Experiment& e) {
  if (!cut_short(e)) return false;
  // More than predicted: what is lost is sent again.
  const auto observer = [](const scenarios::Progress& now) {
    return static_cast<double>(now.count) < 2 * kMaxHops;
  };
  const scenarios::Results given = scenarios::simulate(e, observer);
  if (given.outcome == scenarios::Outcome::kInterrupted) return false;
  const std::vector<std::string> beaten = beaten_bounds(e, given);
  require(beaten.empty(), "a bound is beaten", beaten.empty() ? "" : beaten.front());
  for (const Variation& variation : kVariations) {
    const scenarios::Results other = simulate_as(variation, e, observer);
    require(other.outcome == scenarios::Outcome::kInterrupted || other.digest() == given.digest(),
            "another way to run gives other bits", variation.name);
  }
  return true;
}

/// What `weft check` looks at beside the scenario.
void foresee(const scenarios::Experiment& e) {
  require(scenarios::plan_of(e).lp_count > 0, "a fabric without cells");
  const scenarios::Forecast forecast = scenarios::forecast(e);
  for (const double number : {forecast.packet_hops, forecast.seconds, forecast.memory}) {
    require(std::isfinite(number) && number >= 0, "a forecast is no number");
  }
  require(!topologies::summarize(e.fabric).tiers.empty() || e.fabric.switches.empty(),
          "switches of no tier");
  (void)scenarios::describe_changed_links(e.scenario, e.fabric);
  if (const Errors errors = scenarios::check_fluid(e); !errors.empty()) require_sense(errors);
}

FuzzOutcome fuzz_scenario(const Place& place, const FuzzInput& input, FuzzDepth depth) {
  const auto loaded =
      scenarios::load_scenario_text(input.scenario, place.scenario, input.overrides);
  if (!loaded.ok()) return refused(loaded.errors());
  check_resolved(input, loaded.value());
  if (!is_small(loaded.value().scenario)) return FuzzOutcome::kRead;
  auto experiment = scenarios::build_experiment(loaded.value().scenario);
  if (!experiment.ok()) return refused(loaded.value().located(experiment.errors()));
  foresee(experiment.value());
  if (depth == FuzzDepth::kCheck) return FuzzOutcome::kBuilt;
  return simulate_every_way(experiment.value()) ? FuzzOutcome::kSimulated : FuzzOutcome::kBuilt;
}

FuzzOutcome fuzz_sweep(const Place& place, const FuzzInput& input) {
  const auto sweep = sweep::load_sweep(place.sweep, input.overrides);
  if (!sweep.ok()) return refused(sweep.errors());
  require(!sweep.value().definition().empty(), "a sweep without a definition");
  if (!is_small(sweep.value())) return FuzzOutcome::kRead;
  const auto plan = sweep::make_plan(sweep.value());
  if (!plan.ok()) return refused(plan.errors());
  for (const sweep::Point& point : plan.value().points()) {
    require(!sweep::overrides_of(sweep.value(), point).empty(), "a point without values");
  }
  return FuzzOutcome::kBuilt;
}

}  // namespace

FuzzOutcome fuzz(const FuzzInput& input, FuzzDepth depth) {
  static const Place place;
  const Files files(place, input);
  return input.sweep.empty() ? fuzz_scenario(place, input, depth) : fuzz_sweep(place, input);
}

}  // namespace weft::testing
