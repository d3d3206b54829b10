#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/jitter/jitter.hpp"
#include "simcore/fabric/port_delays.hpp"
#include "tests/collectives/zero_load_run.hpp"

// Collectives on message networks: an ideal one, where every message takes alpha + B / C, and one
// with a port of rate C per rank, where messages queue at both ends (port_delays.hpp).
namespace weft::testing {
namespace {

using collectives::Algorithm;
using collectives::CollectiveSpec;
using collectives::draw_delay;
using collectives::Jitter;
using collectives::Operation;
using collectives::Protocol;
using collectives::Straggler;

constexpr Picoseconds kLatency = 2_us;
constexpr BitsPerSecond kPort = 400_Gbps;

/// The end of one collective on a network of ports, in seconds.
double port_time(std::uint32_t ranks, const CollectiveSpec& spec) {
  const collectives::Workload workload = build({job(ranks, spec)});
  collectives::Executor executor(workload);
  PortDelays ports(workload.connections(), ranks, kLatency, kPort, 1_us);
  ZeroLoadNetwork network(ranks, workload.connections(),
                          ZeroLoadNetwork::TimedDelayOf(std::ref(ports)), kControl);
  network.run(executor);
  EXPECT_TRUE(executor.finished(0));
  return to_seconds(executor.outcome(0).end);
}

double log2_of(double n) { return std::log2(n); }

/// A closed form of n, alpha and S / C (the time of the whole vector).
struct Form {
  const char* name;
  Operation operation;
  Algorithm algorithm;
  double (*time)(double n, double alpha, double vector);
};

// R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19, 2005. n a power of two for the last four. In an
// all-to-all, S is what a rank sends in all.
const std::vector<Form> kForms = {
    {"ring all-reduce", Operation::kAllReduce, Algorithm::kRing,
     [](double n, double a, double v) { return 2 * (n - 1) * a + 2 * (n - 1) / n * v; }},
    {"ring all-gather", Operation::kAllGather, Algorithm::kRing,
     [](double n, double a, double v) { return (n - 1) * a + (n - 1) / n * v; }},
    {"ring reduce-scatter", Operation::kReduceScatter, Algorithm::kRing,
     [](double n, double a, double v) { return (n - 1) * a + (n - 1) / n * v; }},
    {"one-shot all-gather", Operation::kAllGather, Algorithm::kOneShot,
     [](double n, double a, double v) { return a + (n - 1) / n * v; }},
    {"two-shot all-reduce", Operation::kAllReduce, Algorithm::kTwoShot,
     [](double n, double a, double v) { return 2 * a + 2 * (n - 1) / n * v; }},
    {"pairwise all-to-all", Operation::kAllToAll, Algorithm::kPairwise,
     [](double n, double a, double v) { return (n - 1) * a + (n - 1) / n * v; }},
    {"recursive doubling", Operation::kAllReduce, Algorithm::kRecursiveDoubling,
     [](double n, double a, double v) { return log2_of(n) * (a + v); }},
    {"Rabenseifner", Operation::kAllReduce, Algorithm::kHalvingDoubling,
     [](double n, double a, double v) { return 2 * log2_of(n) * a + 2 * (n - 1) / n * v; }},
    {"binomial tree", Operation::kAllReduce, Algorithm::kBinomialTree,
     [](double n, double a, double v) { return 2 * log2_of(n) * (a + v); }},
    {"binomial broadcast", Operation::kBroadcast, Algorithm::kBinomialTree,
     [](double n, double a, double v) { return log2_of(n) * (a + v); }},
};

// 2 %: parts are rounded to bytes, and nothing else differs.
TEST(ClosedForm, HoldsFor1KiBTo1GiBAnd2To256Ranks) {
  for (const Form& form : kForms) {
    for (const std::uint32_t n : {2U, 8U, 64U, 256U}) {
      for (const Bytes size : {1_KiB, 64_KiB, 16_MiB, 1_GiB}) {
        const bool is_by_blocks = form.operation == Operation::kAllToAll;
        const Bytes given = is_by_blocks ? size / n : size;
        if (n == 256 && is_by_blocks && size < 16_MiB) continue;  // as many messages, less to see
        const double vector = to_seconds(transmission_time(size, kPort));
        const double expected = form.time(n, to_seconds(kLatency), vector);
        EXPECT_NEAR(port_time(n, collective(form.operation, form.algorithm, given)) / expected, 1,
                    0.02)
            << form.name << ", n = " << n << ", " << size.count() << " bytes";
      }
    }
  }
}

// A chain of n ranks and k chunks: (n - 1 + k - 1) (alpha' + S / (k C)), where alpha is paid per
// rank only: (n-1) alpha + (n + k - 2) S / (k C).
TEST(ClosedForm, HoldsForAPipelinedChain) {
  for (const std::uint32_t n : {2U, 8U, 64U}) {
    for (const std::int64_t chunks : {1, 4, 64}) {
      CollectiveSpec spec = collective(Operation::kBroadcast, Algorithm::kRing, 64_MiB);
      spec.execution.chunk = 64_MiB / chunks;
      const double piece = to_seconds(transmission_time(64_MiB / chunks, kPort));
      const auto k = static_cast<double>(chunks);
      const double expected = (n - 1) * to_seconds(kLatency) + (n + k - 2) * piece;
      EXPECT_NEAR(port_time(n, spec) / expected, 1, 0.02) << n << " " << chunks;
    }
  }
}

// P. Sanders et al. 2009, with chunks of c bytes: 2 log2 n (alpha + 2 c/C) + 2 S/C. A rank is a
// leaf of one tree and inside the other, half of the vector in each: up, it sends S/2 twice, down
// S/2 to two children; it gets as much. So every port carries 2 S either way, whatever n is (two
// ranks: S). On its way up and down a chunk passes log2 n levels, and at each of them waits for the
// one of its sibling, as both use one port of their parent.
//
// That all ports are busy all of the time takes a window: without one, every leaf posts its whole
// half at time 0, and what it has to pass on as an inner rank of the other tree waits behind it.
// Two chunks, which are as long as a round trip of one. 2 %; between what is one chunk and what are
// many, either term is too large.
TEST(ClosedForm, HoldsForDoubleBinaryTreesWithAWindow) {
  for (const std::uint32_t n : {4U, 8U, 32U, 128U, 256U}) {
    for (const Bytes size : {1_KiB, 64_MiB, 1_GiB}) {
      CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kDoubleBinaryTree, size);
      if (size > 1_KiB) spec.execution.chunk = size / 1024;
      spec.execution.in_flight = 2;
      const double a = to_seconds(kLatency);
      const double chunk =
          to_seconds(transmission_time(size > 1_KiB ? spec.execution.chunk : size / 2, kPort));
      const double vector = to_seconds(transmission_time(size, kPort));
      const double expected = 2 * log2_of(n) * (a + 2 * chunk) + 2 * vector;
      EXPECT_NEAR(port_time(n, spec) / expected, 1, 0.02) << n << " " << size.count();
    }
  }
}

// What that window is worth: the flood of the leaves, S/2, comes before all that inner ranks send:
// 2.5 S/C instead of 2 S/C, and a third more with large chunks.
TEST(ClosedForm, DoubleBinaryTreesWithoutAWindowTakeAQuarterLonger) {
  for (const std::uint32_t n : {8U, 64U, 128U}) {
    CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kDoubleBinaryTree, 256_MiB);
    spec.execution.chunk = 256_KiB;
    const double vector = to_seconds(transmission_time(256_MiB, kPort));
    EXPECT_NEAR(port_time(n, spec) / (2 * vector), 1.25, 0.025) << n;
  }
}

// Hierarchical: 2 (g-1) alpha + 2 (g-1)/g S/C + 2 (k-1) alpha + 2 (k-1)/k (S/g)/C.
TEST(ClosedForm, HoldsForHierarchicalAllReduce) {
  for (const std::uint32_t g : {4U, 8U}) {
    for (const std::uint32_t k : {2U, 16U}) {
      for (const Bytes size : {64_KiB, 64_MiB}) {
        CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kHierarchical, size);
        spec.domain_size = g;
        const double v = to_seconds(transmission_time(size, kPort));
        const double a = to_seconds(kLatency);
        const double expected = 2.0 * (g - 1) * a + 2.0 * (g - 1) / g * v + 2.0 * (k - 1) * a +
                                2.0 * (k - 1) / k * v / g;
        EXPECT_NEAR(port_time(g * k, spec) / expected, 1, 0.02) << g << " x " << k;
      }
    }
  }
}

// Two levels, all-to-all of S per pair: a rank sends k (g-1) blocks inside its domain, and passes
// on g (k-1) along its rail, all by one port here: 2 alpha + (k (g-1) + g (k-1)) S/C.
TEST(ClosedForm, HoldsForAnAllToAllOfTwoLevels) {
  for (const std::uint32_t g : {2U, 4U, 8U}) {
    for (const std::uint32_t k : {2U, 4U, 8U}) {
      for (const Bytes size : {64_B, 4_MiB}) {
        CollectiveSpec spec = collective(Operation::kAllToAll, Algorithm::kHierarchical, size);
        spec.domain_size = g;
        const double block = to_seconds(transmission_time(size, kPort));
        const double expected = 2 * to_seconds(kLatency) + (k * (g - 1.0) + g * (k - 1.0)) * block;
        EXPECT_NEAR(port_time(g * k, spec) / expected, 1, 0.02) << g << " x " << k;
      }
    }
  }
}

Picoseconds ideal_time(std::uint32_t ranks, const CollectiveSpec& spec) {
  const ZeroLoadRun run(build({job(ranks, spec)}));
  EXPECT_TRUE(run.outcome().is_finished);
  return run.outcome().end;
}

// Without contention, g = 8, k = 2, 16 pieces, bandwidth terms alone. Undivided: 2 (7/8) + 2 (1/16)
// = 1.875 S/C. Pipelined, all stages of the first piece, and 15 times the longest: (1.875 + 15 x
// 7/8) / 16 = 0.94 S/C.
TEST(Hierarchical, ChunksOverlapTheStages) {
  CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kHierarchical, 256_MiB);
  spec.domain_size = 8;
  const double vector = to_seconds(transmission_time(256_MiB, kRate));
  EXPECT_NEAR(to_seconds(ideal_time(16, spec)) / vector, 1.875, 0.01);
  spec.execution.chunk = 2_MiB;
  EXPECT_NEAR(to_seconds(ideal_time(16, spec)) / vector, 0.94, 0.01);
}

TEST(Execution, LaunchComputeAndStepLatencyAddUp) {
  CollectiveSpec spec = all_reduce(8_KiB, 3);
  const Picoseconds plain = ideal_time(8, spec);
  spec.execution.launch = 10_us;
  EXPECT_EQ(ideal_time(8, spec), plain + 3 * 10_us);
  spec.compute = 1_ms;
  EXPECT_EQ(ideal_time(8, spec), plain + 3 * (10_us + 1_ms));
  spec.execution.step_latency = 1_us;  // 14 steps
  EXPECT_EQ(ideal_time(8, spec), plain + 3 * (10_us + 1_ms + 14 * 1_us));
}

// LL sends 8 bytes for 4, LL128 128 for 120; a ring makes 14 steps of 1 KiB.
TEST(Execution, ProtocolsCostBytesAndLatency) {
  CollectiveSpec spec = all_reduce(8_KiB);
  spec.execution.protocol = Protocol::kLl;
  EXPECT_EQ(ideal_time(8, spec), 14 * message_time(2_KiB));
  spec.execution.protocol = Protocol::kLl128;
  EXPECT_EQ(ideal_time(8, spec), 14 * (message_time(9 * 128_B) + Picoseconds(1'300'000)));
  spec.execution.protocol = Protocol::kSimple;
  EXPECT_EQ(ideal_time(8, spec), 14 * (message_time(1_KiB) + Picoseconds(2'800'000)));
}

// Two slices of 512 bytes per step of 14. A serial channel sends one, is busy with it for 600 ns of
// wire, 2.8 us of Simple and its bytes at 2 Gbps, or until it is acknowledged, and then sends the
// next: 28 turns, of which the last ends when its receiver sees it. Adding goes along, but the copy
// of a rank's own data, at 8 Gbps, goes before each of the first two.
TEST(Execution, SerialChannelsMoveOneSliceAtATime) {
  CollectiveSpec spec = all_reduce(8_KiB);
  spec.execution.slices = 2;
  spec.execution.in_flight = 4;
  spec.execution.protocol = Protocol::kSimple;
  spec.execution.transfer = collectives::Execution::Transfer::kSerial;
  const Picoseconds seen = message_time(512_B) + Picoseconds(2'800'000);
  const Picoseconds acknowledged = message_time(512_B) + kBack;
  EXPECT_EQ(ideal_time(8, spec), 27 * acknowledged + seen);
  spec.execution.channel_rate = 2_Gbps;
  const Picoseconds turn = Picoseconds(3'400'000) + transmission_time(512_B, 2_Gbps);
  EXPECT_GT(turn, acknowledged);
  EXPECT_EQ(ideal_time(8, spec), 27 * turn + seen);
  spec.execution.reduce_rate = 8_Gbps;
  EXPECT_EQ(ideal_time(8, spec), 27 * turn + seen);
  spec.execution.copy_rate = 8_Gbps;
  EXPECT_EQ(ideal_time(8, spec), 27 * turn + seen + 2 * 512_ns);
}

// A paced channel moves a slice at its rate and hands it on then: 14 steps of 1 KiB, each 4.096 us
// and the message. Adding and copying go along. In two slices the second moves while the first
// travels: 28 moves, and the last message.
TEST(Execution, PacedChannelsHandOnASliceOnceItIsMoved) {
  CollectiveSpec spec = all_reduce(8_KiB);
  spec.execution.transfer = collectives::Execution::Transfer::kPaced;
  EXPECT_EQ(ideal_time(8, spec), 14 * message_time(1_KiB)) << "no rate, no pace";
  spec.execution.channel_rate = 2_Gbps;
  const Picoseconds move = transmission_time(1_KiB, 2_Gbps);
  EXPECT_EQ(ideal_time(8, spec), 14 * (move + message_time(1_KiB)));
  spec.execution.reduce_rate = 8_Gbps;
  spec.execution.copy_rate = 8_Gbps;
  EXPECT_EQ(ideal_time(8, spec), 14 * (move + message_time(1_KiB)));
  spec.execution.network_channel_rate = 1_Gbps;  // all ranks are alone
  EXPECT_EQ(ideal_time(8, spec), 14 * (2 * move + message_time(1_KiB)));
}

// In LL128 a peer has data as it comes, and only the channel is busy for as long as its rate says:
// 14 turns of whichever takes longer.
TEST(Execution, PacedChannelsOfLl128AreBusyWhileTheirPeersGoOn) {
  CollectiveSpec spec = all_reduce(8_KiB);
  spec.execution.protocol = Protocol::kLl128;
  spec.execution.transfer = collectives::Execution::Transfer::kPaced;
  const Picoseconds seen = message_time(9 * 128_B) + Picoseconds(1'300'000);
  spec.execution.channel_rate = 100_Gbps;
  EXPECT_EQ(ideal_time(8, spec), 14 * seen);
  spec.execution.channel_rate = 1_Gbps;
  const Picoseconds move = transmission_time(1_KiB, 1_Gbps);
  ASSERT_GT(move, seen);
  EXPECT_EQ(ideal_time(8, spec), 14 * move);
}

// A rank that copies and adds at half the rate moves data at half the rate, and nothing besides:
// step by step, each rank waits for its own channel and for what comes.
TEST(Execution, StragglersPaceTheirChannels) {
  CollectiveSpec spec = all_reduce(8_KiB);
  spec.execution.transfer = collectives::Execution::Transfer::kPaced;
  spec.execution.channel_rate = 2_Gbps;
  spec.execution.reduce_rate = 8_Gbps;
  spec.execution.copy_rate = 8_Gbps;
  spec.stragglers.resize(1);
  spec.stragglers[0].ranks = {"0"};
  spec.stragglers[0].reduce_factor = 2;
  const Picoseconds move = transmission_time(1_KiB, 2_Gbps);
  std::array<Picoseconds, 8> sent{};
  std::array<Picoseconds, 8> received{};
  for (int step = 0; step < 14; ++step) {
    for (std::size_t r = 0; r < 8; ++r) {
      sent[r] = std::max(sent[r], received[r]) + (r == 0 ? 2 : 1) * move;
    }
    for (std::size_t r = 0; r < 8; ++r) received[r] = sent[(r + 7) % 8] + message_time(1_KiB);
  }
  EXPECT_EQ(ideal_time(8, spec), *std::ranges::max_element(received));
}

// Of four ranks one has two children in each tree: a chunk makes two moves up and two down, as a
// slice for both children is moved once.
TEST(Execution, PacedTreesMoveASliceForAllChildrenOnce) {
  CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kDoubleBinaryTree, 6_KiB);
  const Picoseconds plain = ideal_time(4, spec);
  spec.execution.transfer = collectives::Execution::Transfer::kPaced;
  spec.execution.channel_rate = 2_Gbps;
  EXPECT_EQ(ideal_time(4, spec), plain + 4 * transmission_time(3_KiB, 2_Gbps));
}

// NCCL connects the first half of its channels to one tree and the other half to its twin.
TEST(Execution, OfTwoTreesNcclHasOnePerChannel) {
  CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kDoubleBinaryTree, 1_MiB);
  const auto peers = [&spec](std::uint32_t channels, std::uint32_t channel) {
    spec.execution.channels = channels;
    const auto schedule =
        make_schedule(plan_of(spec, 8, RankLayout()), Algorithm::kDoubleBinaryTree);
    std::vector<std::vector<std::uint32_t>> all;
    const std::uint32_t lanes = schedule->lanes_per_channel();
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
      for (std::uint32_t i = 0; i < lanes; ++i) {
        all.push_back(schedule->send_peers(rank, channel * lanes + i));
      }
    }
    return all;
  };
  const auto both = peers(1, 0);
  EXPECT_EQ(both.size(), 32) << "up and down, of two trees";
  spec.execution.preset = collectives::Execution::Preset::kNccl;
  EXPECT_EQ(peers(4, 0).size(), 16);
  EXPECT_EQ(peers(4, 0), peers(4, 1));
  EXPECT_EQ(peers(4, 2), peers(4, 3));
  EXPECT_NE(peers(4, 1), peers(4, 2));
  EXPECT_EQ(peers(3, 2), both) << "an odd number cannot be halved";
}

// 7 sums and 7 copies of 1 KiB, one after the other, at 1 ns and 0.5 ns per byte.
TEST(Execution, ReducingAndCopyingTakeTime) {
  CollectiveSpec spec = all_reduce(8_KiB);
  const Picoseconds plain = ideal_time(8, spec);
  spec.execution.reduce_rate = 8_Gbps;
  EXPECT_EQ(ideal_time(8, spec), plain + 1024 * 7_ns);
  spec.execution.copy_rate = 16_Gbps;
  EXPECT_EQ(ideal_time(8, spec), plain + 1024 * 7_ns + 512 * 7_ns);
  // Two channels have half of the data and half of the rate each.
  spec.execution.copy_rate = BitsPerSecond(0);
  spec.execution.channels = 2;
  EXPECT_EQ(ideal_time(8, spec), 14 * message_time(512_B) + 1024 * 7_ns);
}

// In two slices, a rank passes the first on while it adds the second: on ports, where bytes of both
// take their turn, 14 steps end with half of a step's adding instead of all of it.
TEST(Execution, SlicesOverlapReducingWithSending) {
  CollectiveSpec spec = all_reduce(64_MiB);
  spec.execution.reduce_rate = kPort;
  const double whole = port_time(8, spec);
  spec.execution.slices = 8;
  EXPECT_LT(port_time(8, spec), 0.85 * whole);
}

// A window of w messages: a sender has sent w, and sends another when the first is acknowledged,
// alpha + B + back later.
TEST(Execution, AWindowHoldsSendersBack) {
  CollectiveSpec spec = collective(Operation::kBroadcast, Algorithm::kRing, 8_KiB);
  spec.execution.chunk = 1_KiB;
  EXPECT_EQ(ideal_time(2, spec), message_time(1_KiB)) << "all eight at once";
  spec.execution.in_flight = 2;
  const Picoseconds round = message_time(1_KiB) + kBack;
  EXPECT_EQ(ideal_time(2, spec), 3 * round + message_time(1_KiB)) << "four rounds of two";
  collectives::JobDescription description = job(2, spec);
  description.has_acknowledgements = false;
  const auto refused = collectives::build_workload(std::vector{description}, {1, {}});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.errors()[0].message.find("acknowledgements"), std::string::npos);
}

TEST(Execution, EveryAlgorithmRunsWithEverythingAtOnce) {
  for (std::size_t i = 0; i < collectives::kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    for (const Algorithm algorithm : collectives::algorithms_for(operation)) {
      CollectiveSpec spec = collective(operation, algorithm, 99'991_B, 2);
      spec.domain_size = 3;
      spec.execution.slices = 2;
      spec.execution.in_flight = 1;
      spec.execution.protocol = Protocol::kLl128;
      spec.execution.reduce_rate = 100_Gbps;
      spec.execution.copy_rate = 100_Gbps;
      spec.jitter = {Jitter::Distribution::kExponential, 5_us, 0_us};
      spec.stragglers.push_back({{"2"}, 30_us, 1, 3});
      if (operation == Operation::kAllToAllV) spec.routing = {100, 64_B, 2, 2, 1.0};
      for (const std::uint32_t channels : {1U, 3U}) {
        spec.execution.channels = channels;
        spec.execution.chunk = channels == 1 ? 0_B : 2_KiB;
        const collectives::JobDescription description = job(6, spec);
        const auto workload = collectives::build_workload(std::vector{description}, {});
        if (!workload.ok()) {
          EXPECT_TRUE(channels == 3 || algorithm == Algorithm::kNvls ||
                      algorithm == Algorithm::kNvlsTree)
              << workload.errors()[0].message;
          continue;
        }
        EXPECT_GT(ideal_time(6, spec), 60_us) << name_of(operation) << name_of(algorithm);
      }
    }
  }
}

/// `ranks` in domains of `size`, whose scale-up switches add and multicast.
collectives::JobDescription with_scale_up_switches(std::uint32_t ranks, std::uint32_t size,
                                                   const CollectiveSpec& spec) {
  collectives::JobDescription description = job(ranks, spec);
  for (std::uint32_t r = 0; r < ranks; ++r) description.layout.domain.push_back(r / size);
  description.layout.has_in_network_reduction = true;
  return description;
}

Picoseconds time_with_scale_up_switches(std::uint32_t ranks, std::uint32_t size,
                                        const CollectiveSpec& spec) {
  const collectives::Workload workload = build({with_scale_up_switches(ranks, size, spec)});
  collectives::Executor executor(workload);
  const auto delay = [](ConnectionId, Bytes bytes) {
    return ZeroLoadNetwork::Delay{message_time(bytes), message_time(bytes) + kBack};
  };
  ZeroLoadNetwork network(ranks, workload.connections(), delay, kControl, workload.groups());
  network.run(executor);
  EXPECT_TRUE(executor.finished(0));
  return executor.outcome(0).end;
}

// One chunk passes the scale-up switches, log2 k levels up and as many down (the deepest leaf of
// the in-order tree of k = 2^m is m levels below its root), and the scale-up switches again: (2 + 2
// log2 k) (alpha + S/g). Then all of it is copied twice, and on every level but the lowest added
// twice, once per child, once at the root, and copied once on the way down.
TEST(NvlsTree, TakesAMessagePerLevelUpAndDownAndTwoInTheDomain) {
  for (const std::uint32_t k : {2U, 4U, 16U}) {
    for (const std::uint32_t g : {2U, 8U}) {
      CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kNvlsTree, 64_KiB);
      const auto levels = static_cast<std::int64_t>(std::log2(k));
      const Picoseconds bare = (2 + 2 * levels) * message_time(64_KiB / g);
      EXPECT_EQ(time_with_scale_up_switches(k * g, g, spec), bare) << k << " domains of " << g;
      spec.execution.copy_rate = 8_Gbps;
      const Picoseconds part = transmission_time(64_KiB / g, 8_Gbps);
      const Picoseconds copies = 2 * transmission_time(64_KiB, 8_Gbps) + levels * part;
      EXPECT_EQ(time_with_scale_up_switches(k * g, g, spec), bare + copies)
          << k << " domains of " << g;
    }
  }
}

// Chunks follow each other through the stages. Of four domains the second inner one has two
// children to add up, which takes it longer than any other stage takes, so n chunks take what one
// takes and n - 1 times that. Without overlap they would take n times as long.
TEST(NvlsTree, PipelinesItsStagesOverChunks) {
  CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kNvlsTree, 64_KiB);
  spec.execution.chunk = 8_KiB;  // of each of the 8 heads
  spec.execution.reduce_rate = 8_Gbps;
  const Picoseconds pace = 2 * transmission_time(8_KiB, 8_Gbps);
  const Picoseconds one = time_with_scale_up_switches(32, 8, spec);
  EXPECT_GT(pace, message_time(8_KiB)) << "messages do not set it";
  EXPECT_GT(one, 5 * pace);
  spec.size = 640_KiB;
  EXPECT_EQ(time_with_scale_up_switches(32, 8, spec), one + 9 * pace);
}

TEST(NvlsTree, IsRefusedWhereADomainOfTheJobIsNotOneOfTheFabric) {
  CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kNvlsTree, 1_MiB);
  const auto refusal_of = [&](std::uint32_t domain_size) {
    spec.domain_size = domain_size;
    const auto built =
        collectives::build_workload(std::vector{with_scale_up_switches(16, 4, spec)}, {});
    return built.ok() ? std::string() : built.errors()[0].message;
  };
  EXPECT_EQ(refusal_of(0), "");
  EXPECT_EQ(refusal_of(2), "") << "half of a domain is in one";
  EXPECT_NE(refusal_of(8).find("add and multicast"), std::string::npos);
  EXPECT_NE(refusal_of(3).find("as many ranks"), std::string::npos);
}

TEST(Nvls, IsRefusedByNetworksThatCannotReduce) {
  CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kNvls, 1_MiB);
  spec.domain_size = 8;
  const auto refused = collectives::build_workload(std::vector{job(8, spec)}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors()[0].where.key, "jobs[0].algorithm");
  EXPECT_NE(refused.errors()[0].message.find("add and multicast"), std::string::npos);
}

/// JCT with one rank late.
Picoseconds late_time(CollectiveSpec spec, std::uint32_t ranks, std::uint32_t rank, Picoseconds d) {
  spec.stragglers.push_back({{std::to_string(rank)}, d, 1, 1});
  return ideal_time(ranks, spec);
}

// The longest chain of dependencies that begins at a rank has some length L, and the job ends at
// the maximum of T (the longest of all) and d + L: it grows by max(0, d - slack) with slack = T -
// L. L is what is left of the time when d is longer than everything else.
TEST(Straggler, DelaysTheJobByWhatItsSlackDoesNotCover) {
  constexpr Picoseconds kLong = 1_s;
  constexpr Bytes kSize = 60_KiB;  // equal parts: shorter messages would overtake on this network
  const std::vector<CollectiveSpec> specs = {
      all_reduce(kSize), collective(Operation::kAllReduce, Algorithm::kBinomialTree, kSize),
      collective(Operation::kAllReduce, Algorithm::kDoubleBinaryTree, kSize),
      collective(Operation::kReduce, Algorithm::kBinomialTree, kSize),
      collective(Operation::kReduce, Algorithm::kRing, kSize)};
  int with_slack = 0;
  for (const CollectiveSpec& spec : specs) {
    const Picoseconds undisturbed = ideal_time(12, spec);
    for (std::uint32_t rank = 0; rank < 12; ++rank) {
      const Picoseconds slack = undisturbed - (late_time(spec, 12, rank, kLong) - kLong);
      ASSERT_GE(slack, 0_ps);
      with_slack += slack > 0_ps ? 1 : 0;
      for (const Picoseconds d : {0_ps, 1_ns, slack / 2, slack, slack + 1_ns, slack + 50_us}) {
        EXPECT_EQ(late_time(spec, 12, rank, d), undisturbed + std::max(0_ps, d - slack))
            << name_of(spec.algorithm) << ", rank " << rank;
      }
    }
  }
  EXPECT_GT(with_slack, 10) << "or nothing was shown";
}

// A ring needs every rank at once; a tree needs its deepest leaves at once, and inner ranks later.
TEST(Straggler, HasNoSlackInARingAndAtADeepestLeaf) {
  const Picoseconds ring = ideal_time(8, all_reduce(64_KiB));
  EXPECT_EQ(late_time(all_reduce(64_KiB), 8, 7, 1_ns), ring + 1_ns);
  const CollectiveSpec tree = collective(Operation::kAllReduce, Algorithm::kBinomialTree, 64_KiB);
  const Picoseconds time = ideal_time(8, tree);
  EXPECT_EQ(late_time(tree, 8, 7, 1_ns), time + 1_ns) << "7 -> 6 -> 4 -> 0";
  EXPECT_EQ(late_time(tree, 8, 4, 2 * message_time(64_KiB)), time) << "4 waits for two messages";
  EXPECT_EQ(late_time(tree, 8, 0, 3 * message_time(64_KiB) + 1_ns), time + 1_ns);
}

TEST(Straggler, ComputesAndReducesSlower) {
  CollectiveSpec spec = all_reduce(8_KiB);
  spec.compute = 100_us;
  spec.execution.reduce_rate = 8_Gbps;
  const Picoseconds plain = ideal_time(8, spec);
  spec.stragglers.push_back({{"3"}, 0_us, 1.5, 1});
  EXPECT_EQ(ideal_time(8, spec), plain + 50_us);
  // Every part is added once on its way past rank 3, and waits there 1,024 ns longer; steps are
  // longer than that, so rank 3 is idle again when the next one comes.
  spec.stragglers[0] = {{"3"}, 0_us, 1, 2};
  EXPECT_EQ(ideal_time(8, spec), plain + 1024 * 1_ns);
}

// The slowest of n exponential delays is theta H_n on average, with variance theta^2 (sum 1/k^2).
// A thousand iterations of a barrier-like collective: each waits for the slowest rank. Its own
// time, alpha + 1 B, is a thousandth of theta.
TEST(Jitter, OfExponentialRanksCostsThetaTimesTheHarmonicNumber) {
  constexpr int kIterations = 1000;
  for (const std::uint32_t n : {8U, 32U}) {
    CollectiveSpec spec = collective(Operation::kAllReduce, Algorithm::kOneShot, 1_B, kIterations);
    spec.jitter = {Jitter::Distribution::kExponential, 3_ms, 0_us};
    double harmonic = 0;
    double variance = 0;
    for (std::uint32_t k = 1; k <= n; ++k) {
      harmonic += 1.0 / k;
      variance += 1.0 / k / k;
    }
    const double mean = to_seconds(ideal_time(n, spec)) / kIterations - 3.001e-6;
    EXPECT_NEAR(mean, 3e-3 * harmonic, 3 * 3e-3 * std::sqrt(variance / kIterations)) << n;
  }
}

/// Mean and standard deviation of a hundred thousand draws, in microseconds.
std::pair<double, double> moments(const Jitter& jitter) {
  const RandomStream random(5, Purpose::kTestScenario, 9);
  constexpr int kDraws = 100'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = to_seconds(draw_delay(jitter, random.bits(i))) * 1e6;
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  return {mean, std::sqrt(squares / kDraws - mean * mean)};
}

// Three standard errors: sigma / sqrt(1e5) of the mean, sigma / sqrt(2e5) of the deviation (wider
// for the long tails of the log-normal).
TEST(Jitter, HasTheMomentsThatAreAskedFor) {
  const auto normal = moments({Jitter::Distribution::kNormal, 100_us, 10_us});
  EXPECT_NEAR(normal.first, 100, 3 * 10 / std::sqrt(1e5));
  EXPECT_NEAR(normal.second, 10, 3 * 10 / std::sqrt(2e5));
  const auto log_normal = moments({Jitter::Distribution::kLogNormal, 100_us, 50_us});
  EXPECT_NEAR(log_normal.first, 100, 3 * 50 / std::sqrt(1e5));
  EXPECT_NEAR(log_normal.second, 50, 1.5);
  EXPECT_EQ(draw_delay({}, 123), 0_ps);
}

// Quantiles of the standard normal distribution, from tables: 0, 1.644854 (95 %), 3.090232 (99.9
// %).
TEST(Jitter, NormalQuantilesAreThoseOfTheTables) {
  const auto at = [](double p) {
    return collectives::standard_normal(static_cast<std::uint64_t>(p * 18446744073709551616.0));
  };
  EXPECT_NEAR(at(0.5), 0, 1e-8);
  EXPECT_NEAR(at(0.95), 1.6448536, 1e-6);
  EXPECT_NEAR(at(0.05), -1.6448536, 1e-6);
  EXPECT_NEAR(at(0.999), 3.0902323, 1e-6);
  EXPECT_NEAR(at(0.001), -3.0902323, 1e-6);
}

}  // namespace
}  // namespace weft::testing
