#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/measured_run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace weft::testing {

/// Of a dry run: seconds of `about 12.5 ms of processor time`; 0 where it says nothing.
inline double predicted_seconds(const std::string& text) {
  std::smatch found;
  const std::regex line("about ([0-9.]+) (us|ms|s) of processor time");
  if (!std::regex_search(text, found, line)) return 0;
  const std::string unit = found[2];
  return std::stod(found[1]) * (unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1);
}

/// The dry run of a shipped sweep predicts the processor time of the sweep, user and system, within
/// a factor of two. It runs a few of the points on the same machine just before, so only what
/// differs between points is left to the model, which is calibrated to that factor
/// (forecast_full_test.cpp). Others on this machine lengthen one of both by fits and starts,
/// through shared caches: one of three measurements has to agree.
inline void expect_sweep_predicted(const std::string& name) {
  if (kIsSanitized) GTEST_SKIP() << "measures the sanitizer";
  const TemporaryFolder folder("predicted " + name);
  const std::string sweep = std::string(WEFT_SOURCE_DIR) + "/scenarios/sweeps/" + name + ".yaml";
  const auto measure = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"sweep", sweep, "-j", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return run_measured(WEFT_PROGRAM, words, folder.path() / "output.txt");
  };
  double ratio = 0;
  for (int attempt = 0; attempt < 3 && !(ratio > 0.5 && ratio < 2); ++attempt) {
    const double predicted = predicted_seconds(measure({"--dry-run"}).text);
    const std::string out = (folder.path() / ("run" + std::to_string(attempt))).string();
    const MeasuredRun taken = measure({"--quiet", "--out", out});
    ASSERT_LT(taken.exit_code, 2) << taken.text;
    ratio = predicted / taken.processor_seconds;
    std::printf("%-20s predicted %.2f s, took %.2f s\n", name.c_str(), predicted,
                taken.processor_seconds);
    std::fflush(stdout);  // or the next child prints it again
  }
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 2);
}

}  // namespace weft::testing
