#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/estimate/training_estimate.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/properties/random_plan.hpp"

namespace weft::testing {

/// A plan that ran: its estimate over its run.
struct PlanRatio {
  std::uint64_t seed = 0;
  double ratio = 1;

  [[nodiscard]] double error() const { return std::abs(ratio - 1); }
};

/// Plans of some seeds, and how many were refused.
struct PlanRatios {
  std::vector<PlanRatio> all;
  std::size_t refused = 0;
};

/// A refusal says where and why.
inline void expect_clear(const Error& error, const std::string& text) {
  EXPECT_FALSE(error.where.key.empty() && error.where.line == 0) << error.to_string() << text;
  EXPECT_GT(error.message.size(), 10U) << text;
}

/// With WEFT_PLANS in the environment: what became of each plan, term by term in microseconds.
inline bool says_all() { return std::getenv("WEFT_PLANS") != nullptr; }

inline void say(std::uint64_t seed, const std::string& text,
                const collectives::StepEstimate& estimate, const scenarios::Results& results) {
  const scenarios::IterationResult& run = results.iterations.at(0);
  const double step = to_seconds(results.jobs.at(0).jct);
  std::printf("%llu %.3f of %.1f us: compute %.1f %.1f, bubble %.1f %.1f",
              static_cast<unsigned long long>(seed), estimate.seconds / step, step * 1e6,
              estimate.term("compute").exposed * 1e6, to_seconds(run.compute) * 1e6,
              estimate.term("bubble").exposed * 1e6, to_seconds(run.bubble) * 1e6);
  const char* const kinds[] = {"tensor", "context", "expert", "pipeline", "data"};
  for (std::size_t i = 0; i < std::size(kinds); ++i) {
    using Kind = collectives::Communicator::Kind;
    constexpr Kind kKinds[] = {Kind::kTensor, Kind::kContext, Kind::kExpert, Kind::kPipeline,
                               Kind::kData};
    std::printf(", %s %.1f %.1f", kinds[i], estimate.term(kinds[i]).exposed * 1e6,
                to_seconds(run.exposed.at(static_cast<std::size_t>(kKinds[i]))) * 1e6);
  }
  std::printf("\n%s", std::abs(estimate.seconds / step - 1) > 0.05 ? text.c_str() : "");
}

inline PlanRatios ratios_of_plans(std::uint64_t first, std::uint64_t count) {
  PlanRatios ratios;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string text = RandomPlan(seed).text();
    const auto loaded = scenarios::load_scenario_text(text, "plan.yaml");
    if (!loaded.ok()) {
      expect_clear(loaded.errors().front(), text);
      ++ratios.refused;
      if (says_all()) {
        std::printf("%llu refused: %s\n", static_cast<unsigned long long>(seed),
                    loaded.errors().front().to_string().c_str());
      }
      continue;
    }
    const auto built = scenarios::build_experiment(loaded.value().scenario);
    if (!built.ok()) {
      expect_clear(built.errors().front(), text);
      ++ratios.refused;
      continue;
    }
    const collectives::StepEstimate estimate =
        scenarios::estimate_training(built.value().scenario.jobs.at(0)).step;
    const scenarios::Results results = scenarios::simulate(built.value());
    EXPECT_TRUE(results.jobs.at(0).is_finished) << text;
    ratios.all.push_back({seed, estimate.seconds / to_seconds(results.jobs.at(0).jct)});
    if (says_all()) say(seed, text, estimate, results);
  }
  std::ranges::sort(ratios.all, {}, &PlanRatio::error);
  return ratios;
}

/// Says how estimates lie beside runs.
inline void print_ratios(const PlanRatios& ratios) {
  const std::size_t n = ratios.all.size();
  std::printf(
      "%zu plans ran, %zu were refused; estimates off by %.1f %% in the median, %.1f %% for "
      "nine of ten, worst %.1f %% (seed %llu):\n%s",
      n, ratios.refused, 100 * ratios.all[n / 2].error(), 100 * ratios.all[n * 9 / 10].error(),
      100 * ratios.all.back().error(), static_cast<unsigned long long>(ratios.all.back().seed),
      RandomPlan(ratios.all.back().seed).text().c_str());
}

}  // namespace weft::testing
