#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

inline PlanRatios ratios_of_plans(std::uint64_t first, std::uint64_t count) {
  PlanRatios ratios;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string text = RandomPlan(seed).text();
    const auto loaded = scenarios::load_scenario_text(text, "plan.yaml");
    if (!loaded.ok()) {
      expect_clear(loaded.errors().front(), text);
      ++ratios.refused;
      if (std::getenv("WEFT_PLANS") != nullptr) {
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
    const double estimate =
        scenarios::estimate_training(built.value().scenario.jobs.at(0)).step.seconds;
    const scenarios::Results results = scenarios::simulate(built.value());
    EXPECT_TRUE(results.jobs.at(0).is_finished) << text;
    ratios.all.push_back({seed, estimate / to_seconds(results.jobs.at(0).jct)});
    if (std::getenv("WEFT_PLANS") != nullptr) {
      std::printf("%llu %.3f\n", static_cast<unsigned long long>(seed), ratios.all.back().ratio);
    }
  }
  std::ranges::sort(ratios.all, {}, &PlanRatio::error);
  return ratios;
}

/// Says how estimates lie beside runs.
inline void print_ratios(const PlanRatios& ratios) {
  const std::size_t n = ratios.all.size();
  std::printf("%zu plans ran, %zu were refused; estimates off by %.1f %% in the median, %.1f %% for "
              "nine of ten, worst %.1f %% (seed %llu):\n%s",
              n, ratios.refused, 100 * ratios.all[n / 2].error(),
              100 * ratios.all[n * 9 / 10].error(), 100 * ratios.all.back().error(),
              static_cast<unsigned long long>(ratios.all.back().seed),
              RandomPlan(ratios.all.back().seed).text().c_str());
}

}  // namespace weft::testing
