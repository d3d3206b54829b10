#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/flow_runner.hpp"
#include "topologies/list.hpp"

// Scale-up domains against closed forms. GPU -> scale-up switch -> GPU, packets of P bytes, L links
// of rate R per GPU, T = P / R: k packets leave in ceil(k / L) rounds, and the last one has another
// transmission at the scale-up switch and the latencies of both links before it.
namespace weft::testing {
namespace {

using protocols::PacketNetwork;

constexpr Picoseconds kUp = 125_ns;    // 40 out of the GPU, 20 of wire, 65 in the scale-up switch
constexpr Picoseconds kDown = 170_ns;  // 20 of wire, 150 into the GPU

topologies::RackSpec domain(std::uint32_t gpus, std::uint32_t switches,
                            std::vector<std::uint32_t> links, BitsPerSecond rate) {
  topologies::RackSpec rack;
  rack.server.gpus = gpus;
  rack.server.nics = 0;
  topologies::ScaleUpPart& part = rack.server.scale_up.emplace();
  part.switches = switches;
  part.links_per_switch = std::move(links);
  part.rate = rate;
  part.send_latency = 40_ns;
  part.link_latency = 20_ns;
  part.switch_latency = 65_ns;
  part.gpu_latency = 150_ns;
  return rack;
}

topologies::TopologySpec nvl72() {
  return topologies::SingleDomainSpec{{domain(72, 18, {1}, 400_Gbps)}};
}
topologies::TopologySpec hgx() {
  return topologies::SingleDomainSpec{{domain(8, 4, {5, 4, 4, 5}, 200_Gbps)}};
}

PacketNetwork::Options scale_up() {
  PacketNetwork::Options options;
  protocols::TrafficClass credits;
  credits.name = "scale-up";
  credits.network = NetworkKind::kScaleUp;
  credits.flow_control = protocols::CreditConfig{.buffer = 128_KiB, .update = 0_B};
  credits.ecn.enabled = false;
  options.switches.classes.push_back(credits);
  protocols::ScaleUpConfig domain;
  domain.traffic_class = ClassId(2);
  options.scale_up.push_back(domain);
  return options;
}

std::vector<Picoseconds> deliveries(FlowRun& run) {
  (void)run.completions();
  std::vector<Picoseconds> times;
  for (const protocols::MessageOutcome& m : run.messages()) {
    times.resize(std::max<std::size_t>(times.size(), m.connection.value() + 1));
    times[m.connection.value()] = *m.delivered - m.posted;
  }
  return times;
}

Picoseconds closed_form(Bytes size, std::int64_t links, BitsPerSecond rate) {
  const std::int64_t packets = (size.count() + 4095) / 4096;
  const std::int64_t rounds = (packets + links - 1) / links;
  return (rounds + 1) * transmission_time(4096_B, rate) + kUp + kDown;
}

TEST(ScaleUp, OnePacketTakesTheSumOfTheConfiguredParts) {
  FlowRun run(nvl72(), scale_up(), {{HostId(0U), HostId(1U), 4096_B, 0_ps}});
  EXPECT_EQ(deliveries(run).front(), 2 * transmission_time(4096_B, 400_Gbps) + kUp + kDown);
}

// MODEL.md 11.1
TEST(ScaleUp, OnePairHasAllItsLinksToThePicosecond) {
  FlowRun run(nvl72(), scale_up(), {{HostId(3U), HostId(71U), 4096_B * 18 * 100, 0_ps}});
  EXPECT_EQ(deliveries(run).front(), closed_form(4096_B * 18 * 100, 18, 400_Gbps));
}

/// Packets that left the first GPU by each of its links.
std::vector<std::int64_t> packets_by_link(protocols::PortSpreading spreading, Bytes size) {
  PacketNetwork::Options options = scale_up();
  options.scale_up.front().spreading = spreading;
  FlowRun run(nvl72(), options, {{HostId(0U), HostId(1U), size, 0_ps}});
  (void)run.completions();
  std::vector<std::int64_t> packets;
  for (std::uint32_t i = 0; i < 18; ++i) {
    packets.push_back(run.network().port_counters(PortId(i)).packets);  // hosts' ports come first
  }
  return packets;
}

TEST(ScaleUp, AFlowKeepsToOneLinkWhereConnectionsAreSpread) {
  const auto packets = packets_by_link(protocols::PortSpreading::kFlow, 1800 * 4096_B);
  EXPECT_EQ(std::ranges::count(packets, 0), 17);
  EXPECT_EQ(std::ranges::max(packets), 1800);
}

// 1,800 packets over 18 links: 100 each, with a standard deviation of sqrt(1800 / 18 x 17 / 18)
// = 9.7; within five of these.

// MODEL.md 11.2
TEST(ScaleUp, RandomPacketsUseAllLinksAlike) {
  for (const std::int64_t n : packets_by_link(protocols::PortSpreading::kRandom, 1800 * 4096_B)) {
    EXPECT_NEAR(static_cast<double>(n), 100, 5 * 9.7);
  }
}

// Scale-up switches of an HGX board have 5 or 4 links to each GPU.

// MODEL.md 11.3
TEST(ScaleUp, LinksThatLieSideBySideAreAllUsed) {
  FlowRun run(hgx(), scale_up(), {{HostId(0U), HostId(5U), 4096_B * 18 * 100, 0_ps}});
  EXPECT_EQ(deliveries(run).front(), closed_form(4096_B * 18 * 100, 18, 200_Gbps));
}

// Every scale-up switch has one link to each GPU and every pair its own GPUs: no link is shared. 1
// % as the issue of blocking asks; nothing is lost in fact.
TEST(ScaleUp, ThirtySixPairsDoNotDisturbEachOther) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 36; ++i) {
    flows.push_back({HostId(i), HostId(71 - i), 4096_B * 18 * 40, 0_ps});
  }
  FlowRun run(nvl72(), scale_up(), flows);
  for (const Picoseconds time : deliveries(run)) {
    EXPECT_EQ(time, closed_form(4096_B * 18 * 40, 18, 400_Gbps));
  }
}

// 7 senders to one GPU: its links are the bottleneck, always busy. Per link at most one packet more
// than its share is last.
TEST(ScaleUp, AnIncastFillsTheLinksOfTheReceiver) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i < 8; ++i) flows.push_back({HostId(i), HostId(0U), 4_MiB, 0_ps});
  FlowRun run(hgx(), scale_up(), flows);
  Picoseconds last;
  for (const Picoseconds time : deliveries(run)) last = std::max(last, time);
  const Picoseconds ideal = closed_form(7 * 4_MiB, 18, 200_Gbps);
  EXPECT_GE(last, ideal);
  EXPECT_LE(static_cast<double>(last.count()), 1.01 * static_cast<double>(ideal.count()));
}

// Credits of less than a round trip's bytes bound the rate: buffer / loop per link (as in
// credit_loop_test.cpp), here 2 packets per T + T + up + scale-up switch + down ... so the pair is
// slower.
TEST(ScaleUp, TooFewCreditsSlowAPairDown) {
  PacketNetwork::Options options = scale_up();
  std::get<protocols::CreditConfig>(options.switches.classes[ClassId(2)].flow_control).buffer =
      8_KiB;
  const Flow flow{HostId(0U), HostId(1U), 4096_B * 18 * 100, 0_ps};
  FlowRun starved(nvl72(), options, {flow});
  FlowRun full(nvl72(), scale_up(), {flow});
  EXPECT_GT(deliveries(starved).front(), deliveries(full).front());
}

/// All members of one domain reduce `size` bytes towards each member, which multicasts the sum.
class InNetworkAllReduce final : public ProcessHandler {
 public:
  InNetworkAllReduce(std::uint32_t members, Bytes share, Bytes chunk)
      : members_(members), share_(share), chunk_(chunk), received(members, 0) {}

  std::vector<ProcessGroup> groups() const {
    ProcessGroup group;
    for (std::uint32_t i = 0; i < members_; ++i) group.members.emplace_back(i);
    return {group};
  }
  std::vector<HostId> processes() const {
    std::vector<HostId> hosts;
    for (std::uint32_t i = 0; i < members_; ++i) hosts.emplace_back(i);
    return hosts;
  }
  /// Member i to owner j is i * members + j; the multicast of j comes after all those.
  std::vector<Connection> connections() const {
    std::vector<Connection> all;
    for (std::uint32_t i = 0; i < members_ * members_; ++i) {
      all.push_back({.source = ProcessId(i / members_),
                     .destination = ProcessId(i % members_),
                     .kind = Connection::Kind::kReduce});
    }
    for (std::uint32_t j = 0; j < members_; ++j) {
      all.push_back({.source = ProcessId(j),
                     .destination = ProcessId(j),
                     .kind = Connection::Kind::kMulticast});
    }
    return all;
  }

  void on_start(ProcessContext& context, ProcessId self) override {
    for (Bytes done; done < share_; done += chunk_) {
      for (std::uint32_t owner = 0; owner < members_; ++owner) {
        context.post(ConnectionId(self.value() * members_ + owner), chunk_);
      }
    }
  }
  void on_delivered(ProcessContext& context, ProcessId self, ConnectionId connection) override {
    if (connection.value() < members_ * members_) {
      EXPECT_EQ(connection.value(), self.value() * members_ + self.value());
      context.post(ConnectionId(members_ * members_ + self.value()), chunk_);
      return;
    }
    ++received[self.value()];
    latest[self.value()] = context.now();
  }
  void on_acknowledged(ProcessContext&, ProcessId, ConnectionId) override { ADD_FAILURE(); }
  void on_wake(ProcessContext&, ProcessId, std::uint64_t) override {}
  void on_control_event(ProcessContext&, ProcessId, ProcessId, std::uint64_t) override {}

 private:
  std::uint32_t members_;
  Bytes share_;
  Bytes chunk_;

 public:
  std::vector<int> received;
  std::vector<Picoseconds> latest = std::vector<Picoseconds>(members_);
};

struct InNetworkRun {
  InNetworkRun(const topologies::TopologySpec& spec, std::uint32_t members, Bytes share,
               Bytes chunk, const PacketNetwork::Options& options)
      : fabric(topologies::build_fabric(spec).value()),
        routes(topologies::build_routes(fabric, spec).value()),
        handler(members, share, chunk),
        network(fabric, routes, options, handler.processes(), handler.connections(),
                handler.groups()) {
    network.start(handler);
    EXPECT_EQ(network.run_until(10_s), PacketNetwork::Status::kQuiescent);
    const auto broken = network.violated_invariants(true);
    EXPECT_TRUE(broken.empty()) << broken.front();
    for (const int count : handler.received) {
      EXPECT_EQ(count, static_cast<int>(share / chunk * members));
    }
    for (const Picoseconds time : handler.latest) last = std::max(last, time);
  }

  Fabric fabric;
  Routes routes;
  InNetworkAllReduce handler;
  PacketNetwork network;
  Picoseconds last;
};

// Of S bytes every GPU sends S to be added up and S/n to be repeated, and receives S/n sums and S
// copies: S (1 + 1/n) each way. The words of the scale-up switches come on top: 16 bytes for every
// packet of the S sent, 0.4 %.

// MODEL.md 11.7
TEST(InNetworkReduction, MovesTheBytesOfItsClosedForm) {
  constexpr std::uint32_t kGpus = 8;
  const Bytes size = 8_MiB;
  const InNetworkRun run(hgx(), kGpus, size / kGpus, 128_KiB, scale_up());
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
    Bytes sent;
    Bytes received;
    for (const Port& port : run.fabric.ports_of(run.fabric.hosts[gpu])) {
      received += run.network.port_counters(port.peer).bytes;
      sent += run.network.port_counters(run.fabric.port(port.peer).peer).bytes;
    }
    const Bytes data = size + size / kGpus;
    EXPECT_EQ(sent, data);
    EXPECT_EQ(received, data + size / 4_KiB * 16_B);
  }
}

// The links carry S (1 + 1/n) plus the words; with many chunks in flight the pipeline is full but
// for its ends. 5 %: the first sums must come back before anything is repeated.

// MODEL.md 11.5
TEST(InNetworkReduction, FillsTheLinks) {
  constexpr std::uint32_t kGpus = 8;
  const Bytes size = 64_MiB;
  const InNetworkRun run(hgx(), kGpus, size / kGpus, 128_KiB, scale_up());
  const double bytes = static_cast<double>(size.count()) * (1 + 1.0 / kGpus + 16.0 / 4096);
  const double ideal = bytes * 8 / (18 * 200e9);
  EXPECT_GE(to_seconds(run.last), ideal);
  EXPECT_LE(to_seconds(run.last), 1.05 * ideal);
}

// In a rack of 72 too: sums of different GPUs begin with different links, so that no scale-up
// switch has more to add up than another. A fifth more than the links take alone, as what a GPU
// sends for the others goes by in the order of its chunks.
TEST(InNetworkReduction, FillsTheLinksOfARack) {
  constexpr std::uint32_t kGpus = 72;
  const Bytes share = 512_KiB;
  const InNetworkRun run(nvl72(), kGpus, share, 64_KiB, scale_up());
  const double size = static_cast<double>(share.count()) * kGpus;
  const double ideal = size * (1 + 1.0 / kGpus + 16.0 / 4096) * 8 / (18 * 400e9);
  EXPECT_GE(to_seconds(run.last), ideal);
  EXPECT_LE(to_seconds(run.last), 1.2 * ideal);
}

// What scale-up switches hold is bounded: with one packet per link and owner the run takes longer,
// and ends.

// MODEL.md 11.6
TEST(InNetworkReduction, WaitsForSwitchesThatCanHoldLittle) {
  PacketNetwork::Options options = scale_up();
  const InNetworkRun full(nvl72(), 72, 256_KiB, 128_KiB, options);
  options.scale_up.front().reduction_window = 1;
  const InNetworkRun narrow(nvl72(), 8, 2_MiB, 128_KiB, options);
  options.scale_up.front().reduction_window = 16;
  const InNetworkRun wide(nvl72(), 8, 2_MiB, 128_KiB, options);
  EXPECT_GT(narrow.last, wide.last);
}

}  // namespace
}  // namespace weft::testing
