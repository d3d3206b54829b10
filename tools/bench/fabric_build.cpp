// Time to build fabrics and their routes, in processor time.

#include <benchmark/benchmark.h>

#include <memory>

#include "tools/bench/measurement.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::bench {
namespace {

void build(benchmark::State& state, const topologies::TopologySpec& spec) {
  for (auto _ : state) {
    const Measured once =
        measure([&spec]() -> Run {
          return [&spec] {
            const Fabric fabric = topologies::build_fabric(spec).value();
            Routes routes = topologies::build_routes(fabric, spec).value();
            benchmark::DoNotOptimize(routes);
            return Measured{.state_bytes = static_cast<double>(fabric.hosts.size())};
          };
        }).front();
    state.SetIterationTime(once.cpu);
    state.counters["hosts"] = once.state_bytes;
    state.counters["resident_bytes_per_host"] = once.resident_bytes / once.state_bytes;
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

void once(benchmark::internal::Benchmark* row) {
  row->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
}

}  // namespace

BENCHMARK(leaf_spine)->Name("build/leaf_spine")->Apply(once)->Arg(64)->Arg(128);
BENCHMARK(fat_tree)->Name("build/fat_tree")->Apply(once)->Arg(16)->Arg(32);

}  // namespace weft::bench
