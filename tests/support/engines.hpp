#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/fluid_simulation.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/own_process.hpp"

/// Both engines on one scenario.
namespace weft::testing {

inline scenarios::Experiment experiment_of_text(const std::string& text) {
  const auto loaded = scenarios::load_scenario_text(text, "test.yaml");
  EXPECT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  return scenarios::build_experiment(loaded.value().scenario).value();
}

/// A shipped scenario.
inline scenarios::Experiment experiment_of(const std::string& file,
                                           const std::vector<std::string>& overrides = {}) {
  const auto loaded =
      scenarios::load_scenario(std::string(WEFT_SOURCE_DIR) + "/scenarios/" + file, overrides);
  EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  return scenarios::build_experiment(loaded.value().scenario).value();
}

/// What the tests ask of a run, in picoseconds.
struct Times {
  std::vector<std::int64_t> jobs;       ///< JCT by job
  std::vector<std::int64_t> messages;   ///< completion times, in the order of messages.csv
  std::vector<std::int64_t> delivered;  ///< since the start of the run, in the same order

  explicit Times(const scenarios::Results& results) {
    for (const auto& job : results.jobs) jobs.push_back(job.jct.count());
    for (const auto& m : results.messages) {
      messages.push_back((m.completed - m.start).count());
      delivered.push_back(m.delivered.count());
    }
  }
  [[nodiscard]] std::vector<std::int64_t> packed() const {
    std::vector<std::int64_t> all = jobs;
    all.insert(all.end(), messages.begin(), messages.end());
    all.insert(all.end(), delivered.begin(), delivered.end());
    return all;
  }
  Times(const std::vector<std::int64_t>& packed, std::size_t job_count) {
    const auto n = static_cast<std::ptrdiff_t>((packed.size() - job_count) / 2);
    const auto first = packed.begin() + static_cast<std::ptrdiff_t>(job_count);
    jobs.assign(packed.begin(), first);
    messages.assign(first, first + n);
    delivered.assign(first + n, packed.end());
  }
};

inline Times packet_times(const scenarios::Experiment& e) { return Times(scenarios::simulate(e)); }

inline Times fluid_times(const scenarios::Experiment& e) {
  return Times(in_own_process([&e] { return Times(scenarios::simulate_fluid(e)).packed(); }),
               e.scenario.jobs.size());
}

}  // namespace weft::testing
