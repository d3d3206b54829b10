#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
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

/// Results with what became of every message.
struct MessageRun {
  std::vector<scenarios::MessageResult> messages;  ///< by source host and begin
  scenarios::Results results;                      ///< after them, for running fills both

  template <class Simulate>
  explicit MessageRun(Simulate simulate)
      : results(simulate([this](const scenarios::MessageResult& m) { messages.push_back(m); })) {
    std::ranges::stable_sort(messages, {}, [](const scenarios::MessageResult& m) {
      return std::tuple(m.source, m.start, m.job, m.destination_rank);
    });
  }
};

inline MessageRun packet_run(const scenarios::Experiment& e) {
  return MessageRun([&e](const scenarios::MessageSink& sink) {
    return scenarios::simulate(e, {}, nullptr, {}, sink);
  });
}

inline MessageRun fluid_run(const scenarios::Experiment& e) {
  return MessageRun(
      [&e](const scenarios::MessageSink& sink) { return scenarios::simulate_fluid(e, {}, sink); });
}

/// What the tests ask of a run, in picoseconds.
struct Times {
  std::vector<std::int64_t> jobs;       ///< JCT by job
  std::vector<std::int64_t> messages;   ///< completion times, by source host and begin
  std::vector<std::int64_t> delivered;  ///< since the start of the run, in the same order

  explicit Times(const MessageRun& run) {
    for (const auto& job : run.results.jobs) jobs.push_back(job.jct.count());
    for (const auto& m : run.messages) {
      messages.push_back((m.completed.value_or(Picoseconds(-1)) - m.start).count());
      delivered.push_back(m.delivered.value_or(Picoseconds(-1)).count());
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

inline Times packet_times(const scenarios::Experiment& e) { return Times(packet_run(e)); }

inline Times fluid_times(const scenarios::Experiment& e) {
  return Times(in_own_process([&e] { return Times(fluid_run(e)).packed(); }),
               e.scenario.jobs.size());
}

}  // namespace weft::testing
