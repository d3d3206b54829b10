#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/properties/golden_cases.hpp"
#include "tests/support/extent.hpp"

namespace weft::testing {

inline std::string digest_of(const GoldenCase& golden, const std::string& cut,
                             std::uint32_t threads) {
  const scenarios::Experiment experiment = golden.experiment({"run.partition=" + cut});
  const protocols::Parallelism parallelism{
      .threads = threads, .share_from = 1, .waits_for_all = threads == 2};
  return scenarios::simulate(experiment, {}, nullptr, parallelism).digest();
}

/// A run gives the same bits whatever the number of threads and the partition into logical
/// processes. Two threads share every window; of more, which a machine may have no cores for, those
/// that are there in time. Fast tests take the first of these numbers alone.
inline void check_threads(const GoldenCase& golden) {
  for (const std::uint32_t threads : {2U, 3U, 5U}) {
    if (threads > 2 && !at_full_extent()) continue;
    EXPECT_EQ(digest_of(golden, "auto", threads), golden.digest) << threads << " threads";
  }
  EXPECT_EQ(digest_of(golden, "one", 1), golden.digest) << "one cell";
  EXPECT_EQ(digest_of(golden, "finest", 3), golden.digest) << "as many cells as possible";
}

}  // namespace weft::testing
