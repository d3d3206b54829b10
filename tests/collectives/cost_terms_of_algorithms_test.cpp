#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/algorithms/cost_terms.hpp"
#include "collectives/costs/cost_model.hpp"
#include "collectives/jobs/collective/collective_bounds.hpp"
#include "tests/collectives/zero_load_run.hpp"

// What the cost model predicts, in closed form. A byte takes B between domains and b inside them, r
// to reduce and c to copy. A message takes the latency A between domains and a inside. S is the
// size, n the ranks, k the domains, g the ranks of each. Tolerance: 1e-12 of the whole, for sums of
// doubles in another order.
namespace weft::testing {
namespace {

using collectives::Algorithm;
using collectives::CollectiveSpec;
using collectives::Operation;
using collectives::RankLayout;

constexpr double kNetLatency = 5e-6;        // A
constexpr double kNetByte = 1e-10;          // B: 80 Gbps
constexpr double kInsideLatency = 1e-6;     // a
constexpr double kInsideByte = 1e-11;       // b: 800 Gbps
constexpr double kReducedByte = 2e-11;      // r: 400 Gbps
constexpr double kCopiedByte = 4e-11;       // c: 200 Gbps
constexpr double kPortMessage = 3e-9;       // of a message at the port of its sender
constexpr double kSwitchMessage = 3.75e-9;  // of one that scale-up switches work on

/// k domains of g ranks.
RankLayout domains_of(std::uint32_t k, std::uint32_t g) {
  RankLayout layout;
  for (std::uint32_t rank = 0; rank < k * g; ++rank) layout.domain.push_back(rank / g);
  layout.network_latency = 5_us;
  layout.network_rate = 80_Gbps;
  layout.domain_latency = 1_us;
  layout.domain_rate = 800_Gbps;
  return layout;
}

/// Ranks take time to reduce and to copy.
CollectiveSpec handled(Operation operation, Algorithm algorithm, Bytes size) {
  CollectiveSpec spec = collective(operation, algorithm, size);
  spec.execution.reduce_rate = 400_Gbps;
  spec.execution.copy_rate = 200_Gbps;
  return spec;
}

void expect_cost(const CollectiveSpec& spec, const RankLayout& layout, double expected) {
  const auto ranks = static_cast<std::uint32_t>(layout.domain.size());
  const auto seconds = collectives::estimate(spec, spec.algorithm, ranks, layout);
  ASSERT_TRUE(seconds.has_value());
  EXPECT_NEAR(*seconds, expected, 1e-12 * expected);
}

/// The latency inside a domain, and the first packet of a message, which crosses three times one of
/// a GPU's 18 links.
double first_inside(double message, double crossings = 3) {
  return kInsideLatency + std::min(message, 4096.0) * crossings * 18 * kInsideByte;
}

/// Packets of a ring do not meet: they cross two links, and the first of them while a rank's other
/// bytes of the step leave, `sent` with the message.
double first_in_ring(double message, double sent) {
  const double crossing = first_inside(message, 1) - kInsideLatency;
  return kInsideLatency + crossing + std::max(0.0, crossing - sent * kInsideByte);
}

// Twice, every rank sends S/n to n-1 others at once. The bytes take 2 percent longer where senders
// meet at receivers. A rank reduces, and copies, n-1 parts of its own.
TEST(PredictedCost, OfTwoShotsIsTwoExchangesAndWhatIsReducedAndCopied) {
  const double n = 4;
  const double size = 4e6;
  const double exchange =
      kNetLatency + (n - 1) * (size / n * collectives::kNoCollisions * kNetByte + kPortMessage);
  expect_cost(handled(Operation::kAllReduce, Algorithm::kTwoShot, 4_MB), domains_of(4, 1),
              2 * exchange + (n - 1) * size / n * (kReducedByte + kCopiedByte));
}

// The last message of an exchange comes from the farthest rank, 8 us away, and its step takes 2 us
// as any other: 10 us in place of 5 + 2. A farthest rank that is nearer than others changes
// nothing.
TEST(PredictedCost, OfExchangesHasTheStepToTheFarthestRank) {
  CollectiveSpec spec = collective(Operation::kAllGather, Algorithm::kOneShot, 4_MB);
  spec.execution.step_latency = 2_us;
  const double bytes = 3 * (1e6 * collectives::kNoCollisions * kNetByte + kPortMessage);
  RankLayout layout = domains_of(4, 1);
  expect_cost(spec, layout, 7e-6 + bytes);
  layout.farthest_latency = 8_us;
  expect_cost(spec, layout, 10e-6 + bytes);
  layout.farthest_latency = 4_us;
  expect_cost(spec, layout, 7e-6 + bytes);
}

// n-1 steps of d(S), and as many blocks to copy.
TEST(PredictedCost, OfPairwiseExchangesIsAMessageAndACopyPerStep) {
  const double steps = 3;
  expect_cost(handled(Operation::kAllToAll, Algorithm::kPairwise, 1_MB), domains_of(4, 1),
              steps * (kNetLatency + 1e6 * kNetByte + 1e6 * kCopiedByte));
}

// n-1 steps that reduce and n-1 that copy, for each of two pieces, of S/2n bytes. k of every n hops
// cross domains. A step takes the latency, the bytes and the handling of its mean hop, or what the
// bytes take on the slowest links, where they wait for those before them: then the last one comes a
// latency later, and is copied. A domain's rings bring bytes by as many NICs as there are channels,
// while there are ranks enough.
TEST(PredictedCost, OfARingAcrossDomainsIsPacedByTheNicsOfItsChannels) {
  const double n = 8;
  const double bytes = 8e6 / 2 / n;  // of a step, in all channels
  bool waits_for_links = false;
  for (const std::uint32_t channels : {1U, 2U, 4U, 8U}) {
    CollectiveSpec spec = handled(Operation::kAllReduce, Algorithm::kRing, 8_MB);
    spec.execution.channels = channels;
    spec.execution.chunk = 500_KB / channels;
    const double inside = first_in_ring(bytes / channels, bytes);
    for (const std::uint32_t k : {2U, 4U}) {
      const double share = k / n;
      const double links = bytes * std::max(kInsideByte, kNetByte / std::min(channels, 8 / k));
      const double hop =
          (1 - share) * (inside + bytes * kInsideByte) + share * (kNetLatency + links);
      const double reduces = std::max(links, hop + bytes * kReducedByte);
      const double copies = std::max(links, hop + bytes * kCopiedByte);
      const bool is_late = copies > hop + bytes * kCopiedByte;
      waits_for_links = waits_for_links || is_late;
      const double last = is_late ? kNetLatency + std::min(links, bytes * kCopiedByte) : 0;
      expect_cost(spec, domains_of(k, 8 / k), 2 * ((n - 1) * (reduces + copies) + last));
    }
    expect_cost(
        spec, domains_of(1, 8),
        2 * (n - 1) * (2 * inside + bytes * (2 * kInsideByte + kReducedByte + kCopiedByte)));
  }
  EXPECT_TRUE(waits_for_links);
}

// In two slices one is handled while the other is on the links: inside a domain a step takes its
// bytes' handling, which is more, and at the end half of what the links take, and a latency.
TEST(PredictedCost, OfARingInSlicesHasHandlingBesideLinks) {
  CollectiveSpec spec = handled(Operation::kAllGather, Algorithm::kRing, 8_MB);
  spec.execution.slices = 2;
  const double bytes = 1e6;
  const double crossing = first_inside(bytes / 2, 1) - kInsideLatency;
  expect_cost(spec, domains_of(1, 8),
              7 * bytes * kCopiedByte + kInsideLatency + crossing +
                  std::max(0.0, crossing - bytes / 2 * kInsideByte) + bytes * kInsideByte / 2);
}

// Up and down in log2 n rounds each, a message of S per round, which ranks reduce and copy.
TEST(PredictedCost, OfABinomialTreeUpAndDownHasBothReducingAndCopying) {
  const double rounds = 3;
  const double size = 1e6;
  expect_cost(
      handled(Operation::kAllReduce, Algorithm::kBinomialTree, 1_MB), domains_of(8, 1),
      2 * rounds * (kNetLatency + size * kNetByte) + rounds * size * (kReducedByte + kCopiedByte));
}

// The first of m chunks takes log2 n messages. The root sends each of the others log2 n times,
// behind it, without a latency more.
TEST(PredictedCost, OfABinomialBroadcastInChunksIsTheFirstAndTheBytesBehindIt) {
  CollectiveSpec spec = handled(Operation::kBroadcast, Algorithm::kBinomialTree, 1_MB);
  spec.execution.chunk = 250_KB;
  const double rounds = 3;
  const double chunk = 25e4;
  expect_cost(spec, domains_of(8, 1),
              rounds * (kNetLatency + chunk * kNetByte) + 3 * rounds * chunk * kNetByte +
                  rounds * 4 * chunk * kCopiedByte);
}

// Two trees of S/2, in four chunks each. The first pair goes up and down log2 n levels, two of a
// node's messages per level. Behind it the busiest rank sends four chunks for each pair. Without a
// window, or with one of more than eight messages, it takes a quarter longer.
TEST(PredictedCost, OfTwoTreesIsAQuarterMorePerChunkUnlessAWindowHoldsBackLeaves) {
  CollectiveSpec spec = handled(Operation::kAllReduce, Algorithm::kDoubleBinaryTree, 8_MB);
  spec.execution.chunk = 1_MB;
  const double chunk = 1e6;
  const double first = 2 * 3 * (kNetLatency + 2 * chunk * kNetByte);
  const double handling = 8e6 * (kReducedByte + kCopiedByte);
  for (const std::uint32_t window : {0U, 1U, 2U, 8U, 9U}) {
    const double copies = window >= 1 && window <= 8 ? 4 : 5;
    spec.execution.in_flight = window;
    expect_cost(spec, domains_of(8, 1), first + 3 * copies * chunk * kNetByte + handling);
  }
}

// Undivided, each of two trees carries S/2: up and down a chain through each of two domains, and
// between their heads. A block of threads moves it at its own rate there and there, after which
// only the latency is left; without a rate links set the pace.
TEST(PredictedCost, OfAPacedTreeIsWhatBlocksTakeInsideDomainsAndBetweenThem) {
  const double half = 4e6;
  const double links = first_inside(half) + half * kInsideByte;
  const double g = 4;
  struct Rates {
    BitsPerSecond inside;
    BitsPerSecond between;
    double seconds_inside;
    double seconds_between;
  };
  for (const Rates& rates :
       {Rates{8_Gbps, 4_Gbps, kInsideLatency + 4e-3, 8e-3},
        Rates{8_Gbps, 0_Gbps, kInsideLatency + 4e-3, 4e-3}, Rates{0_Gbps, 4_Gbps, links, 8e-3}}) {
    CollectiveSpec spec = handled(Operation::kAllReduce, Algorithm::kDoubleBinaryTree, 8_MB);
    spec.execution.transfer = collectives::Execution::Transfer::kPaced;
    spec.execution.channel_rate = rates.inside;
    spec.execution.network_channel_rate = rates.between;
    expect_cost(spec, domains_of(2, 4),
                2 * (kNetLatency + rates.seconds_between) + 2 * (g - 1) * rates.seconds_inside);
  }
}

// A piece p of S passes a ring of its domain, of p/g per message and rank, a ring of its rail, up
// and down, of p/g/k, and a ring of the domain again. Rings inside make g-1 steps, those of a rail
// 2 (k-1), and both reduce or copy as they go. Each further piece takes as long as the slowest
// stage: here the rail.
TEST(PredictedCost, OfAHierarchicalAllReduceIsTwoRingsInsideAndOneAlongTheRail) {
  CollectiveSpec spec = handled(Operation::kAllReduce, Algorithm::kHierarchical, 8_MB);
  spec.execution.channels = 2;
  spec.execution.chunk = 250_KB;  // g chunks make a channel's piece: four pieces
  const double g = 4;
  const double k = 2;
  const double piece = 2e6;
  const double inside = (g - 1) * (first_in_ring(piece / g / 2, piece / g) +
                                   piece / g * (kInsideByte + kReducedByte));
  const double along = 2 * (k - 1) * (kNetLatency + piece / g / k * (kNetByte + kReducedByte));
  EXPECT_GT(along, inside);
  expect_cost(spec, domains_of(2, 4), 2 * inside + along + 3 * along);
}

// Undivided, in one piece, with nothing to be paced by: a lap inside, the rail, a lap inside.
TEST(PredictedCost, OfAnUndividedHierarchicalAllReduceMakesOneLapInsideEachWay) {
  const double g = 4;
  const double k = 2;
  const double size = 8e6;
  const double inside =
      (g - 1) * (first_in_ring(size / g, size / g) + size / g * (kInsideByte + kReducedByte));
  const double along = 2 * (k - 1) * (kNetLatency + size / g / k * (kNetByte + kReducedByte));
  expect_cost(handled(Operation::kAllReduce, Algorithm::kHierarchical, 8_MB), domains_of(2, 4),
              2 * inside + along);
}

// The ring of a domain makes a lap for every domain's share. The first lap of a reduce-scatter
// comes before the rail has anything to send; of an all-gather, the last comes after it. The other
// laps take place beside the rail. So it takes all laps, or the rail and one lap.
TEST(PredictedCost, OfAHierarchicalHalfIsTheRailAndOneLapOrAllLaps) {
  const double g = 4;
  const double size = 8e6;
  const auto lap = [&](double k, double handling) {
    const double step = size / k / g;
    return (g - 1) * (first_in_ring(step, step) + step * (kInsideByte + handling));
  };
  const auto rail = [&](double k, double handling) {
    return (k - 1) * (kNetLatency + size / g / k * (kNetByte + handling));
  };
  for (const auto& [operation, handling] : {std::pair(Operation::kReduceScatter, kReducedByte),
                                            std::pair(Operation::kAllGather, kCopiedByte)}) {
    const CollectiveSpec spec = handled(operation, Algorithm::kHierarchical, 8_MB);
    for (const std::uint32_t k : {2U, 4U}) {
      const double expected = std::max(k * lap(k, handling), rail(k, handling) + lap(k, handling));
      expect_cost(spec, domains_of(k, 4), expected);
    }
  }
  EXPECT_LT(4 * lap(4, kReducedByte), rail(4, kReducedByte) + lap(4, kReducedByte))
      << "one of the cases waits for the rail";
  EXPECT_GT(2 * lap(2, kCopiedByte), rail(2, kCopiedByte) + lap(2, kCopiedByte))
      << "one of the cases waits for the laps";
}

// Rank 0 of two domains of three has a block of D for 1 and for 2, and nobody has anything else. It
// sends 2 D by its one port while they receive D each. So D goes before what the rail could pass
// on (2 D, of two domains), 2 D go at the links' rate, and a rank copies D.
TEST(PredictedCost, OfATwoLevelAllToAllWaitsForTheBusiestSender) {
  CollectiveSpec spec = handled(Operation::kAllToAllV, Algorithm::kHierarchical, 0_B);
  spec.matrix.assign(36, 0);
  const double block = 1e6;
  spec.matrix[1] = 1'000'000;
  spec.matrix[2] = 1'000'000;
  expect_cost(spec, domains_of(2, 3),
              kNetLatency + first_inside(block) + block * kInsideByte + 2 * block * kInsideByte +
                  block * kCopiedByte);
}

// Two ranks send D each to a third, which copies both.
TEST(PredictedCost, OfATwoLevelAllToAllWaitsForTheBusiestReceiver) {
  CollectiveSpec spec = handled(Operation::kAllToAllV, Algorithm::kHierarchical, 0_B);
  spec.matrix.assign(36, 0);
  const double block = 1e6;
  spec.matrix[1 * 6] = 1'000'000;
  spec.matrix[2 * 6] = 1'000'000;
  expect_cost(spec, domains_of(2, 3),
              kNetLatency + first_inside(block) + block * kInsideByte + 2 * block * kInsideByte +
                  2 * block * kCopiedByte);
}

// Two channels are worked on as if each of their four pieces of S were two, p bytes each. Switches
// add up p in every domain, then a head's part p/4 goes up log2 k levels, and down again as the
// switches repeat it. A NIC carries a part once each way of two domains, twice of more: half of
// that is on its way on a level. Behind the first piece follows the rest at the pace of the NICs,
// which wait for two sums and a copy of every part.
TEST(PredictedCost, OfAnNvlsTreeHasTheNicCarryAPartOnceOfTwoDomainsAndTwiceOfMore) {
  CollectiveSpec spec = handled(Operation::kAllReduce, Algorithm::kNvlsTree, 8_MB);
  spec.execution.channels = 2;
  spec.execution.chunk = 250_KB;  // times four heads and two channels: 2 MB
  const double heads = 4;
  const double pieces = 8;
  const double piece = 8e6 / pieces;
  const double part = piece / heads;
  const double messages = heads * kSwitchMessage;
  const double inside = first_inside(part, 1.3) + piece * kInsideByte + messages;
  for (const auto& [k, levels, times] : {std::tuple(2U, 1, 1), std::tuple(4U, 2, 2)}) {
    RankLayout layout = domains_of(k, 4);
    layout.has_in_network_reduction = true;
    const double level = kNetLatency + part * (times / 2.0 * kNetByte + kReducedByte);
    const double pace = part * (times * kNetByte + 2 * kReducedByte + kCopiedByte);
    EXPECT_GT(pace, piece * kCopiedByte);
    EXPECT_GT(pace, piece * kInsideByte * 5 / 4 + messages);
    expect_cost(spec, layout,
                2 * (inside + piece * kCopiedByte + levels * level) + (pieces - 1) * pace);
  }
}

// A rank sends a chunk up the tree and is sent it down again: two messages. A job has as many for
// every rank and every iteration.
TEST(BoundOfMessages, OfATreeIsTwoPerChunk) {
  const std::uint32_t ranks = 8;
  CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kBinomialTree, 1_MB, 3);
  spec.execution.chunk = 100_KB;
  EXPECT_DOUBLE_EQ(collectives::max_messages(spec, ranks, 1).messages, 2 * 10 * ranks * 3);
  spec.execution.chunk = 0_B;
  EXPECT_DOUBLE_EQ(collectives::max_messages(spec, ranks, 1).messages, 2 * ranks * 3);
}

}  // namespace
}  // namespace weft::testing
