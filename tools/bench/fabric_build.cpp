// Time to build fabrics and their routes, in processor time.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <memory>

#include "tools/bench/measurement.hpp"
#include "tools/bench/rows.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::bench {
namespace {

Measured build_once(const topologies::TopologySpec& spec) {
  const Fabric fabric = topologies::build_fabric(spec).value();
  Routes routes = topologies::build_routes(fabric, spec).value();
  benchmark::DoNotOptimize(routes);
  return Measured{.state_bytes = static_cast<double>(fabric.hosts.size())};
}

/// Builds once before, and keeps that memory: what a system takes for fresh pages differs tenfold
/// among virtual machines, and was three quarters of the time on some.
Run build_again(const topologies::TopologySpec& spec) {
  constexpr int kNever = 1 << 30;
  ::mallopt(M_TRIM_THRESHOLD, kNever);
  ::mallopt(M_MMAP_THRESHOLD, kNever);
  build_once(spec);
  return [&spec] { return build_once(spec); };
}

void build(benchmark::State& state, const topologies::TopologySpec& spec) {
  for (auto _ : state) {
    const Measured first =
        measure([&spec]() -> Run { return [&spec] { return build_once(spec); }; }).front();
    state.SetIterationTime(measure([&spec] { return build_again(spec); }).front().cpu);
    state.counters["hosts"] = first.state_bytes;
    state.counters["resident_bytes_per_host"] = first.resident_bytes / first.state_bytes;
  }
}

void leaf_spine(benchmark::State& state) {
  topologies::LeafSpineSpec spec;
  spec.racks = spec.servers_per_rack = spec.spines = static_cast<std::uint32_t>(state.range(0));
  spec.access = spec.uplink = {400_Gbps, 500_ns};
  build(state, spec);
}

void fat_tree(benchmark::State& state) {
  topologies::FatTreeSpec spec;
  spec.k = static_cast<std::uint32_t>(state.range(0));
  spec.access = spec.uplink = {400_Gbps, 500_ns};
  build(state, spec);
}

}  // namespace

BENCHMARK(leaf_spine)->Name("build/leaf_spine")->Apply(once)->Arg(64)->Arg(128);
BENCHMARK(fat_tree)->Name("build/fat_tree")->Apply(once)->Arg(16)->Arg(32);

}  // namespace weft::bench
