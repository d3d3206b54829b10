#include "tools/bench/experiment_of.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"

namespace weft::bench {

std::shared_ptr<const scenarios::Experiment> experiment_of(const std::string& text) {
  const auto loaded = scenarios::load_scenario_text(text, "bench.yaml");
  if (loaded) {
    auto built = scenarios::build_experiment(loaded.value().scenario);
    if (built) return std::make_shared<const scenarios::Experiment>(std::move(built).value());
    std::fprintf(stderr, "%s\n", built.errors().front().to_string().c_str());
  } else {
    std::fprintf(stderr, "%s\n", loaded.errors().front().to_string().c_str());
  }
  std::exit(1);
}

}  // namespace weft::bench
