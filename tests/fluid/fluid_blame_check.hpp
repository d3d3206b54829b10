#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/run/fluid_simulation.hpp"
#include "tests/properties/blame_check.hpp"
#include "tests/support/engines.hpp"

namespace weft::testing {

/// The parts of each iteration add up to it in the fluid engine, too; skips what needs packets.
inline void check_fluid_blame(scenarios::Experiment e, const std::string& text) {
  if (!scenarios::check_fluid(e).empty()) GTEST_SKIP() << "needs packets";
  e.scenario.observe.blame = true;
  (void)in_own_process([&] {
    const scenarios::Results r = scenarios::simulate_fluid(e);
    EXPECT_EQ(blamed_times(r), measured_times(r)) << text;
    EXPECT_EQ(blamed_iterations(r), stated_times(r)) << text;
    return std::vector<std::int64_t>();
  });
}

}  // namespace weft::testing
