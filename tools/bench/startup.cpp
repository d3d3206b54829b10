// What a training job takes before its first packet: its fabric and programs, and the time that its
// dependencies ask for on an empty network. Time of the processor.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "scenarios/results/measure/tables/collect_jobs.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"
#include "tools/bench/experiment_of.hpp"
#include "tools/bench/measurement.hpp"
#include "tools/bench/rows.hpp"

namespace weft::bench {
namespace {

/// Llama 3.1 405B on H100 servers, in pipelines of 16 stages: scenarios/PERFORMANCE.md.
std::string llama(int copies) {
  const std::string servers = std::to_string(16 * copies);
  return "name: bench\n"
         "racks: {count: " +
         servers +
         ", servers: 1, server: hgx-h100}\n"
         "links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}}\n"
         "fabric: {topology: rail-optimised, group: " +
         servers +
         ", spines: 8, switch: {part: quantum-2, buffer: 256MiB}, load_balancing: spray}\n"
         "transport: {type: roce, receiver: any-order, congestion_control: none,\n"
         "            ack: {every: message}}\n"
         "jobs:\n"
         "  - name: llama\n"
         "    type: training\n"
         "    model: llama3.1-405b\n"
         "    parallelism: {tensor: 8, pipeline: 16, data: " +
         std::to_string(copies) +
         ", schedule: 1f1b}\n"
         "    batch: {micro: 1, global: " +
         std::to_string(64 * copies) +
         "}\n"
         "    precision: {gradients: bf16}\n";
}

void run(benchmark::State& state, const Prepare& prepare) {
  for (auto _ : state) {
    const Measured once = measure(prepare).front();
    state.SetIterationTime(once.cpu);
    state.counters["us_per_gpu"] = once.cpu / static_cast<double>(state.range(0)) * 1e6;
  }
}

std::string llama_of(const benchmark::State& state) {
  return llama(static_cast<int>(state.range(0)) / 128);
}

void build(benchmark::State& state) {
  run(state, [text = llama_of(state)]() -> Run {
    return [text] {
      benchmark::DoNotOptimize(experiment_of(text));
      return Measured{};
    };
  });
}

void ideal_times(benchmark::State& state) {
  run(state, [text = llama_of(state)]() -> Run {
    return [e = experiment_of(text)] {
      scenarios::ZeroLoadTimes times(e->scenario, e->fabric, e->route_changes.all(e->routes),
                                     e->workload);
      const auto jobs = scenarios::ideal_jobs_of(*e, times, {});
      return Measured{.simulated = to_seconds(jobs.front().time)};
    };
  });
}

void once_by_gpus(benchmark::internal::Benchmark* row) {
  once(row);
  row->ArgName("gpus");
}

}  // namespace

BENCHMARK(build)->Name("startup/training/build")->Apply(once_by_gpus)->Arg(512)->Arg(4'096);
BENCHMARK(ideal_times)
    ->Name("startup/training/ideal_times")
    ->Apply(once_by_gpus)
    ->Arg(512)
    ->Arg(4'096);

}  // namespace weft::bench
