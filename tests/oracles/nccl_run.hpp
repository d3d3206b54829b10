#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/engines.hpp"

/// Runs of one job at one size, for the columns of nccl-tests.
namespace weft::testing {

struct Outcome {
  double busbw = 0;  ///< GB/s
  std::string how;
};

/// A job, by number, with what the scenario's other jobs do left out of sight.
inline Outcome run(const std::string& scenario, std::size_t job, const std::string& size,
                   std::vector<std::string> overrides = {}) {
  overrides.push_back("jobs[" + std::to_string(job) + "].size=" + size);
  const auto results = scenarios::simulate(experiment_of(scenario, overrides));
  EXPECT_EQ(results.outcome, scenarios::Outcome::kFinished);
  const auto& result = results.jobs[job];
  return {result.bus_bandwidth.value() / 1e9, result.algorithm + "/" + result.protocol};
}

inline double busbw(const std::string& scenario, std::size_t job, const std::string& size,
                    const std::vector<std::string>& overrides = {}) {
  const Outcome r = run(scenario, job, size, overrides);
  std::printf("  %s job %zu, %s: %.1f GB/s, %s\n", scenario.c_str(), job, size.c_str(), r.busbw,
              r.how.c_str());
  return r.busbw;
}

struct Row {
  const char* size;
  double measured;  ///< GB/s
  double max = 0;   ///< of relative error, where it is not that of its column
};

}  // namespace weft::testing
