// Collectives on 400 Gbps leaf-spines with DCQCN, through the scenario language: wall time and
// packet-hops per second, and the completion time beside what bandwidth alone would allow.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tools/bench/measurement.hpp"

namespace weft::bench {
namespace {

scenarios::Experiment experiment(int racks, const std::string& job) {
  const std::string text =
      "name: bench\n"
      "racks: {count: " +
      std::to_string(racks) +
      ", servers: 16, server: host-400g}\n"
      "links:\n"
      "  access: {rate: 400Gbps, length: 3m, cable: copper}\n"
      "  uplink: {rate: 400Gbps, length: 30m, cable: fibre}\n"
      "fabric: {topology: leaf-spine, spines: 16, switch: spectrum-4, load_balancing: spray}\n"
      "transport: {type: roce, receiver: any-order, congestion_control: {type: dcqcn}}\n"
      "jobs:\n"
      "  - {name: job, " +
      job + "}\n";
  const auto loaded = scenarios::load_scenario_text(text, "bench.yaml");
  if (loaded) {
    auto built = scenarios::build_experiment(loaded.value().scenario);
    if (built) return std::move(built).value();
    std::fprintf(stderr, "%s\n", built.errors().front().to_string().c_str());
  } else {
    std::fprintf(stderr, "%s\n", loaded.errors().front().to_string().c_str());
  }
  std::exit(1);
}

void run(benchmark::State& state, int racks, const std::string& job, std::uint32_t threads) {
  for (auto _ : state) {
    const Measured once =
        measure([&]() -> Run {
          const auto e = std::make_shared<scenarios::Experiment>(experiment(racks, job));
          return [e, threads] {
            const scenarios::Results r = simulate(*e, {}, nullptr, {.threads = threads});
            return Measured{.hops = static_cast<double>(r.totals.packet_hops),
                            .simulated = to_seconds(r.jobs.front().jct),
                            .bound = to_seconds(r.jobs.front().ideal)};
          };
        }).front();
    state.SetIterationTime(once.wall);
    state.counters["ns_per_hop"] = once.cpu / once.hops * 1e9;
    state.counters["hops"] = once.hops;
    state.counters["million_hops_per_second"] = once.hops / once.wall * 1e-6;
    state.counters["simulated_us"] = once.simulated * 1e6;
    state.counters["bound_us"] = once.bound * 1e6;
  }
}

void all_to_all(benchmark::State& state) {
  run(state, 8, "type: all-to-all, algorithm: pairwise, size: 1MiB",
      static_cast<std::uint32_t>(state.range(0)));
}
void ring(benchmark::State& state) {
  run(state, 16, "type: all-reduce, algorithm: ring, size: 256MiB",
      static_cast<std::uint32_t>(state.range(0)));
}
void short_ring(benchmark::State& state) {
  run(state, 16, "type: all-reduce, algorithm: ring, size: 8MiB",
      static_cast<std::uint32_t>(state.range(0)));
}

void once(benchmark::internal::Benchmark* row) {
  row->ArgName("threads")->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
}

}  // namespace

BENCHMARK(all_to_all)->Name("job/all_to_all_128_of_1MiB")->Apply(once)->Arg(1)->Arg(2);
BENCHMARK(ring)->Name("job/ring_256_of_256MiB")->Apply(once)->Arg(1)->Arg(2);
BENCHMARK(short_ring)->Name("job/ring_256_of_8MiB")->Apply(once)->Arg(1);

}  // namespace weft::bench
