#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

namespace weft::testing {

/// Random scenarios that the fast tests run.
inline constexpr std::uint64_t kFastScenarios = 60;

/// The seeds of a test on random scenarios: `first` and those after it. The environment can say
/// another first one (WEFT_SWARM_SEED, of which one is taken) and how many (WEFT_SWARM_RUNS).
inline auto swarm_seeds(std::uint64_t first, std::uint64_t count) {
  const char* seed = std::getenv("WEFT_SWARM_SEED");
  const char* runs = std::getenv("WEFT_SWARM_RUNS");
  if (seed != nullptr) {
    first = std::strtoull(seed, nullptr, 10);
    count = 1;
  }
  if (runs != nullptr) count = std::strtoull(runs, nullptr, 10);
  return ::testing::Range(first, first + count);
}

/// Whether somebody looks at one scenario.
inline bool repeats_one_seed() {
  return std::getenv("WEFT_SWARM_SEED") != nullptr && std::getenv("WEFT_SWARM_RUNS") == nullptr;
}

/// A check that says nothing of more than one in ten scenarios is not the check that it claims to
/// be. To be asked with the seeds of the check.
template <class IsSkipped>
void expect_few_skipped(std::uint64_t first, std::uint64_t count, IsSkipped is_skipped) {
  std::uint64_t skipped = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed)
    skipped += is_skipped(seed) ? 1 : 0;
  EXPECT_LE(10 * skipped, count) << skipped << " of " << count << " are skipped";
}

}  // namespace weft::testing
