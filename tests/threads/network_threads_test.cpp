// The packet network gives the same bits with several threads, each of which takes part in every
// window: messages, counters, totals, histograms and traces. The thread sanitizer runs this too.

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::testing {
namespace {

using protocols::PacketNetwork;

/// Every process sends to the one 5 hosts on, as often as told, and control events the next one
/// when its message has been acknowledged; a control event is answered by a message after a pause.
class Relay final : public ProcessHandler {
 public:
  explicit Relay(std::uint32_t processes) : left_(processes, 3), signals_(processes) {}
  void on_start(ProcessContext& context, ProcessId self) override { send(context, self); }
  void on_delivered(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_acknowledged(ProcessContext& context, ProcessId self, ConnectionId) override {
    context.send_control_event(ProcessId((self.value() + 1) % left_.size()), 0);
  }
  void on_control_event(ProcessContext& context, ProcessId self, ProcessId,
                        std::uint64_t) override {
    ++signals_[self.value()];
    if (left_[self.value()] > 0) context.wake_at(context.now() + 700_ns, 0);
  }
  void on_wake(ProcessContext& context, ProcessId self, std::uint64_t) override {
    send(context, self);
  }
  [[nodiscard]] const std::vector<std::uint32_t>& control_events() const { return signals_; }

 private:
  void send(ProcessContext& context, ProcessId self) {
    --left_[self.value()];
    context.post(ConnectionId(self.value()), left_[self.value()] == 1 ? 68_KB : 60_KB);
  }
  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> signals_;
};

struct Observed {
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> messages;
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> ports;
  std::vector<std::tuple<std::int64_t, std::int64_t, std::uint32_t, std::uint32_t>> trace;
  std::uint64_t events = 0;
  std::uint64_t hops = 0;
  std::int64_t ended = 0;
  std::int64_t stalls = 0;
  std::vector<std::uint32_t> control_events;
  std::vector<LatencyBySize> latencies;
  bool operator==(const Observed&) const = default;
};

Observed run(PacketNetwork::Options options, std::uint32_t threads) {
  topologies::LeafSpineSpec spec;
  spec.racks = 4;
  spec.servers_per_rack = 4;
  spec.spines = 2;
  spec.access = spec.uplink = {400_Gbps, 500_ns};
  const Fabric fabric = topologies::build_fabric(spec).value();
  const Routes routes = topologies::build_routes(fabric, spec).value();
  std::vector<HostId> processes;
  std::vector<Connection> connections;
  for (std::uint32_t i = 0; i < 16; ++i) {
    processes.emplace_back(i);
    connections.push_back({ProcessId(i), ProcessId((i + 5) % 16), 0});
  }
  Observed observed;
  for (std::uint32_t p = 0; p < fabric.ports.size(); p += 3) {
    options.observation.queue_ports.emplace_back(p);
  }
  options.observation.packet_flows = {ConnectionId(3u), ConnectionId(8u)};
  options.observation.credits = true;
  options.trace_sink = [&observed](std::span<const TraceRecord> records) {
    for (const TraceRecord& r : records) {
      observed.trace.emplace_back(r.time.count(), r.value, r.subject, r.detail);
    }
  };
  options.parallelism = {.threads = threads, .share_from = 1, .waits_for_all = true};

  PacketNetwork network(fabric, routes, options, processes, connections);
  EXPECT_EQ(network.threads(), threads);
  Relay relay(16);
  network.start(relay);
  EXPECT_EQ(network.run_until(10_ms), PacketNetwork::Status::kQuiescent);
  EXPECT_TRUE(network.violated_invariants(true).empty());
  network.end_observation();
  for (const protocols::MessageOutcome& m : network.take_messages()) {
    constexpr Picoseconds never(-1);
    observed.messages.emplace_back(m.posted.count(), m.delivered.value_or(never).count(),
                                   m.acknowledged.value_or(never).count());
  }
  for (std::uint32_t p = 0; p < fabric.ports.size(); ++p) {
    const protocols::PortCounters c = network.port_counters(PortId(p));
    observed.ports.emplace_back(c.bytes.count(), c.peak_backlog.count(), c.ecn_marked,
                                c.paused_time.count());
  }
  observed.events = network.totals().events;
  observed.hops = network.totals().packet_hops;
  observed.ended = network.last_event().count();
  observed.stalls = network.totals().credit_stalls;
  observed.control_events = relay.control_events();
  observed.latencies = network.packet_latencies();
  return observed;
}

void expect_same_bits(const PacketNetwork::Options& options) {
  const Observed one = run(options, 1);
  EXPECT_EQ(one.messages.size(), 48u);
  ASSERT_EQ(one.latencies.size(), 1U);
  EXPECT_EQ(one.latencies[0].size(), 2U);  // two sizes of messages
  EXPECT_GT(one.trace.size(), 100u);
  for (const std::uint32_t threads : {2U, 3U, 5U}) {
    Observed several = run(options, threads);
    several.events = one.events;  // how many credits take depends on the partition
    EXPECT_TRUE(several == one) << threads << " threads";
  }
}

PacketNetwork::Options options_with(std::uint32_t window) {
  PacketNetwork::Options options;
  protocols::RoceConfig roce;
  roce.window = window;
  roce.receiver = protocols::RoceConfig::Receiver::kAnyOrder;
  options.transport = roce;
  options.switches.load_balancing = protocols::LoadBalancing::kSpray;
  return options;
}

TEST(Threads, GiveTheSameBitsWithPausesAndMarks) {
  PacketNetwork::Options options = options_with(64);
  options.switches.data().ecn = {.enabled = true, .kmin = 8_KB, .kmax = 40_KB, .pmax = 0.5};
  options.switches.data().pfc().xoff = 20_KB;
  options.switches.data().pfc().xon = 10_KB;
  expect_same_bits(options);
}

TEST(Threads, GiveTheSameBitsWithCredits) {
  PacketNetwork::Options options = options_with(64);
  options.switches.data().flow_control = protocols::CreditConfig{};
  expect_same_bits(options);
}

// The buffer holds two packets, so that senders wait for credits often. What might leave out
// periods that recur has an event for every credit; over several logical processes nothing recurs.
TEST(Threads, CreditsGiveTheSameBitsWithAndWithoutEvents) {
  PacketNetwork::Options options = options_with(64);
  options.switches.data().flow_control =
      protocols::CreditConfig{.buffer = 9_KB, .block = 64_B, .update = 0_B, .processing = 120_ns};
  options.cut = LpPlan::Cut::kFinest;
  options.skips = true;
  Observed with_events = run(options, 1);
  EXPECT_GT(with_events.stalls, 1000);
  options.skips = false;
  for (const LpPlan::Cut cut : {LpPlan::Cut::kOne, LpPlan::Cut::kAccess, LpPlan::Cut::kFinest}) {
    options.cut = cut;
    Observed without = run(options, 1);
    EXPECT_LT(without.events, with_events.events);
    without.events = with_events.events;
    EXPECT_TRUE(without == with_events);
  }
}

TEST(Threads, GiveTheSameBitsWithQueuesAtInputsCutThroughAndAFault) {
  PacketNetwork::Options options = options_with(16);
  options.switches.queueing = protocols::SwitchConfig::Queueing::kInput;
  options.switches.forwarding = protocols::SwitchConfig::Forwarding::kCutThrough;
  options.faults.push_back({.kind = protocols::Fault::Kind::kLinkRate,
                            .port = PortId(0u),
                            .at = 2_us,
                            .until = 9_us,
                            .rate = 100_Gbps});
  expect_same_bits(options);
}

}  // namespace
}  // namespace weft::testing
