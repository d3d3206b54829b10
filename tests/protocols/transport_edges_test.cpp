// What losses, marks and messages that follow one another tell a sender, on paths where every time
// can be computed.

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/flow_runner.hpp"

namespace weft::testing {
namespace {

using protocols::PacketNetwork;

/// Two links of 100 Gbps and 1 us: packets of 4,178 B take 334.24 ns each, ACKs 6.88 ns.
constexpr Picoseconds kEdgePacket{334'240};
constexpr Picoseconds kEdgeLoop = 2 * (kEdgePacket + 6'880_ps + 2_us);

PacketNetwork::Options roce_edge(const protocols::congestion::ControlConfig& control,
                                 const protocols::Recovery& recovery = protocols::GoBackN{}) {
  PacketNetwork::Options options = plain_options();
  roce_of(options).congestion_control = control;
  roce_of(options).recovery = recovery;
  return options;
}

/// Packet `number` of those that the first host of `line(2)` sends back to back is corrupted.
void lose_edge(PacketNetwork::Options& options, std::int64_t number) {
  options.faults.push_back({.kind = protocols::Fault::Kind::kLinkErrors,
                            .port = PortId(0u),
                            .at = 1_us + number * kEdgePacket + 1_ns,
                            .until = 1_us + (number + 1) * kEdgePacket + 1_ns,
                            .errors = {1, LinkErrors::Unit::kFrames}});
}

Picoseconds edge_time(const PacketNetwork::Options& options, std::int64_t packets) {
  FlowRun run(line(2, 100_Gbps, 1_us), options,
              {{HostId(0u), HostId(1u), packets * 4'096_B, 0_ps}});
  return run.completions().front();
}

/// A window of 8 packets in congestion avoidance; the link holds 14.
constexpr std::uint32_t kEdgeWindow = 8;
protocols::congestion::DctcpConfig avoiding_edge() {
  protocols::congestion::DctcpConfig config;
  config.initial_window = config.slow_start_limit = kEdgeWindow;
  return config;
}

// RFC 8257, 3.5: DCTCP answers a loss as TCP does. RFC 5681, 3.1 and 3.2: fast retransmit halves
// the window to 4, and it grows by one per round trip at most. So 39 packets that go again from
// then on take six round trips: 4 + 5 + ... + 9. A window of 8 would take five at most.
TEST(RoceEdges, ANackHalvesTheWindowThatGoesBack) {
  PacketNetwork::Options options = roce_edge(avoiding_edge());
  lose_edge(options, 0);
  const Picoseconds heard = kEdgePacket + kEdgeLoop;  // the NACK answers the second packet
  const Picoseconds took = edge_time(options, 39) - heard;
  EXPECT_GE(took, 6 * kEdgeLoop);
}

// The same window of 4, for the repair and 39 new packets.
TEST(SelectiveEdges, ANackHalvesTheWindowOfTheRepair) {
  protocols::SelectiveRepeat repeat;
  repeat.cap = 0_B;
  PacketNetwork::Options options = roce_edge(avoiding_edge(), repeat);
  lose_edge(options, 0);
  const Picoseconds heard = kEdgePacket + kEdgeLoop;
  EXPECT_GE(edge_time(options, 7 + 40) - heard, 6 * kEdgeLoop);
}

// Ten packets in the first round trip, and from the first ACK on two for each. The link carries 14
// in a round trip, so that it is soon busy until the end, with the other 90. A window that stays at
// ten would take ten round trips, as long as 140 packets.
TEST(SelectiveEdges, AcksWithoutMarksLetTheWindowGrow) {
  protocols::SelectiveRepeat repeat;
  repeat.cap = 0_B;
  const PacketNetwork::Options options = roce_edge(protocols::congestion::DctcpConfig(), repeat);
  const Picoseconds took = edge_time(options, 100);
  EXPECT_GE(took, 2 * kEdgeLoop + 89 * kEdgePacket);
  EXPECT_LE(took, 2 * kEdgeLoop + 92 * kEdgePacket);
}

/// The first process posts messages on one connection, each at its time.
class EdgeMessages final : public ProcessHandler {
 public:
  EdgeMessages(std::vector<Picoseconds> times, Bytes size)
      : times_(std::move(times)), size_(size) {}

  void on_start(ProcessContext& context, ProcessId self) override {
    if (self != ProcessId(0u)) return;
    for (const Picoseconds time : times_) context.wake_at(time, 0);
  }
  void on_wake(ProcessContext& context, ProcessId, std::uint64_t) override {
    context.post(ConnectionId(0u), size_);
  }
  void on_delivered(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_acknowledged(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_control_event(ProcessContext&, ProcessId, ProcessId, std::uint64_t) override {}

 private:
  std::vector<Picoseconds> times_;
  Bytes size_;
};

/// Those messages from the first host of a topology to the second.
struct EdgeMessageRun {
  EdgeMessageRun(const topologies::TopologySpec& spec, const PacketNetwork::Options& options,
                 std::vector<Picoseconds> times, Bytes size)
      : fabric(topologies::build_fabric(spec).value()),
        routes(topologies::build_routes(fabric, spec).value()),
        messages(std::move(times), size),
        network(fabric, routes, options, {HostId(0u), HostId(1u)},
                {{ProcessId(0u), ProcessId(1u)}}) {
    network.start(messages);
    EXPECT_EQ(network.run_until(1_s), PacketNetwork::Status::kQuiescent);
  }
  /// What the receiver sent.
  [[nodiscard]] std::int64_t answers() {
    return network.port_counters(fabric.node(fabric.hosts[1]).first_port).packets;
  }

  Fabric fabric;
  Routes routes;
  EdgeMessages messages;
  PacketNetwork network;
};

PacketNetwork::Options marking_edge(PacketNetwork::Options options, Bytes from) {
  options.switches.data().ecn = {.enabled = true,
                                 .curve = protocols::EcnConfig::Curve::kStep,
                                 .kmin = from,
                                 .kmax = from,
                                 .mark = protocols::EcnConfig::Mark::kEnqueue};
  return options;
}

// DCQCN, section 3.1: a receiver sends at most one CNP per flow and 50 us, in which 15 packets pass
// a link of 10 Gbps. All messages of a connection are one flow. What the receiver sends besides is
// an ACK for each of 500 messages of one packet.
TEST(RoceEdges, MessagesOfOneQueuePairShareTheIntervalOfItsCnps) {
  auto spec = std::get<topologies::CustomSpec>(line(2, 100_Gbps, 1_us));
  spec.links.back().link.rate = 10_Gbps;
  const PacketNetwork::Options options =
      marking_edge(roce_edge(protocols::congestion::DcqcnConfig::from_preset(
                       protocols::congestion::DcqcnConfig::Preset::kPaper)),
                   5_KB);
  EdgeMessageRun run(spec, options, std::vector<Picoseconds>(500, 0_ps), 4'096_B);
  const std::int64_t cnps = run.answers() - 500;
  EXPECT_GE(cnps, 1);
  EXPECT_GE(run.network.totals().ecn_marked, 10 * cnps);
}

// A sender that begins may send 1.5 idle paths unasked: here 88 kB, of a message of 200 kB.
TEST(RcccEdges, AMessageThatIsPostedToAnIdleSenderBeginsUnasked) {
  EdgeMessageRun run(line(2, 100_Gbps, 1_us), roce_edge(protocols::congestion::RcccConfig()),
                     {0_ps, 1_ms, 2_ms}, 200_KB);
  const auto outcomes = run.network.take_messages();
  ASSERT_EQ(outcomes.size(), 3U);
  for (const auto& m : outcomes) {
    EXPECT_EQ(m.acknowledged - m.posted, outcomes[0].acknowledged - outcomes[0].posted);
  }
}

// Four senders share a receiver, which grants each of them 16 kB every 5 us. None waits for longer,
// so that it does not matter when it would ask again.
TEST(RcccEdges, WhoIsGrantedCreditInTimeDoesNotAskAgain) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i <= 4; ++i) flows.push_back({HostId(i), HostId(0u), 2_MB, 0_ps});
  PacketNetwork::Options options = roce_edge(protocols::congestion::RcccConfig());
  FlowRun patient(star(5, 100_Gbps, 1_us), options, flows);
  roce_of(options).retransmit_timeout = 100_us;
  FlowRun hasty(star(5, 100_Gbps, 1_us), options, flows);
  EXPECT_EQ(hasty.completions(), patient.completions());
  EXPECT_EQ(hasty.network().totals().packets_injected, patient.network().totals().packets_injected);
}

// Of three packets the first asks for credit, as nothing goes unasked. When it arrives, the only
// grant goes first, and is lost; the ACK follows, so that nothing else makes the sender continue.
// It asks again 100 us after it has sent, with the second packet, which the grant for the third
// answers.
TEST(RcccEdges, ASenderWhoseOnlyGrantWasLostAsksAgainInTime) {
  const PacketNetwork::Options options = [] {
    PacketNetwork::Options o = roce_edge(protocols::congestion::RcccConfig{.speculative = 0});
    roce_of(o).retransmit_timeout = 100_us;
    const Picoseconds arrives = 2 * kEdgePacket + 2_us;
    o.faults.push_back({.kind = protocols::Fault::Kind::kLinkErrors,
                        .port = PortId(1u),  // of the receiver
                        .at = arrives + 1_us + 1_ps,
                        .until = arrives + 1_us + 6'880_ps + 1_ps,
                        .errors = {1, LinkErrors::Unit::kFrames}});
    return o;
  }();
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 3 * 4'096_B, 0_ps}});
  EXPECT_EQ(run.completions().front(), 100_us + 2 * kEdgeLoop);
  EXPECT_EQ(run.network().totals().error_drops, 1);
}

// All ten packets have been asked for when one of the last is lost on its way, whose repair is all
// that is left to send. It says that a grant may be lost (one answer, which grants nothing), and
// wants nothing for what follows it. Every grant of 1,000 B more would be another answer.
TEST(RcccEdges, TheRepairOfTheOnlyLossWantsNoCredit) {
  protocols::SelectiveRepeat repeat;
  repeat.cap = 0_B;
  PacketNetwork::Options options =
      roce_edge(protocols::congestion::RcccConfig{.speculative = 0, .quantum = 1'000_B}, repeat);
  const std::vector<Picoseconds> start{0_ps};
  EdgeMessageRun whole(line(2, 100_Gbps, 1_us), options, start, 10 * 4'096_B);
  options.faults.push_back({.kind = protocols::Fault::Kind::kLinkErrors,
                            .port = PortId(0u),
                            .at = 7'600_ns,
                            .until = 7'700_ns,
                            .errors = {1, LinkErrors::Unit::kFrames}});
  EdgeMessageRun lossy(line(2, 100_Gbps, 1_us), options, start, 10 * 4'096_B);
  EXPECT_EQ(lossy.network.totals().error_drops, 1);
  EXPECT_EQ(lossy.network.totals().packets_retransmitted, 1U);
  EXPECT_EQ(lossy.network.totals().timeouts, 0U);
  EXPECT_EQ(lossy.answers(), whole.answers() + 1);
}

/// Two links of 100 Gbps, 100 us together. A segment of 9,038 B takes kEdgeT, an ACK kEdgeA.
constexpr BitsPerSecond kEdgeRate = 100'000_Mbps;
constexpr Bytes kEdgeSegment{8'948};
constexpr Picoseconds kEdgeT = transmission_time(9'038_B, kEdgeRate);
constexpr Picoseconds kEdgeA = transmission_time(90_B, kEdgeRate);
constexpr Picoseconds kEdgeRoundTrip = 2 * kEdgeT + 2 * kEdgeA + 200_us;

/// TCP without selective acknowledgements, whose receiver acknowledges every segment.
protocols::TcpConfig tcp_edge(std::uint32_t window) {
  protocols::TcpConfig tcp;
  tcp.sack = false;
  tcp.ack_every = 1;
  tcp.congestion_control = protocols::congestion::NewRenoConfig{.window = {.initial = window}};
  return tcp;
}

/// A message, of which the segments are lost that begin at these times.
struct TcpEdge {
  TcpEdge(const protocols::TcpConfig& tcp, std::int64_t segments,
          const std::vector<Picoseconds>& lost_at = {}, bool is_watched = false)
      : run(line(2, kEdgeRate, 50_us), options(tcp, lost_at, is_watched),
            {{HostId(0u), HostId(1u), segments * kEdgeSegment, 0_ps}}),
        time(run.completions().front()),
        totals(run.network().totals()) {}

  static PacketNetwork::Options options(const protocols::TcpConfig& tcp,
                                        const std::vector<Picoseconds>& lost_at, bool is_watched) {
    PacketNetwork::Options options = plain_options();
    options.transport = tcp;
    options.switches.data().flow_control = protocols::NoFlowControl{};
    for (const Picoseconds begin : lost_at) {
      options.faults.push_back({.kind = protocols::Fault::Kind::kLinkErrors,
                                .port = PortId(0u),
                                .at = begin + kEdgeT / 2 + 50_us,
                                .until = begin + kEdgeT * 3 / 2 + 50_us,
                                .errors = {1, LinkErrors::Unit::kFrames}});
    }
    if (is_watched) {
      options.observation.messages.push_back({.queue_pair = protocols::QueuePairId(0u),
                                              .last_sequence = 1'000,
                                              .posted = 0_ps,
                                              .delivered = 1_s});
      options.message_trace_sink = [](auto, Picoseconds) {};
    }
    return options;
  }

  FlowRun run;
  Picoseconds time;
  protocols::NetworkTotals totals;
};

// RFC 5681, 3.2, step 1 (RFC 3042): each of the first two duplicates lets a new segment go. Of a
// window of three the first is lost: two duplicates come, and the segments that they let go bring
// the third. Without those, a time-out of 10 ms would repeat it.
TEST(TcpEdges, TwoDuplicatesLetNewSegmentsGoThatBringTheThird) {
  const TcpEdge message(tcp_edge(3), 5, {0_ps});
  EXPECT_EQ(message.totals.timeouts, 0U);
  EXPECT_EQ(message.totals.packets_retransmitted, 1U);
  EXPECT_EQ(message.time, kEdgeT + 3 * kEdgeRoundTrip);
}

// All ACKs of a window of ten are 600 us late, and the time-out of 3 R repeats segment 0. From the
// time D on, ACKs come and slow start repeats 1 to 9, for nothing. The answer to the repeated 0
// acknowledges all ten before the late ACK of the last one says so again, with nothing in flight
// that could have left the network. So the window is half of ten: 10 to 14 go behind the repeats,
// the last at D + 13 T. The sixth waits for the answer to the repeated 1, a duplicate, at D + R.
TEST(TcpEdges, ALateAckCountsForNothingWhereNothingIsInFlight) {
  protocols::TcpConfig tcp = tcp_edge(10);
  tcp.min_timeout = 1_us;
  PacketNetwork::Options options = TcpEdge::options(tcp, {}, false);
  options.faults.push_back({.kind = protocols::Fault::Kind::kLinkLatency,
                            .port = PortId(1u),  // of the receiver
                            .at = 1_us,
                            .until = 200_us,
                            .latency = 600_us});
  const auto time = [&](std::int64_t segments) {
    FlowRun run(line(2, kEdgeRate, 50_us), options,
                {{HostId(0u), HostId(1u), segments * kEdgeSegment, 0_ps}});
    const Picoseconds took = run.completions().front();
    EXPECT_EQ(run.network().totals().packets_retransmitted, 10U);
    return took;
  };
  EXPECT_EQ(time(16) - time(15), kEdgeRoundTrip - 13 * kEdgeT);
}

// RFC 6298, 2.3: every segment takes the same round trip R, and of 39 measurements that do not
// differ RTTVAR keeps (3/4)^39 of what it began with. So RTO is R, and not the 3 R of the first
// measurement. The last of 40 is lost, a segment's time after the one whose ACK restarts the timer.
TEST(TcpEdges, TheTimeOutFollowsTheRoundTripsThatAreMeasured) {
  protocols::TcpConfig tcp = tcp_edge(40);
  tcp.min_timeout = 1_us;
  const TcpEdge whole(tcp, 40);
  EXPECT_EQ(whole.time, 39 * kEdgeT + kEdgeRoundTrip);
  const TcpEdge lossy(tcp, 40, {39 * kEdgeT});
  EXPECT_EQ(lossy.totals.timeouts, 1U);
  const Picoseconds timeout = lossy.time - (38 * kEdgeT + kEdgeRoundTrip) - kEdgeRoundTrip;
  EXPECT_NEAR(to_seconds(timeout), to_seconds(kEdgeRoundTrip), 1e-3 * to_seconds(kEdgeRoundTrip));
}

// RFC 6582, 3.2, step 3: a partial ACK of n segments takes n - 1 from what duplicates have added to
// the window. Segments 0 and 5 of a window of ten are lost. ACKs of 1, 2 and 3 repeat 0 at R + 3 T,
// and the window is halved to 5. Until that repair is acknowledged, at 2 R + 3 T, ten duplicates
// make the window 15, so that 14 is sent. The ACK is of five segments: 5 + 10 - 4 = 11 from 5 on,
// which repeats 5 and then lets 15, the last, go.
TEST(TcpEdges, APartialAckDeflatesTheWindowByWhatItAcknowledges) {
  const TcpEdge message(tcp_edge(10), 16, {0_ps, 5 * kEdgeT});
  EXPECT_EQ(message.totals.timeouts, 0U);
  EXPECT_EQ(message.totals.packets_retransmitted, 2U);
  EXPECT_EQ(message.time, 3 * kEdgeRoundTrip + 4 * kEdgeT);
}

// RFC 3168, 6.1.3: ACKs say that a packet was marked until the sender says that it has reduced its
// window. Nine segments of the first window come to a link of 10 Gbps faster than it sends them;
// the last alone finds seven that wait, and is marked. Its ACK is sent for it and a segment of the
// next window. So windows are 9, no more than 10, and then 5, 6, 7, of which 40 segments need a
// sixth.
TEST(TcpEdges, AMarkIsHeardOfThoughItsAckIsHeldBack) {
  auto spec = std::get<topologies::CustomSpec>(line(2, kEdgeRate, 50_us));
  spec.links.back().link.rate = 10'000_Mbps;
  protocols::TcpConfig tcp = tcp_edge(9);
  tcp.ack_every = 2;
  tcp.congestion_control =
      protocols::congestion::NewRenoConfig{.window = {.initial = 9, .slow_start_limit = 9}};
  FlowRun run(spec, marking_edge(TcpEdge::options(tcp, {}, false), 60'000_B),
              {{HostId(0u), HostId(1u), 40 * kEdgeSegment, 0_ps}});
  EXPECT_GE(run.completions().front(), 6 * kEdgeRoundTrip);
  EXPECT_EQ(run.network().totals().ecn_marked, 1);
}

TEST(WatchEdges, TellsOfALossOnceWhereTheSenderHeardOfIt) {
  PacketNetwork::Options options = roce_edge(protocols::congestion::NoControlConfig{});
  lose_edge(options, 3);
  options.observation.messages.push_back({.queue_pair = protocols::QueuePairId(0u),
                                          .last_sequence = 19,
                                          .posted = 0_ps,
                                          .delivered = 1_s});
  options.message_trace_sink = [](auto, Picoseconds) {};
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 20 * 4'096_B, 0_ps}});
  (void)run.completions();
  const auto losses = run.network().watch().losses(protocols::QueuePairId(0u));
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_EQ(losses[0].time, 4 * kEdgePacket + kEdgeLoop) << "the NACK answers the fifth packet";
  EXPECT_EQ(losses[0].signal, protocols::congestion::LossSignal::kNack);
}

// Segments 2 and 5 of ten are lost. The third duplicate, of 6, tells of the one; the ACK of its
// repair, a round trip later, of the other (RFC 6582, 3.2, step 3).
TEST(WatchEdges, TellsOfTheLossThatAPartialAckTellsOf) {
  TcpEdge message(tcp_edge(10), 10, {2 * kEdgeT, 5 * kEdgeT}, true);
  const auto losses = message.run.network().watch().losses(protocols::QueuePairId(0u));
  ASSERT_FALSE(losses.empty());
  EXPECT_EQ(losses.front().time, kEdgeRoundTrip + 6 * kEdgeT);
  EXPECT_EQ(losses.back().time, 2 * kEdgeRoundTrip + 6 * kEdgeT);
}

// A window of one packet: each but the first waits from the end of the one before until its ACK.
TEST(WatchEdges, TellsHowLongEachPacketWaitedForTheWindow) {
  PacketNetwork::Options options = roce_edge(protocols::congestion::NoControlConfig{});
  roce_of(options).window = 1;
  options.observation.messages.push_back({.queue_pair = protocols::QueuePairId(0u),
                                          .last_sequence = 3,
                                          .posted = 0_ps,
                                          .delivered = 1_s});
  std::vector<std::pair<Picoseconds, std::int64_t>> held;
  options.message_trace_sink = [&](std::span<const TraceRecord> records, Picoseconds) {
    for (const TraceRecord& r : records) {
      if (r.kind == TraceRecord::Kind::kPacketHeld) held.emplace_back(r.time, r.detail);
    }
  };
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 4 * 4'096_B, 0_ps}});
  EXPECT_EQ(run.completions().front(), 4 * kEdgeLoop);
  const std::int64_t wait = (kEdgeLoop - kEdgePacket).count();
  const std::vector<std::pair<Picoseconds, std::int64_t>> expected{
      {0_ps, 0}, {kEdgeLoop, wait}, {2 * kEdgeLoop, wait}, {3 * kEdgeLoop, wait}};
  EXPECT_EQ(held, expected);
}

/// Credit of `blocks` of 64 B, and packets of `wire` with their headers.
PacketNetwork::Options credit_edge(std::int64_t blocks, Bytes wire) {
  PacketNetwork::Options options = roce_edge(protocols::congestion::NoControlConfig{});
  options.switches.data().flow_control = protocols::CreditConfig{.buffer = blocks * 64_B};
  roce_of(options).format.payload = wire - 82_B;
  return options;
}

// InfiniBand counts credit in blocks of 64 B, of which packets take whole ones. 65 x 64 + 1 bytes
// take 66, so that 131 blocks are room for one, and the next one goes when its credit is back: a
// packet's time and two wires of 1 us later.
TEST(CreditEdges, AByteMoreThanWholeBlocksTakesAnother) {
  const PacketNetwork::Options options = credit_edge(131, 4'161_B);
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 10 * 4'079_B, 0_ps}});
  EXPECT_GE(run.completions().front(), 9 * (transmission_time(4'161_B, 100_Gbps) + 2_us));
}

// A packet of 65 x 64 bytes is corrupted on its way, and its credit comes back: no more and no less
// than it took, as is checked in the end.
TEST(CreditEdges, ACorruptedPacketOfWholeBlocksGivesBackWhatItTook) {
  PacketNetwork::Options options = credit_edge(1'000, 4'160_B);
  lose_edge(options, 3);
  FlowRun run(line(2, 100_Gbps, 1_us), options, {{HostId(0u), HostId(1u), 20 * 4'078_B, 0_ps}});
  EXPECT_GT(run.completions().front(), 0_ps);
  EXPECT_EQ(run.network().totals().error_drops, 1);
}

// Two classes of equal weight share a link by deficit round robin (Shreedhar and Varghese, SIGCOMM
// 1995) with a quantum of 4,178 B, the largest packet. Two senders of the one fill a queue before
// three packets of the other come, of 1,393 B each: one byte more than the quantum in all, so that
// the third waits for another turn. The deficit of a class is 0 while its queue is empty, so that a
// packet that found the link idle earlier changes nothing of it.
TEST(DeficitEdges, APacketThatFindsTheLinkIdleLeavesNoDeficit) {
  PacketNetwork::Options options = roce_edge(protocols::congestion::NoControlConfig{});
  options.switches.classes.assign(2, options.switches.data());
  options.switches.classes[ClassId(0u)].name = "low";
  options.switches.classes[ClassId(1u)].name = "high";
  std::vector<Flow> flows{{HostId(1u), HostId(0u), 200_KB, 95_us, ClassId(0u)},
                          {HostId(2u), HostId(0u), 200_KB, 95_us, ClassId(0u)}};
  for (std::uint32_t i = 0; i < 3; ++i) {
    flows.push_back({HostId(3u), HostId(0u), 1'311_B, 100_us, ClassId(1u)});
  }
  FlowRun alone(star(4, 100_Gbps, 1_us), options, flows);
  flows.push_back({HostId(3u), HostId(0u), 1'311_B, 0_ps, ClassId(1u)});
  FlowRun later(star(4, 100_Gbps, 1_us), options, flows);
  const std::vector<Picoseconds> expected = alone.completions();
  std::vector<Picoseconds> times = later.completions();
  times.pop_back();
  EXPECT_EQ(times, expected);
  EXPECT_GE(expected[4] - expected[3], kEdgePacket) << "the third packet waits for a turn";
}

// 40 packets 20 us apart are 40 flowlets where the gap is 19 us, each of which draws among four
// paths: one of those is never drawn by a chance of 4 x 0.75^40 = 4e-5. The ACKs pass the other
// leaf a few microseconds later. Were its table the same, nothing would pause for 19 us.
TEST(FlowletEdges, EverySwitchHasATableOfItsOwn) {
  topologies::LeafSpineSpec spec;
  spec.racks = 2;
  spec.servers_per_rack = 1;
  spec.spines = 4;
  spec.access = {100_Gbps, 1_us};
  spec.uplink = {100_Gbps, 1_us};
  PacketNetwork::Options options = roce_edge(protocols::congestion::NoControlConfig{});
  options.switches.load_balancing = protocols::LoadBalancing::kFlowlet;
  options.switches.load_balancing.gap = 19_us;
  options.switches.load_balancing.entries = 2;
  std::vector<Picoseconds> times;
  for (std::int64_t i = 0; i < 40; ++i) times.push_back(i * 20_us);
  EdgeMessageRun run(spec, options, times, 4'096_B);
  for (std::uint32_t leaf = 0; leaf < 2; ++leaf) {
    const Node& node = run.fabric.switch_node(SwitchId(leaf));
    for (std::uint32_t port = 0; port < node.port_count; ++port) {
      const PortId id(node.first_port.value() + port);
      EXPECT_GT(run.network.port_counters(id).packets, 0) << leaf << " " << port;
    }
  }
}

// A pause frame of 84 B would take 6.72 ns of the link.
TEST(LinkEdges, ALinkThatComesUpSaysNothingOfPausesThatNobodyAsksFor) {
  PacketNetwork::Options options = roce_edge(protocols::congestion::NoControlConfig{});
  const auto time = [&] {
    FlowRun run(line(2, 100_Gbps, 1_us), options,
                {{HostId(0u), HostId(1u), 10 * 4'096_B, 20_us + 1_ns}});
    return run.completions().front();
  };
  const Picoseconds healthy = time();
  options.faults.push_back(
      {.kind = protocols::Fault::Kind::kLinkDown, .port = PortId(0u), .at = 10_us, .until = 20_us});
  EXPECT_EQ(time(), healthy);
}

}  // namespace
}  // namespace weft::testing
