// Nanoseconds per packet-hop (one data packet or ACK crossing one link) on a fixed workload: a
// random permutation on a non-blocking leaf-spine, 400 Gbps, 500 ns per link, 4 KiB payload, a
// window of 64 packets, an ACK per packet, PFC, ECN and DCQCN on; sprayed with receivers that
// accept any order, or with one path per flow. Read the times beside the calibration rows of the
// same run: they tell how fast the machine was.

#include <benchmark/benchmark.h>

#include <chrono>
#include <numeric>
#include <vector>

#include "protocols/packet_network.hpp"
#include "simcore/random.hpp"
#include "topologies/build_fabric.hpp"

namespace {

using namespace weft;  // NOLINT: a benchmark program

/// Every process sends one long message to its partner.
class Senders final : public ProcessHandler {
 public:
  explicit Senders(Bytes size) : size_(size) {}
  void on_start(ProcessContext& context, ProcessId self) override {
    context.post(ConnectionId(self.value()), size_);
  }
  void on_delivered(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_acknowledged(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_wake(ProcessContext&, ProcessId, std::uint64_t) override {}
  void on_signal(ProcessContext&, ProcessId, ProcessId, std::uint64_t) override {}

 private:
  Bytes size_;
};

/// Sattolo's shuffle: one cycle, so nobody sends to itself.
std::vector<std::uint32_t> random_cycle(std::uint32_t n) {
  std::vector<std::uint32_t> partner(n);
  std::iota(partner.begin(), partner.end(), 0U);
  const RandomStream random(1, Purpose::kPermutation, 0);
  for (std::uint32_t i = n - 1; i > 0; --i) {
    std::swap(partner[i], partner[random.below(i, i)]);
  }
  return partner;
}

protocols::PacketNetwork::Options usual_options(bool spray) {
  protocols::PacketNetwork::Options options;
  protocols::RoceConfig roce;
  roce.format.payload = 4_KiB;
  roce.window = 64;
  if (spray) {
    roce.receiver = protocols::RoceConfig::Receiver::kAnyOrder;
    options.switches.load_balancing = protocols::LoadBalancing::kSpray;
  }
  options.transport = roce;
  return options;
}

void run_permutation(benchmark::State& state, std::uint32_t hosts,
                     const protocols::PacketNetwork::Options& options) {
  std::uint32_t radix = 8;  // servers per rack, and spines
  while (radix * radix < hosts) radix *= 2;
  topologies::LeafSpineSpec spec;
  spec.servers_per_rack = spec.spines = radix;
  spec.racks = hosts / radix;
  spec.access = spec.uplink = {400_Gbps, 500_ns};
  const Fabric fabric = topologies::build_fabric(spec).value();
  const Routes routes = topologies::build_routes(fabric, spec).value();

  std::vector<HostId> processes;
  std::vector<Connection> connections;
  const std::vector<std::uint32_t> partner = random_cycle(hosts);
  for (std::uint32_t i = 0; i < hosts; ++i) {
    processes.emplace_back(i);
    connections.push_back({ProcessId(i), ProcessId(partner[i]), 0});
  }
  Senders senders(hosts >= 4096 ? 4_MB : 8_MB);

  double hops = 0;
  double bytes_per_host = 0;
  for (auto _ : state) {
    protocols::PacketNetwork network(fabric, routes, options, processes, connections);
    network.start(senders);
    const auto begin = std::chrono::steady_clock::now();
    network.run_until(1_s);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(elapsed.count());
    hops += static_cast<double>(network.totals().packet_hops);
    bytes_per_host = static_cast<double>(network.memory_bytes()) / hosts;
  }
  using benchmark::Counter;
  state.counters["ns_per_hop"] = Counter(hops * 1e-9, Counter::kIsRate | Counter::kInvert);
  state.counters["hops"] = hops / static_cast<double>(state.iterations());
  state.counters["bytes_per_host"] = bytes_per_host;
}

void permutation(benchmark::State& state, bool spray) {
  run_permutation(state, static_cast<std::uint32_t>(state.range(0)), usual_options(spray));
}

/// The sprayed permutation of 512 hosts with one more feature of the link and switch layer on.
template <class Change>
void feature(benchmark::State& state, Change change) {
  protocols::PacketNetwork::Options options = usual_options(true);
  change(options);
  run_permutation(state, 512, options);
}

using Options = protocols::PacketNetwork::Options;
void nothing(Options&) {}
void general_path(Options& o) { o.force_general_path = true; }
void cells(Options& o) { o.switches.cell = 192_B; }
void eight_classes(Options& o) {
  while (o.switches.classes.size() < protocols::kMaxClasses) {
    o.switches.classes.insert(o.switches.classes.begin() + 1, o.switches.data());
    o.switches.classes[1].name = "more" + std::to_string(o.switches.classes.size());
  }
}
void partitioned_buffer(Options& o) {
  protocols::PfcConfig& pfc = o.switches.data().pfc();
  pfc.threshold = protocols::PfcConfig::Threshold::kDynamic;
  pfc.headroom = protocols::PfcConfig::Headroom::kExact;
}
void credits(Options& o) { o.switches.data().flow_control = protocols::CreditConfig{}; }
void input_queues(Options& o) { o.switches.queueing = protocols::SwitchConfig::Queueing::kInput; }
void cut_through(Options& o) {
  o.switches.forwarding = protocols::SwitchConfig::Forwarding::kCutThrough;
}
void no_ecn(Options& o) { o.switches.data().ecn.enabled = false; }
void queue_trace(Options& o) {
  for (std::uint32_t p = 0; p < 64; ++p) o.observation.queue_ports.emplace_back(p);
  o.trace_sink = [](std::span<const TraceRecord> records) { benchmark::DoNotOptimize(records); };
}
void packet_trace(Options& o) {
  o.observation.packet_flows = {ConnectionId(0u), ConnectionId(1u)};
  o.trace_sink = [](std::span<const TraceRecord> records) { benchmark::DoNotOptimize(records); };
}
void fault(Options& o) {
  o.faults.push_back({.kind = protocols::Fault::Kind::kLinkRate,
                      .port = PortId(0u),
                      .at = 50_us,
                      .until = 60_us,
                      .rate = 100_Gbps});
}

}  // namespace

BENCHMARK_CAPTURE(permutation, sprayed, true)
    ->Arg(64)
    ->Arg(512)
    ->Arg(1024)
    ->Arg(4096)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(permutation, by_flow, false)
    ->Arg(512)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature, nothing, nothing)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature, general_path, general_path)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature, no_ecn, no_ecn)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature, cells, cells)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature, eight_classes, eight_classes)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature, partitioned_buffer, partitioned_buffer)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature, credits, credits)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature, input_queues, input_queues)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature, cut_through, cut_through)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature, queue_trace, queue_trace)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature, packet_trace, packet_trace)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature, fault, fault)->UseManualTime()->Unit(benchmark::kMillisecond);
