// What is bounded before a job is built holds once it is.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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

/// What a collective sends by itself on `ranks` ranks in domains of `domain_size`, if it can be.
std::optional<double> messages_of(const collectives::CollectiveSpec& spec, std::uint32_t ranks,
                                  std::uint32_t domain_size) {
  collectives::JobDescription description = job(ranks, spec);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    description.layout.domain.push_back(rank / domain_size);
  }
  description.layout.has_in_network_reduction = true;
  const auto workload = collectives::build_workload(std::vector{description}, {1, {}});
  if (!workload.ok()) return std::nullopt;  // refused for its own reasons
  const collectives::JobProgram& program = *workload.value().jobs()[0].program;
  std::int64_t messages = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t lane = 0; lane < program.lanes(); ++lane) {
      messages += std::ranges::count_if(steps_of(program, rank, lane), &collectives::Step::sends);
    }
  }
  return static_cast<double>(messages);
}

/// How many times as many messages a bound has, at most, of collectives that are cut in several
/// ways.
double loosest_bound(Operation operation, Algorithm algorithm) {
  double loosest = 0;
  for (const auto& [ranks, domain_size] :
       {std::pair(4u, 4u), std::pair(5u, 1u), std::pair(8u, 4u), std::pair(8u, 8u),
        std::pair(13u, 1u), std::pair(32u, 4u)}) {
    for (const auto& [channels, chunk] :
         {std::pair(1u, 0_B), std::pair(1u, 4_KiB), std::pair(3u, 1'000_B)}) {
      collectives::CollectiveSpec spec = collective(operation, algorithm, 128_KiB, 2);
      spec.execution.chunk = chunk;
      spec.execution.channels = channels;
      spec.execution.slices = channels == 3 ? 2 : 1;
      const auto messages = messages_of(spec, ranks, domain_size);
      if (!messages) continue;
      const double bound = collectives::max_messages(spec, ranks, domain_size).messages;
      EXPECT_LE(*messages, bound) << ranks << " ranks in domains of " << domain_size
                                  << ", chunks of " << chunk.count();
      loosest = std::max(loosest, bound / *messages);
    }
  }
  return loosest;
}

// A bound far above what is sent refuses runs that would fit: a tree of 512 MiB on 1,440 GPUs makes
// three million messages, and was said to make 74.
TEST(Bounds, NoCollectiveHasMoreMessagesThanWasSaidNorFarFewer) {
  for (std::uint32_t o = 0; o < collectives::kOperationCount; ++o) {
    const auto operation = static_cast<Operation>(o);
    for (const Algorithm algorithm : collectives::algorithms_for(operation)) {
      if (operation == Operation::kAllToAllV) continue;  // its traffic is its own
      SCOPED_TRACE(std::string(collectives::name_of(operation)) + " by " +
                   std::string(collectives::name_of(algorithm)));
      const double loosest = loosest_bound(operation, algorithm);
      EXPECT_GE(loosest, 1);
      EXPECT_LE(loosest, 4);  // a round more, and ranges that may be two
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
