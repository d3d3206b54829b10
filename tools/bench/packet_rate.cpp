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

void permutation(benchmark::State& state, bool spray) {
  const auto hosts = static_cast<std::uint32_t>(state.range(0));
  std::uint32_t radix = 8;  // servers per rack, and spines
  while (radix * radix < hosts) radix *= 2;
  topologies::LeafSpineSpec spec;
  spec.servers_per_rack = spec.spines = radix;
  spec.racks = hosts / radix;
  spec.access = spec.uplink = {400_Gbps, 500_ns};
  const Fabric fabric = topologies::build_fabric(spec).value();
  const Routes routes = topologies::build_routes(fabric, spec).value();

  protocols::PacketNetwork::Options options;
  protocols::RoceConfig roce;
  roce.format.payload = 4_KiB;
  roce.window = 64;
  if (spray) {
    roce.receiver = protocols::RoceConfig::Receiver::kAnyOrder;
    options.switches.load_balancing = protocols::LoadBalancing::kSpray;
  }
  options.transport = roce;
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
