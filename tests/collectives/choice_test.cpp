#include "collectives/costs/choose.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/costs/cost_model.hpp"
#include "collectives/nccl/nccl_tuning.hpp"
#include "simcore/fabric/port_delays.hpp"
#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::Algorithm;
using collectives::CollectiveSpec;
using collectives::nccl_machine;
using collectives::NcclAlgorithm;
using collectives::NcclEstimate;
using collectives::NcclMachine;
using collectives::Operation;
using collectives::Protocol;
using collectives::RankLayout;

const NcclEstimate& find(const std::vector<NcclEstimate>& all, NcclAlgorithm algorithm,
                         Protocol protocol) {
  for (const NcclEstimate& e : all) {
    if (e.algorithm == algorithm && e.protocol == protocol) return e;
  }
  ADD_FAILURE() << "not considered";
  return all.front();
}

// An 8-GPU Hopper node: 12 channels of 30 GB/s, doubled: 360 GB/s. From the published constants:
//   ring: base + 14 hops: LL 6.6 + 14 x 0.6 = 15.0, LL128 14 + 14 x 1.9 = 40.6,
//         Simple 8.4 + 14 x 3.4 = 56.0 us; algbw = bus x 8/14: LL min(141, 180) = 141 -> 80.57,
//         LL128 0.92 x 360 = 331.2 -> 189.26, Simple 360 -> 205.71 GB/s
//   tree: base + 2 x 7 hops: LL 6.8 + 14 x 0.6 = 15.2, Simple 8.4 + 14 x 4 = 64.4 us; LL 331.2 /
//         3.8 = 87.2, of which half, and of that half at 1 MiB;
//         Simple 0.92 x 360 / 2 = 165.6 GB/s; at 1 MiB trees have half of their bandwidth
TEST(NcclModel, GivesThePublishedLatenciesAndBandwidthsOfAHopperNode) {
  const NcclMachine machine = nccl_machine({GpuGeneration::kHopper, 1, 8, 370.8, 0, 50});
  EXPECT_EQ(machine.channels(), 24U);
  EXPECT_DOUBLE_EQ(machine.ring.channels * machine.ring.intra, 360);
  const auto all = nccl_estimates(Operation::kAllReduce, 1 << 20, machine);
  const auto expect = [&](NcclAlgorithm algorithm, Protocol protocol, double latency, double bw) {
    const NcclEstimate& e = find(all, algorithm, protocol);
    EXPECT_NEAR(e.latency_us, latency, 1e-9);
    EXPECT_NEAR(e.bandwidth, bw, 0.01);
    EXPECT_NEAR(e.time_us, latency + (1 << 20) / (e.bandwidth * 1e3), 1e-6);
  };
  expect(NcclAlgorithm::kRing, Protocol::kLl, 15.0, 80.571);
  expect(NcclAlgorithm::kRing, Protocol::kLl128, 40.6, 189.257);
  expect(NcclAlgorithm::kRing, Protocol::kSimple, 56.0, 205.714);
  expect(NcclAlgorithm::kTree, Protocol::kLl, 15.2, 43.579 / 2);
  expect(NcclAlgorithm::kTree, Protocol::kSimple, 64.4, 165.6 / 2);
}

// A DGX-2 of 16 V100s: 6 channels of 20 GB/s, doubled. From NCCL's rows of Volta: a ring of LL
// moves 39 GB/s at most, of LL128 0.92 x 120. Between nodes of 8 NICs of 12.5 GB/s trees have 8 x
// 15 x 0.92 GB/s on two, and on four 8 x 10, the cap of a channel. There rings of Simple take (8.4
// + 60 x 3.4 + 2 x 14) us, 1.9 times that from 64 bytes per rank and channel on. A100s have 1.4
// times.
TEST(NcclModel, GivesThePublishedLatenciesAndBandwidthsOfVolta) {
  const auto of = [](std::uint32_t nodes, NcclAlgorithm algorithm, Protocol protocol) {
    const NcclMachine machine = nccl_machine({GpuGeneration::kVolta, nodes, 16, 120, 8, 12.5});
    return find(nccl_estimates(Operation::kAllReduce, 1 << 30, machine), algorithm, protocol);
  };
  using enum NcclAlgorithm;
  EXPECT_NEAR(of(1, kRing, Protocol::kLl).latency_us, 6.6 + 30 * 0.6, 1e-9);
  EXPECT_NEAR(of(1, kRing, Protocol::kLl).bandwidth, 39 * 16 / 30.0, 0.01);
  EXPECT_NEAR(of(1, kRing, Protocol::kLl128).bandwidth, 110.4 * 16 / 30, 0.01);
  EXPECT_NEAR(of(1, kRing, Protocol::kSimple).bandwidth, 64, 0.01);
  EXPECT_NEAR(of(2, kRing, Protocol::kSimple).latency_us, 240.4 * 1.9, 1e-6);
  EXPECT_NEAR(of(2, kTree, Protocol::kSimple).bandwidth, 110.4 / 2, 0.01);
  EXPECT_NEAR(of(4, kTree, Protocol::kSimple).bandwidth, 80.0 / 2, 0.01);
}

// Sixteen nodes of eight, NICs of 50 GB/s: ring Simple (8.4 + (254 - 30) x 3.4 + 30 x 14) x 1.4
// = 1666 us, and without the 1.4 below 64 bytes for each of 128 ranks and 16 channels; tree
// Simple 8.4 + 2 (7 x 4 + 4 x 14) = 176.4 us.
TEST(NcclModel, PutsNetworkHopsIntoTheLatencyOfSeveralNodes) {
  const NcclMachine machine = nccl_machine({GpuGeneration::kHopper, 16, 8, 370.8, 0, 50});
  const auto all = nccl_estimates(Operation::kAllReduce, 1 << 20, machine);
  EXPECT_NEAR(find(all, NcclAlgorithm::kRing, Protocol::kSimple).latency_us, 1666, 1e-6);
  EXPECT_NEAR(find(nccl_estimates(Operation::kAllReduce, 64 * 128 * 16 - 1, machine),
                   NcclAlgorithm::kRing, Protocol::kSimple)
                  .latency_us,
              1190, 1e-6);
  EXPECT_NEAR(find(all, NcclAlgorithm::kTree, Protocol::kSimple).latency_us, 176.4, 1e-6);
}

// Steps of a ring take the host 1 us each to post, more than LL's 0.6 us: 6.6 + 224 x 1 + 30 x 2.7
// = 311.6 us. A transport of 15 us adds to every network hop, 30 of the ring and 2 x 4 of trees, in
// Simple twice, for the flush. AMD's hosts, those of A100s, take 2 us to post.
TEST(NcclModel, AddsWhatHostsAndTransportsTake) {
  const auto latency = [](GpuGeneration generation, NcclAlgorithm algorithm, Protocol protocol,
                          double transport_us) {
    NcclMachine machine = nccl_machine({generation, 16, 8, 370.8, 0, 50});
    machine.transport_us = transport_us;
    return find(nccl_estimates(Operation::kAllReduce, 1024, machine), algorithm, protocol)
        .latency_us;
  };
  using enum GpuGeneration;
  EXPECT_NEAR(latency(kHopper, NcclAlgorithm::kRing, Protocol::kLl, 0), 311.6, 1e-6);
  EXPECT_NEAR(latency(kHopper, NcclAlgorithm::kRing, Protocol::kLl, 15), 761.6, 1e-6);
  EXPECT_NEAR(latency(kAmpere, NcclAlgorithm::kRing, Protocol::kLl, 0), 535.6, 1e-6);
  EXPECT_NEAR(latency(kHopper, NcclAlgorithm::kTree, Protocol::kSimple, 15), 416.4, 1e-6);
  EXPECT_NEAR(latency(kAmpere, NcclAlgorithm::kTree, Protocol::kSimple, 15), 416.4, 1e-6);
  EXPECT_NEAR(latency(kAmpere, NcclAlgorithm::kTree, Protocol::kLl, 15),
              latency(kAmpere, NcclAlgorithm::kTree, Protocol::kLl, 0) + 120, 1e-6);
}

// NVLSTree: 25 + 2 log2 k x 20.9 us. Per head of a Hopper node, of the least of 2 x 40 x 0.85 x 7/8
// = 59.5 inside, 48 between nodes (twice that between two), and the cap of 57.7 (two nodes) or 45.5
// GB/s: 57.7 x 8 = 461.6 and 45.5 x 8 = 364 GB/s, of which n / (2 (n - 1)). Two racks of 64
// Blackwells, 32 heads: 2 x 20 x 0.74 x 31/32 = 28.68, and 2 x 40 between them: 917.6 GB/s.
TEST(NcclModel, GivesThePublishedLatenciesAndBandwidthsOfNvlsTrees) {
  const auto of = [](GpuGeneration generation, std::uint32_t nodes, std::uint32_t gpus,
                     double intra) {
    NcclMachine machine = nccl_machine({generation, nodes, gpus, intra, 0, 50});
    machine.has_nvls = true;
    const auto all = nccl_estimates(Operation::kAllReduce, 1 << 30, machine);
    for (const Protocol protocol : {Protocol::kLl, Protocol::kLl128}) {
      for (const NcclEstimate& e : all) {
        EXPECT_FALSE(e.algorithm == NcclAlgorithm::kNvlsTree && e.protocol == protocol);
      }
    }
    return find(all, NcclAlgorithm::kNvlsTree, Protocol::kSimple);
  };
  using enum GpuGeneration;
  EXPECT_NEAR(of(kHopper, 2, 8, 370.8).latency_us, 66.8, 1e-9);
  EXPECT_NEAR(of(kHopper, 2, 8, 370.8).bandwidth, 461.6 * 16 / 30, 0.01);
  EXPECT_NEAR(of(kHopper, 16, 8, 370.8).latency_us, 192.2, 1e-9);
  EXPECT_NEAR(of(kHopper, 16, 8, 370.8).bandwidth, 364.0 * 128 / 254, 0.01);
  EXPECT_NEAR(of(kBlackwell, 2, 64, 721.8).bandwidth, 917.6 * 128 / 254, 0.1);
  NcclMachine without = nccl_machine({kHopper, 16, 8, 370.8, 0, 50});
  for (const NcclEstimate& e : nccl_estimates(Operation::kAllReduce, 1 << 30, without)) {
    EXPECT_NE(e.algorithm, NcclAlgorithm::kNvlsTree) << "no switches that reduce";
  }
  without.generation = kAmpere;
  without.has_nvls = true;
  for (const NcclEstimate& e : nccl_estimates(Operation::kAllReduce, 1 << 30, without)) {
    EXPECT_NE(e.algorithm, NcclAlgorithm::kNvlsTree) << "NVLink SHARP came with Hopper";
  }
}

// Of all-gather and reduce-scatter every rank would be a head: beyond 32 they are not by NVLS.
TEST(NcclModel, HasNvlsForHalvesOfUpTo32Gpus) {
  for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter}) {
    for (const auto& [gpus, has_nvls] : {std::pair(32U, true), std::pair(33U, false)}) {
      NcclMachine machine = nccl_machine({GpuGeneration::kBlackwell, 1, gpus, 721.8, 0, 50});
      machine.has_nvls = true;
      const auto all = nccl_estimates(operation, 1 << 30, machine);
      EXPECT_EQ(std::ranges::any_of(
                    all, [](const auto& e) { return e.algorithm == NcclAlgorithm::kNvls; }),
                has_nvls)
          << gpus;
    }
  }
}

RankLayout node(std::uint32_t ranks, std::uint32_t per_domain, bool has_nvls = false) {
  RankLayout layout;
  for (std::uint32_t r = 0; r < ranks; ++r) layout.domain.push_back(r / per_domain);
  layout.domain_rate = BitsPerSecond(2'966'400'000'000);  // 370.8 GB/s
  layout.network_rate = 400_Gbps;
  layout.domain_latency = 1_us;
  layout.network_latency = 3_us;
  layout.has_in_network_reduction = has_nvls;
  return layout;
}

struct Row {
  std::uint32_t ranks;
  bool has_nvls;
  Bytes size;
  Algorithm algorithm;
  Protocol protocol;
};

// What the constants come to. One node without NVLS: LL to some hundred KiB, then LL128, Simple
// from 56.0 - 40.6 = 15.4 us at 1/189.26 - 1/205.71 us per kB: 36.5 MB on. With NVLS (25 us, 0.85 x
// 360 x 8/9 = 272 GB/s): LL below 10 us x 1/(1/80.57 - 1/272) = 1.14 MB. Sixteen nodes: trees until
// rings are worth their latency, or where NVLS is, until 183 GB/s of NVLSTree are worth its 192 us.
TEST(NcclChoice, IsThatOfTheTable) {
  const std::vector<Row> table = {
      {8, false, 1_KiB, Algorithm::kRing, Protocol::kLl},
      {8, false, 256_KiB, Algorithm::kRing, Protocol::kLl},
      {8, false, 8_MiB, Algorithm::kRing, Protocol::kLl128},
      {8, false, 32_MiB, Algorithm::kRing, Protocol::kLl128},
      {8, false, 40_MiB, Algorithm::kRing, Protocol::kSimple},
      {8, false, 4_GiB, Algorithm::kRing, Protocol::kSimple},
      {8, true, 1_MiB, Algorithm::kRing, Protocol::kLl},
      {8, true, 2_MiB, Algorithm::kNvls, Protocol::kSimple},
      {8, true, 4_GiB, Algorithm::kNvls, Protocol::kSimple},
      {128, false, 1_KiB, Algorithm::kDoubleBinaryTree, Protocol::kLl},
      {128, false, 4_MiB, Algorithm::kDoubleBinaryTree, Protocol::kLl128},
      {128, false, 16_GiB, Algorithm::kRing, Protocol::kSimple},
      {128, true, 1_KiB, Algorithm::kDoubleBinaryTree, Protocol::kLl},
      {128, true, 4_MiB, Algorithm::kDoubleBinaryTree, Protocol::kLl128},
      {128, true, 64_MiB, Algorithm::kNvlsTree, Protocol::kSimple},
      {128, true, 4_GiB, Algorithm::kNvlsTree, Protocol::kSimple},
  };
  for (const Row& row : table) {
    CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kNccl, row.size);
    const auto choice = choose_algorithm(spec, row.ranks, node(row.ranks, 8, row.has_nvls));
    ASSERT_TRUE(choice.ok());
    EXPECT_EQ(choice.value().algorithm, row.algorithm)
        << row.size.count() << ": " << choice.value().reason;
    EXPECT_EQ(choice.value().protocol, row.protocol)
        << row.size.count() << ": " << choice.value().reason;
  }
}

TEST(NcclChoice, LeavesAGivenProtocolAndOperationsThatItDoesNotTune) {
  CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kNccl, 1_KiB);
  spec.execution.protocol = Protocol::kSimple;
  EXPECT_EQ(choose_algorithm(spec, 8, node(8, 8)).value().protocol, Protocol::kSimple);
  const auto all_to_all =
      choose_algorithm(collective(Operation::kAllToAll, Algorithm::kNccl, 1_KiB), 8, node(8, 8));
  EXPECT_EQ(all_to_all.value().algorithm, Algorithm::kOneShot);
  EXPECT_NE(all_to_all.value().reason.find("does not tune"), std::string::npos);
}

TEST(Choice, NeedsRates) {
  const CollectiveSpec best = collective(Operation::kAllReduce, Algorithm::kBest, 1_KiB);
  EXPECT_FALSE(choose_algorithm(best, 8, {}).ok());
  const CollectiveSpec nccl = collective(Operation::kAllReduce, Algorithm::kNccl, 1_KiB);
  EXPECT_FALSE(choose_algorithm(nccl, 8, {}).ok());
}

/// A fabric in which all ranks are alike.
RankLayout flat(Picoseconds latency, BitsPerSecond rate) {
  RankLayout layout;
  layout.network_rate = rate;
  layout.network_latency = latency;
  return layout;
}

double port_time(std::uint32_t ranks, const CollectiveSpec& spec, const RankLayout& layout) {
  collectives::JobDescription description = job(ranks, spec);
  description.layout = layout;
  const collectives::Workload workload = build({description});
  collectives::Executor executor(workload);
  PortDelays ports(workload.connections(), ranks, layout.network_latency, layout.network_rate,
                   1_us);
  ZeroLoadNetwork network(ranks, workload.connections(),
                          ZeroLoadNetwork::TimedDelayOf(std::ref(ports)), kControl);
  network.run(executor);
  EXPECT_TRUE(executor.finished(0));
  return to_seconds(executor.outcome(0).end);
}

// The choice is measured against every fixed choice, all run on a network with a port per rank.
TEST(BestChoice, IsWithinTenPercentOfTheBestFixedChoice) {
  std::printf("%-14s %5s %10s %9s  %-20s %-20s %s\n", "operation", "ranks", "bytes", "latency",
              "best", "fastest", "ratio");
  for (const Operation operation :
       {Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter,
        Operation::kBroadcast, Operation::kAllToAll}) {
    for (const std::uint32_t n : {2U, 6U, 16U, 48U}) {
      for (const Bytes about : {1_KiB, 64_KiB, 1_MiB, 64_MiB}) {
        const Bytes size =
            about / n * n;  // ports take whole messages: those of one size interleave
        for (const Picoseconds latency : {500_ns, 5_us}) {
          const RankLayout layout = flat(latency, 400_Gbps);
          double fastest = 1e9;
          Algorithm winner = Algorithm::kBest;
          for (const Algorithm algorithm : collectives::algorithms_for(operation)) {
            const CollectiveSpec fixed = collective(operation, algorithm, size);
            if (!choose_algorithm(fixed, n, layout).ok()) continue;
            const double time = port_time(n, fixed, layout);
            if (time < fastest) {
              fastest = time;
              winner = algorithm;
            }
          }
          const CollectiveSpec best = collective(operation, Algorithm::kBest, size);
          const double chosen = port_time(n, best, layout);
          const auto choice = choose_algorithm(best, n, layout).value();
          std::printf("%-14s %5u %10lld %6.1f us  %-20s %-20s %.3f\n", name_of(operation), n,
                      static_cast<long long>(size.count()), to_seconds(latency) * 1e6,
                      name_of(choice.algorithm), name_of(winner), chosen / fastest);
          EXPECT_LE(chosen, 1.1 * fastest) << choice.reason;
        }
      }
    }
  }
}

// 2 (n-1) alpha of a ring against 2 log2 n alpha of trees: the size below which a tree is faster
// grows with n, as the model says.
TEST(Crossover, OfTreeAndRingMovesWithTheRanks) {
  const RankLayout layout = flat(2_us, 400_Gbps);
  Bytes last = 0_B;
  for (const std::uint32_t n : {4U, 16U, 64U}) {
    const auto tree_wins = [&](Bytes size) {
      return port_time(n, collective(Operation::kAllReduce, Algorithm::kBinomialTree, size),
                       layout) <
             port_time(n, collective(Operation::kAllReduce, Algorithm::kRing, size), layout);
    };
    Bytes low = 1_KiB;
    Bytes high = 64_MiB;
    EXPECT_TRUE(tree_wins(low));
    EXPECT_FALSE(tree_wins(high));
    while (high - low > low / 50) {
      const Bytes middle(static_cast<std::int64_t>(
          std::sqrt(static_cast<double>(low.count()) * static_cast<double>(high.count()))));
      (tree_wins(middle) ? low : high) = middle;
    }
    // 2 (n-1) a + 2 (n-1)/n S/C = 2 L (a + S/C), L = log2 n.
    const double l = std::log2(n);
    const double expected = 2e-6 * (n - 1 - l) / (l - (n - 1.0) / n) * 50e9;
    EXPECT_NEAR(static_cast<double>(low.count()), expected, 0.03 * expected) << n;
    EXPECT_GT(low, last);
    last = low;
  }
}

}  // namespace
}  // namespace weft::testing
