// PFC headroom by `exact`: with it nothing is dropped, with a cell less the worst case drops.

#include <gtest/gtest.h>

#include "protocols/config/headroom.hpp"
#include "simcore/base/random.hpp"
#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::Fault;
using protocols::PacketNetwork;
using protocols::PfcConfig;

constexpr BitsPerSecond kRate = 100_Gbps;
constexpr std::int64_t kFull = 4178;    // a packet of 4096 B on the wire
constexpr std::int64_t kSmall = 83;     // one of a single byte
constexpr std::int64_t kCrossing = 10;  // full packets that fill the account to XOFF

PacketNetwork::Options lossless_datagrams(std::int64_t cell) {
  PacketNetwork::Options options;
  options.transport = protocols::DatagramConfig{};
  options.switches.buffer = Bytes(1'000'000'000);
  options.switches.cell = Bytes(cell);
  options.switches.data().ecn.enabled = false;
  PfcConfig pfc;
  pfc.xoff = Bytes(kCrossing * ((kFull + cell - 1) / cell * cell));
  pfc.xon = 1_B;
  pfc.headroom = PfcConfig::Headroom::kExact;
  options.switches.data().flow_control = pfc;
  // Host 0 does not take anything: what comes for it stays in the switch.
  options.faults.push_back({.kind = Fault::Kind::kNicPause, .port = PortId(0u)});
  return options;
}

/// Host 1 sends to the blocked host 0; hosts 2 and 3 keep the switch's port to host 1 busy with
/// full packets, one of which begins at the very instant at which host 1's packet crosses XOFF: all
/// packets of all hosts begin together, and all full packets take the same time.
std::vector<Flow> worst_case_flows(std::int64_t small_packets) {
  const Picoseconds start = 50_us;  // the pause of host 0 holds by then
  std::vector<Flow> flows{{HostId(2u), HostId(1u), 200 * 4096_B, start},
                          {HostId(3u), HostId(1u), 200 * 4096_B, start},
                          {HostId(1u), HostId(0u), (kCrossing + 1) * 4096_B, start}};
  for (std::int64_t i = 0; i < small_packets; ++i) {
    flows.push_back({HostId(1u), HostId(0u), 1_B, start});
  }
  flows.push_back({HostId(1u), HostId(0u), 20 * 4096_B, start});
  return flows;
}

/// Messages of one host leave in the order of posting only if they share a connection; here every
/// flow is a connection, and a NIC serves connections in turn. So they become one.
class OneConnection final : public ProcessHandler {
 public:
  explicit OneConnection(std::vector<Flow> flows) : flows_(std::move(flows)) {}
  void on_start(ProcessContext& context, ProcessId self) override {
    if (self.value() >= 1 && self.value() <= 3) context.wake_at(50_us, 0);
  }
  void on_wake(ProcessContext& context, ProcessId self, std::uint64_t) override {
    for (const Flow& flow : flows_) {
      if (flow.source.value() == self.value())
        context.post(ConnectionId(self.value() - 1), flow.size);
    }
  }
  void on_delivered(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_acknowledged(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_control_event(ProcessContext&, ProcessId, ProcessId, std::uint64_t) override {}

 private:
  std::vector<Flow> flows_;
};

std::int64_t drops(const topologies::TopologySpec& topology, const PacketNetwork::Options& options,
                   const std::vector<Flow>& flows) {
  const Fabric fabric = topologies::build_fabric(topology).value();
  const Routes routes = topologies::build_routes(fabric, topology).value();
  OneConnection handler(flows);
  const std::vector<HostId> processes{HostId(0u), HostId(1u), HostId(2u), HostId(3u)};
  const std::vector<Connection> connections{{ProcessId(1u), ProcessId(0u), 0},
                                            {ProcessId(2u), ProcessId(1u), 0},
                                            {ProcessId(3u), ProcessId(1u), 0}};
  PacketNetwork network(fabric, routes, options, processes, connections);
  network.start(handler);
  network.run_until(300_us);
  EXPECT_TRUE(network.violated_invariants(false).empty())
      << network.violated_invariants(false).front();
  EXPECT_GT(network.port_counters(PortId(1u)).paused_time, 0_ps);
  return network.totals().buffer_drops;
}

class WorstCase : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(WorstCase, ExactHeadroomIsExact) {
  // Cells of 1 B: only bytes count, so full packets do. Cells of 192 B: a packet of one byte takes
  // a cell for 83 B of wire, so the worst is as many of those as the loop holds. The response is
  // chosen so that the loop L = t(M') + t(F) + 2 w + r holds a whole number of such packets, and
  // the last full packet begins at the very instant at which the pause takes effect.
  const std::int64_t cell = GetParam();
  const std::int64_t filler = cell == 1 ? kFull : kSmall;
  const std::int64_t in_loop = cell == 1 ? 12 : 600;
  const Picoseconds wire = 500_ns;
  PacketNetwork::Options options = lossless_datagrams(cell);
  const Picoseconds fixed = transmission_time(Bytes(kFull) + 84_B, kRate) + 2 * wire;
  options.switches.pause.response = in_loop * transmission_time(Bytes(filler), kRate) - fixed;
  ASSERT_GT(options.switches.pause.response, 0_ps);

  const topologies::TopologySpec topology = star(4, kRate, wire);
  const Fabric fabric = topologies::build_fabric(topology).value();
  const PortId in = fabric.port(PortId(1u)).peer;
  const Bytes exact = protocols::headroom_of(fabric, in, options.switches, options.switches.data(),
                                             {options.transport});
  const std::int64_t full_cells = (kFull + cell - 1) / cell;
  const std::int64_t filler_cells = (filler + cell - 1) / cell;
  EXPECT_EQ(exact.count(), (2 * full_cells + in_loop * filler_cells) * cell);

  const std::vector<Flow> flows = worst_case_flows(cell == 1 ? 0 : in_loop);
  EXPECT_EQ(drops(topology, options, flows), 0);
  PfcConfig& pfc = options.switches.data().pfc();
  pfc.headroom = PfcConfig::Headroom::kGiven;
  pfc.headroom_bytes = exact;
  EXPECT_EQ(drops(topology, options, flows), 0);
  pfc.headroom_bytes = exact - Bytes(cell);
  EXPECT_GE(drops(topology, options, flows), 1) << "a cell less is still enough";
}

INSTANTIATE_TEST_SUITE_P(Cells, WorstCase, ::testing::Values(1, 192));

TEST(ExactHeadroom, DropsNothingInAThousandArrangements) {
  // Random wires, responses, cells, packet sizes and phases, all hosts sending to one that takes
  // nothing or little, with traffic the other way: every ingress crosses XOFF again and again.
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    const RandomStream random(seed, Purpose::kTestScenario, 3);
    std::uint64_t drawn = 0;
    const auto below = [&](std::uint64_t n) { return random.below(drawn++, n); };
    PacketNetwork::Options options = lossless_datagrams(below(2) == 0 ? 1 : 192);
    auto& datagram = std::get<protocols::DatagramConfig>(options.transport);
    datagram.format.payload = Bytes(static_cast<std::int64_t>(256 + below(4000)));
    options.switches.pause.response = static_cast<std::int64_t>(below(2'000)) * 1_ns;
    options.switches.data().pfc().xoff = Bytes(static_cast<std::int64_t>(5'000 + below(60'000)));
    options.switches.data().pfc().xon = options.switches.data().pfc().xoff - 5'000_B;
    if (below(2) == 0) {
      // Host 0 holds and releases: XOFF is crossed many times.
      options.faults.clear();
      for (std::int64_t i = 0; i < 10; ++i) {
        options.faults.push_back({.kind = Fault::Kind::kNicPause,
                                  .port = PortId(0u),
                                  .at = i * 12_us,
                                  .until = i * 12_us + 6_us});
      }
    }
    const BitsPerSecond rate = below(2) == 0 ? 100_Gbps : 400_Gbps;
    const auto topology = star(5, rate, static_cast<std::int64_t>(10 + below(1'500)) * 1_ns);
    std::vector<Flow> flows;
    for (std::uint32_t from = 1; from < 5; ++from) {
      for (int i = 0; i < 6; ++i) {
        const auto start = static_cast<std::int64_t>(below(60'000)) * 1_ns;
        const Bytes size(static_cast<std::int64_t>(1 + below(80'000)));
        flows.push_back({HostId(from), HostId(0u), size, start});
        const auto other = static_cast<std::uint32_t>(1 + (from + below(3)) % 4);
        if (other != from) flows.push_back({HostId(other), HostId(from), size, start});
      }
    }
    FlowRun run(topology, options, flows);
    run.network().run_until(150_us);
    ASSERT_TRUE(run.network().violated_invariants(false).empty())
        << "seed " << seed << ": " << run.network().violated_invariants(false).front();
    ASSERT_EQ(run.network().totals().buffer_drops, 0) << "seed " << seed;
    ASSERT_GT(run.network().totals().pauses, 0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weft::testing
