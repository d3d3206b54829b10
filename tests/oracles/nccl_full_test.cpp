// Bus bandwidth of all-reduces inside scale-up domains, against closed forms and measurements that
// were published. Nothing is fitted: rates and efficiencies are NCCL's own constants.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

/// GB/s of a job, by number, with other jobs made small.
double busbw(const std::string& scenario, std::size_t job, const std::string& size,
             std::vector<std::string> overrides = {}) {
  overrides.push_back("jobs[" + std::to_string(job) + "].size=" + size);
  const auto results = scenarios::simulate(experiment_of(scenario, overrides));
  EXPECT_EQ(results.outcome, scenarios::Outcome::kFinished);
  const double gigabytes = results.jobs[job].bus_bandwidth.value() / 1e9;
  std::printf("  %s job %zu, %s: %.1f GB/s\n", scenario.c_str(), job, size.c_str(), gigabytes);
  return gigabytes;
}

// NCCL counts on 18 links of 20.6 GB/s. 3 %: filling the pipeline, launch, sums.
TEST(NcclRing, EightH100ComeCloseToTheirLinks) {
  EXPECT_NEAR(busbw("nccl-h100.yaml", 0, "1GiB"), 370.8, 0.03 * 370.8);
}

// 231 to 235 GB/s from 4 GiB on (Azure AI benchmarking guide, ND A100 v4; ml-engineering). 4 %.
TEST(NcclRing, EightA100GiveWhatWasMeasured) {
  EXPECT_NEAR(busbw("nccl-a100.yaml", 0, "1GiB"), 233, 0.04 * 233);
}

// 8 GPUs at 8 GiB without NVLS: 682 GB/s measured, 721.8 by NCCL's constants. 6 % of the measured.
TEST(NcclRing, EightB200GiveWhatWasMeasured) {
  EXPECT_NEAR(busbw("nccl-b200.yaml", 0, "1GiB"), 682, 0.06 * 682);
}

// H200 at 8 GiB with 5, 6, 7 and 8 GPUs (ml-engineering), NCCL's efficiency 0.85. 5 %.
TEST(NcclNvls, FollowsTheNumberOfGpus) {
  const std::vector<std::pair<int, double>> measured = {{5, 414}, {6, 436}, {7, 460}, {8, 473}};
  for (const auto& [gpus, expected] : measured) {
    const std::string ranks = "jobs[1].ranks=" + std::to_string(gpus);
    EXPECT_NEAR(busbw("nccl-h100.yaml", 1, "1GiB", {ranks}), expected, 0.05 * expected) << gpus;
  }
}

// Measured with NVLS from 64 MiB up (ml-engineering; Azure AI benchmarking guide). 15 %.
TEST(NcclNvls, FollowsTheSizeOfLargeMessages) {
  struct Row {
    const char* size;
    double h200, h100;
  };
  for (const Row& row :
       {Row{"64MiB", 346.5, 361.8}, Row{"256MiB", 436.2, 423.4}, Row{"1GiB", 463.6, 466.4}}) {
    const double hopper = busbw("nccl-h100.yaml", 1, row.size);
    EXPECT_NEAR(hopper, row.h200, 0.15 * row.h200) << row.size;
    EXPECT_NEAR(hopper, row.h100, 0.15 * row.h100) << row.size;
  }
}

// Sixteen servers of eight: between 0.85 and 1 of what NICs and NVLink allow,
// min(50 x 0.9804 (n-1)/(k-1), 370.8 ((n-1)/n) / ((g-1)/g)) = min(415.1, 420.5) GB/s for n = 128,
// k = 16, g = 8.
TEST(NcclHierarchical, SixteenServersUseTheirNics) {
  const double rate = busbw("nccl-h100-16-nodes.yaml", 0, "512MiB");
  EXPECT_GE(rate, 0.85 * 415.1);
  EXPECT_LE(rate, 415.1);
}

}  // namespace
}  // namespace weft::testing
