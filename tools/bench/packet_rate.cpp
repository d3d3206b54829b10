// Nanoseconds of processor time per packet-hop (one data packet or ACK crossing one link) on the
// fixed workload of permutation.hpp, by the number of hosts and by feature. Read them beside the
// calibration rows of the same run: these tell how fast the machine was.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "simcore/base/histogram.hpp"
#include "simcore/base/random.hpp"
#include "tools/bench/permutation.hpp"
#include "tools/bench/rows.hpp"

namespace weft::bench {
namespace {

void run(benchmark::State& state, std::uint32_t hosts,
         const protocols::PacketNetwork::Options& options, const LinkErrors& errors = {}) {
  Measured sum;
  for (auto _ : state) {
    const Measured once = measure(permutation(hosts, options, errors)).front();
    state.SetIterationTime(once.cpu);
    sum.cpu += once.cpu;
    sum.hops += once.hops;
    sum.state_bytes = once.state_bytes;
    sum.resident_bytes = once.resident_bytes;
  }
  state.counters["ns_per_hop"] = sum.cpu / sum.hops * 1e9;
  state.counters["hops"] = sum.hops / static_cast<double>(state.iterations());
  state.counters["state_bytes_per_host"] = sum.state_bytes / hosts;
  state.counters["resident_bytes_per_host"] = sum.resident_bytes / hosts;
}

void permutation_row(benchmark::State& state, bool spray) {
  run(state, static_cast<std::uint32_t>(state.range(0)), usual_options(spray));
}

/// Nothing but PFC: flows without a window that share links pause their senders, and continue long
/// after the others have ended.
void pfc_row(benchmark::State& state, bool spray) {
  protocols::PacketNetwork::Options options = usual_options(spray);
  protocols::RoceConfig& roce = std::get<protocols::RoceConfig>(options.transport);
  roce.window = 0;
  roce.congestion_control = protocols::congestion::NoControlConfig{};
  options.switches.data().ecn.enabled = false;
  run(state, static_cast<std::uint32_t>(state.range(0)), options);
}

/// The sprayed permutation of 512 hosts with one thing changed.
template <class Change>
void feature_row(benchmark::State& state, Change change) {
  protocols::PacketNetwork::Options options = usual_options(true);
  change(options);
  run(state, 512, options);
}

using Options = protocols::PacketNetwork::Options;

void nothing(Options&) {}
void general_path(Options& o) { o.extra_features = protocols::GeneralPath::kFeatures; }
void no_ecn(Options& o) { o.switches.data().ecn.enabled = false; }
void no_dcqcn(Options& o) {
  std::get<protocols::RoceConfig>(o.transport).congestion_control =
      protocols::congestion::NoControlConfig{};
}
void no_pfc(Options& o) { o.switches.data().flow_control = protocols::NoFlowControl{}; }
void cells(Options& o) { o.switches.cell = 192_B; }
void eight_classes(Options& o) {
  while (o.switches.classes.size() < protocols::kMaxClasses) {
    o.switches.classes.insert(o.switches.classes.begin() + 1, o.switches.data());
    o.switches.classes[ClassId(1)].name = "more" + std::to_string(o.switches.classes.size());
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
/// Of every packet, without anybody who changes a rate by it.
void telemetry(Options& o) {
  protocols::congestion::HpccConfig hpcc;
  hpcc.minimum_rate = 400_Gbps;
  std::get<protocols::RoceConfig>(o.transport).congestion_control = hpcc;
}
template <class Control>
void control(Options& o) {
  std::get<protocols::RoceConfig>(o.transport).congestion_control = Control::default_config();
}
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

/// Repairs single losses. Sprayed packets overtake one another, here by less than 32 places.
void selective_repeat(Options& o) {
  protocols::SelectiveRepeat repeat;
  repeat.reordering = 32;
  std::get<protocols::RoceConfig>(o.transport).recovery = repeat;
}
template <class Control>
void control_over_tcp(Options& o) {
  protocols::TcpConfig tcp;
  tcp.mtu = 4'096_B + tcp.headers();
  tcp.congestion_control = Control::default_config();
  o.transport = tcp;
}

/// All links lose that share of their frames, which selective repeat sends again.
void losing_row(benchmark::State& state, double rate) {
  Options options = usual_options(true);
  selective_repeat(options);
  run(state, 512, options, {rate, LinkErrors::Unit::kFrames});
}

/// TCP takes packets that overtake others for losses: one path per flow, as `permutation/by_flow`.
template <class Control>
void tcp_row(benchmark::State& state) {
  Options options = usual_options(false);
  control_over_tcp<Control>(options);
  run(state, 512, options);
}

/// NSCC, packet trimming and mixed paths, with queues of about a bandwidth-delay product.
void ultra_ethernet_row(benchmark::State& state) {
  Options options = usual_options(false);
  options.transport = protocols::UecConfig();
  protocols::TrafficClass& data = options.switches.data();
  data.flow_control = protocols::NoFlowControl{};
  data.egress_limit = 300_KB;
  data.trimming.enabled = true;
  data.ecn = {.enabled = true, .kmin = 60_KB, .kmax = 240_KB, .pmax = 1};
  run(state, static_cast<std::uint32_t>(state.range(0)), options);
}

/// What recording one latency takes: histograms are always on.
void histogram_add(benchmark::State& state) {
  Histogram histogram;
  const RandomStream random(1, Purpose::kArrival, 0);
  std::vector<std::int64_t> values(4'096);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random.bits32(i) >> 8U;
  std::size_t next = 0;
  for (auto _ : state) histogram.add(values[next++ % values.size()]);
  benchmark::DoNotOptimize(histogram.count());
}

}  // namespace

BENCHMARK_CAPTURE(permutation_row, sprayed, true)
    ->Name("permutation/sprayed")
    ->Apply(once)
    ->Arg(64)
    ->Arg(512)
    ->Arg(1'024)
    ->Arg(4'096)
    ->Arg(8'192)
    ->Arg(32'768);
BENCHMARK_CAPTURE(permutation_row, by_flow, false)
    ->Name("permutation/by_flow")
    ->Apply(once)
    ->Arg(512);
BENCHMARK(ultra_ethernet_row)
    ->Name("permutation/ultra_ethernet")
    ->Apply(once)
    ->Arg(512)
    ->Arg(1'024)
    ->Arg(8'192);
BENCHMARK_CAPTURE(pfc_row, by_flow, false)->Name("permutation/pfc_by_flow")->Apply(once)->Arg(128);
BENCHMARK_CAPTURE(pfc_row, sprayed, true)->Name("permutation/pfc_sprayed")->Apply(once)->Arg(128);

#define WEFT_FEATURE(name) \
  BENCHMARK_CAPTURE(feature_row, name, name)->Name("feature/" #name)->Apply(once)
WEFT_FEATURE(nothing);
WEFT_FEATURE(general_path);
WEFT_FEATURE(no_ecn);
WEFT_FEATURE(no_dcqcn);
WEFT_FEATURE(no_pfc);
WEFT_FEATURE(cells);
WEFT_FEATURE(eight_classes);
WEFT_FEATURE(partitioned_buffer);
WEFT_FEATURE(credits);
WEFT_FEATURE(input_queues);
WEFT_FEATURE(cut_through);
WEFT_FEATURE(telemetry);
WEFT_FEATURE(queue_trace);
WEFT_FEATURE(packet_trace);
WEFT_FEATURE(fault);
WEFT_FEATURE(selective_repeat);
#undef WEFT_FEATURE
#define WEFT_CONTROL(name)                                                         \
  BENCHMARK_CAPTURE(feature_row, name, control<protocols::congestion::name##Spec>) \
      ->Name("control/" #name)                                                     \
      ->Apply(once)
WEFT_CONTROL(NoControl);
WEFT_CONTROL(Dcqcn);
WEFT_CONTROL(Swift);
WEFT_CONTROL(Timely);
WEFT_CONTROL(Dctcp);
WEFT_CONTROL(Hpcc);
WEFT_CONTROL(PowerTcp);
WEFT_CONTROL(NewReno);
WEFT_CONTROL(Cubic);
WEFT_CONTROL(Rccc);
#undef WEFT_CONTROL
BENCHMARK(tcp_row<protocols::congestion::NewRenoSpec>)->Name("control/tcp/NewReno")->Apply(once);
BENCHMARK(tcp_row<protocols::congestion::CubicSpec>)->Name("control/tcp/Cubic")->Apply(once);
BENCHMARK(tcp_row<protocols::congestion::DctcpSpec>)->Name("control/tcp/Dctcp")->Apply(once);
BENCHMARK_CAPTURE(losing_row, rarely, 1e-4)->Name("feature/losses")->Apply(once);
BENCHMARK(histogram_add)->Name("feature/histogram_add");

}  // namespace weft::bench
