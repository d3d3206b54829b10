#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/memo/part_fabric.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"
#include "tests/properties/random_training.hpp"
#include "tests/support/engines.hpp"

/// Ideal times of jobs are the same to the picosecond whether calls inside domains are looked at
/// each or, where they begin alike, once.
namespace weft::testing {
namespace {

using scenarios::ZeroLoadTimes;

TEST(ZeroLoadCalls, ThatBeginAlikeAreLookedAtOnce) {
  int with_gpu_sets = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const scenarios::Experiment e = experiment_of_text(RandomTraining(seed).text());
    SCOPED_TRACE("seed " + std::to_string(seed));
    const collectives::GpuSets inside = scenarios::gpu_sets_inside(e.fabric, e.workload);
    if (!inside.all.empty()) ++with_gpu_sets;
    ZeroLoadTimes ideals(e.scenario, e.fabric, e.route_changes.all(e.routes), e.workload);
    const std::vector<ZeroLoadTimes::Job> each = ideals.jobs();
    const std::vector<ZeroLoadTimes::Job> once = ideals.jobs(inside);
    ASSERT_EQ(each.size(), once.size());
    for (std::size_t j = 0; j < each.size(); ++j) {
      EXPECT_EQ(each[j].time, once[j].time);
      EXPECT_EQ(each[j].set_by, once[j].set_by);
    }
  }
  EXPECT_GT(with_gpu_sets, 30);
}

}  // namespace
}  // namespace weft::testing
