// Time and memory to build fabrics and their routes, 1k to 32k hosts: plain servers in two tiers
// (up to 256-port switches) and in three, and NVL72 racks, where every host brings 18 links
// more. `ns_per_link_log` may not grow: time is links x log at most.

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdint>
#include <ctime>

#include "topologies/build_fabric.hpp"

namespace {

using namespace weft;  // NOLINT: a benchmark program
using topologies::ClosSpec;

/// Bytes that are allocated now.
double allocated() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

double peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

ClosSpec plain(std::uint32_t hosts, std::uint32_t per_leaf) {
  ClosSpec spec;
  topologies::RackSpec rack{.count = hosts / per_leaf, .servers = per_leaf};
  rack.access = {400_Gbps, 100_ns};
  spec.racks = {rack};
  spec.uplink = spec.super_uplink = {400_Gbps, 200_ns};
  return spec;
}

/// Non-blocking leaf-spine: as many spines as hosts per leaf.
ClosSpec two_tiers(std::uint32_t hosts) {
  std::uint32_t per_leaf = 16;
  while (per_leaf * per_leaf * 2 < hosts) per_leaf *= 2;
  ClosSpec spec = plain(hosts, per_leaf);
  spec.spines = per_leaf;
  return spec;
}

/// Non-blocking, pods of 512 hosts: 16 leaves of 32 hosts, 32 spines; 32 groups of super-spines.
ClosSpec three_tiers(std::uint32_t hosts) {
  ClosSpec spec = plain(hosts, 32);
  spec.spines = 32;
  spec.pods = hosts / 512;
  spec.super_spines = 32 * 16;
  return spec;
}

/// 72-GPU racks on 4 rails, 16 racks per group of leaves.
ClosSpec nvl72(std::uint32_t hosts) {
  ClosSpec spec = plain(hosts, 32);
  topologies::ServerPart server;
  server.gpus = server.nics = 72;
  server.rails = 4;
  server.scale_up.emplace().switches = 18;
  spec.racks = {{.count = (hosts + 71) / 72, .servers = 1, .server = server}};
  spec.racks.front().access = {400_Gbps, 100_ns};
  spec.attachment = ClosSpec::Attachment::kRail;
  spec.group = 16;
  spec.spines = 64;
  return spec;
}

void fabric(benchmark::State& state, ClosSpec (*shape)(std::uint32_t)) {
  const topologies::TopologySpec spec = shape(static_cast<std::uint32_t>(state.range(0)));
  double links = 0;
  double kept = 0;
  double seconds = 0;
  for (auto _ : state) {
    malloc_trim(0);
    const double before = allocated();
    const std::clock_t begin = std::clock();  // one thread: whatever else runs is left out
    const Fabric built = topologies::build_fabric(spec).value();
    const Routes routes = topologies::build_routes(built, spec).value();
    seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    kept = allocated() - before;
    links = static_cast<double>(built.ports.size()) / 2;
    benchmark::DoNotOptimize(routes.local_ports.data());
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["links"] = links;
  state.counters["ns_per_link"] = seconds / runs / links * 1e9;
  state.counters["ns_per_link_log"] = seconds / runs / links / std::log2(links) * 1e9;
  state.counters["bytes_per_link"] = kept / links;
  state.counters["peak_MB"] = peak_resident_bytes() / 1e6;
}

#define WEFT_BUILD(shape)                 \
  BENCHMARK_CAPTURE(fabric, shape, shape) \
      ->Arg(1024)                         \
      ->Arg(8192)                         \
      ->Arg(32768)                        \
      ->Unit(benchmark::kMillisecond)
WEFT_BUILD(two_tiers);
WEFT_BUILD(three_tiers);
WEFT_BUILD(nvl72);

}  // namespace
