#pragma once

#include <array>

#include "scenarios/build/experiment.hpp"

namespace weft::testing {

/// A way to run a scenario that must not change a bit of its results.
struct Variation {
  const char* name;
  LpPlan::Cut cut;
  protocols::Parallelism parallelism;
  protocols::Features extra_features{};
  std::uint64_t many_messages = protocols::kManyMessages;
  scenarios::Reuse reuse = scenarios::Reuse::kOff;
};

/// Of several threads those share a window that are there in time; that all of them do, which is
/// slow where cores are busy, threads_test.cpp asks for.
inline constexpr std::array kVariations{
    Variation{"one cell", LpPlan::Cut::kOne, {}},
    Variation{"as many cells as possible on two threads",
              LpPlan::Cut::kFinest,
              {.threads = 2, .share_from = 1}},
    Variation{"cut at the uplinks", LpPlan::Cut::kUplinks, {.threads = 2, .share_from = 1}},
    Variation{"cut at the access links", LpPlan::Cut::kAccess, {.threads = 2, .share_from = 1}},
    Variation{"three threads", LpPlan::Cut::kAuto, {.threads = 3, .share_from = 1}},
    Variation{"the general packet path", LpPlan::Cut::kAuto, {}, protocols::GeneralPath::kFeatures},
    Variation{"messages forgotten as soon as may be", LpPlan::Cut::kAuto, {}, {}, 1},
    Variation{"calls simulated once",
              LpPlan::Cut::kAuto,
              {.threads = 2, .share_from = 1},
              {},
              protocols::kManyMessages,
              scenarios::Reuse::kOn},
    Variation{"calls compared with what would be taken",
              LpPlan::Cut::kFinest,
              {},
              {},
              protocols::kManyMessages,
              scenarios::Reuse::kVerify},
};

/// Runs `experiment` in that way. It keeps the cut.
inline scenarios::Results simulate_as(const Variation& variation, scenarios::Experiment& experiment,
                                      const scenarios::ProgressObserver& observer = {}) {
  experiment.scenario.run.partition = variation.cut;
  experiment.scenario.run.reuse.mode = variation.reuse;
  return scenarios::simulate(
      experiment, observer, nullptr, variation.parallelism, {},
      {.extra_features = variation.extra_features, .many_messages = variation.many_messages});
}

}  // namespace weft::testing
