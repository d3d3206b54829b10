#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/properties/random_training.hpp"
#include "tests/support/reuse_runs.hpp"

namespace weft::testing {

/// All that the random training of this seed writes, of every other one with who is to blame, is
/// the same with calls simulated once, on some number of threads and for some cut; of one in a
/// hundred also where that is verified. Returns the results with reuse.
inline scenarios::Results check_random_reuse(std::uint64_t seed) {
  const std::string text = RandomTraining(seed).text();
  SCOPED_TRACE(text);
  scenarios::Experiment e = experiment_of_text(text);
  constexpr LpPlan::Cut kCuts[] = {LpPlan::Cut::kAuto, LpPlan::Cut::kOne, LpPlan::Cut::kFinest};
  e.scenario.run.partition = kCuts[seed / 3 % 3];
  e.scenario.observe.blame = seed % 2 == 0;
  const FolderOfRun off = folder_of_run(e, scenarios::Reuse::kOff);
  const auto threads = static_cast<std::uint32_t>(1 + seed % 3);
  const FolderOfRun on =
      folder_of_run(e, scenarios::Reuse::kOn, {.threads = threads, .share_from = 1});
  expect_equal_folders(off, on);
  if (seed % 100 == 7) {
    expect_equal_folders(off, folder_of_run(e, scenarios::Reuse::kVerify));
  }
  return on.results;
}

}  // namespace weft::testing
