// NVLSTree packet by packet on servers of eight H100 and rails of 400 Gbps.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

constexpr double kFrame = 4178;  ///< RoCE, of 4096 bytes of data
constexpr double kAck = 86;

std::string servers(int count, const std::string& job) {
  return "name: t\n"
         "racks: {count: " +
         std::to_string(count) +
         ", servers: 1, server: hgx-h100}\n"
         "links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}}\n"
         "fabric: {topology: rail-optimised, group: " +
         std::to_string(count) +
         ", spines: 4, switch: quantum-2,\n"
         "         load_balancing: spray}\n"
         "transport: {type: roce, receiver: any-order, congestion_control: none}\n"
         "jobs:\n"
         "  - {name: a, type: all-reduce, algorithm: nvls-tree, " +
         job + "}\n";
}

// Over the scale-up links a GPU sends S to be added up and S/8 to be repeated, and gets S/8 sums
// and S copies, in packets of 4 KiB with the header that stands for the efficiency of 0.85; the
// words of the scale-up switches come on top. Over the network every edge of a tree carries its
// half of S up and down: 2 (k-1) S of all GPUs together, S/8 by each if there are two servers, in
// frames, and up to an ACK of 86 bytes for each frame.
TEST(NvlsTreeOnPackets, MovesTheBytesOfItsClosedForm) {
  const std::int64_t size = 4 << 20;
  for (const int count : {2, 3, 4}) {
    const auto results = scenarios::simulate(
        experiment_of_text(servers(count, "size: 4MiB, execution: {channels: 2, chunk: 64KiB}")));
    ASSERT_EQ(results.outcome, scenarios::Outcome::kFinished);
    double along = 0;
    double to_switches = 0;
    double from_switches = 0;
    double max = 0;
    for (const scenarios::PortResult& port : results.ports) {
      const auto bytes = static_cast<double>(port.counters.bytes.count());
      const bool is_gpu = port.node.starts_with("gpu");
      if (is_gpu && port.peer_node.starts_with("chip")) to_switches += bytes;
      if (port.peer_node.starts_with("gpu") && port.node.starts_with("chip"))
        from_switches += bytes;
      if (is_gpu && port.peer_node.starts_with("leaf")) {
        along += bytes;
        max = std::max(max, bytes);
      }
    }
    const double gpus = 8 * count;
    const double inside = gpus * static_cast<double>(size) * (1 + 1.0 / 8);
    EXPECT_NEAR(to_switches / inside, 1 / 0.85 / 0.824, 0.01) << count;
    EXPECT_GT(from_switches, to_switches) << count;
    EXPECT_LT(from_switches, 1.01 * to_switches) << count;
    const double frames = 2.0 * (count - 1) * static_cast<double>(size) / 4096;
    EXPECT_GE(along, frames * kFrame) << count;
    EXPECT_LE(along, frames * (kFrame + kAck)) << count;
    if (count == 2) {
      EXPECT_LE(max, static_cast<double>(size) / 8 / 4096 * (kFrame + kAck));
    }
  }
}

// Four servers: a NIC carries 2 S/8 either way, which at 400 Gbps takes longer than S (1 + 1/8) on
// scale-up links. A quarter more: the first chunks fill the stages, the last ones drain them, and
// children meet at their parent's NIC.
TEST(NvlsTreeOnPackets, ComesNearToWhatItsNicsCarry) {
  const auto results = scenarios::simulate(
      experiment_of_text(servers(4,
                                 "size: 32MiB, execution: {channels: 16, chunk: 32KiB,"
                                 " in_flight: 8}")));
  ASSERT_EQ(results.outcome, scenarios::Outcome::kFinished);
  const double bound = 2.0 * (32 << 20) / 8 * kFrame / 4096 / 50e9;
  EXPECT_GE(to_seconds(results.jobs[0].jct), bound);
  EXPECT_LE(to_seconds(results.jobs[0].jct), 1.25 * bound);
  ASSERT_EQ(results.collectives.size(), 1U);
  const auto& collective = results.collectives[0];
  EXPECT_EQ(collective.path.total(), collective.end - collective.start);
}

// Everything switched on at once, on several iterations: the run ends, and the parts of the
// critical path are the whole.
TEST(NvlsTreeOnPackets, RunsWithEverythingSwitchedOn) {
  const auto results = scenarios::simulate(experiment_of_text(
      servers(3,
              "size: 100007B, iterations: 2, compute: 3us, queue_pairs: 2,\n"
              "     execution: {preset: nccl, channels: 3, chunk: 1KiB, slices: 2, in_flight: 2},\n"
              "     jitter: {type: normal, mean: 5us, deviation: 2us},\n"
              "     stragglers: [{ranks: 2-3, late: 4us, compute: 2, reduce: 3}]")));
  ASSERT_EQ(results.outcome, scenarios::Outcome::kFinished);
  ASSERT_EQ(results.collectives.size(), 2U);
  for (const auto& c : results.collectives) EXPECT_EQ(c.path.total(), c.end - c.start);
}

TEST(NvlsTreeOnPackets, IsRefusedByTheFluidEngine) {
  const auto experiment = experiment_of_text(servers(2, "size: 1MiB"));
  const Errors errors = scenarios::check_fluid(experiment);
  ASSERT_FALSE(errors.empty());
  EXPECT_NE(errors[0].message.find("nvls-tree"), std::string::npos);
}

}  // namespace
}  // namespace weft::testing
