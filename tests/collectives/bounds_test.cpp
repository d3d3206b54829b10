// What is bounded before a job is built holds once it is.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/jobs/collective/collective_bounds.hpp"
#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::Algorithm;
using collectives::Operation;

TEST(Bounds, NoCollectiveHasMoreConnectionsThanWasSaid) {
  for (std::uint32_t o = 0; o < collectives::kOperationCount; ++o) {
    const auto operation = static_cast<Operation>(o);
    for (const Algorithm algorithm : collectives::algorithms_for(operation)) {
      // These depend on the size of domains, and are counted again as they are made.
      if (algorithm == Algorithm::kNvlsTree || algorithm == Algorithm::kHierarchical) continue;
      for (const std::uint32_t ranks : {2u, 3u, 8u, 13u}) {
        collectives::CollectiveSpec spec = collective(operation, algorithm, 1_MiB);
        collectives::JobDescription description = job(ranks, spec);
        description.layout.domain.assign(ranks, 0);
        description.layout.has_in_network_reduction = true;
        const auto workload = collectives::build_workload(std::vector{description}, {1, {}});
        if (!workload.ok()) continue;  // refused for its own reasons
        EXPECT_LE(workload.value().connections().size(),
                  collectives::max_connections(spec, std::uint64_t{ranks}))
            << collectives::name_of(operation) << " by " << collectives::name_of(algorithm)
            << " of " << ranks;
      }
    }
  }
}

TEST(Bounds, ConnectionsAreCountedAgainAsTheyAreMade) {
  const std::vector jobs{job(8, collective(Operation::kAllToAll, Algorithm::kOneShot, 1_KiB))};
  const auto build = [&](std::uint64_t max) {
    return collectives::build_workload(jobs, {1, {}, max});
  };
  EXPECT_TRUE(build(56).ok());
  ASSERT_FALSE(build(55).ok());
  EXPECT_EQ(build(55).errors()[0].message,
            "job 'job' and those before it have more than 55 connections");
}

}  // namespace
}  // namespace weft::testing
