// Jobs through the scenario language: wall time and packet-hops per second, and the completion time
// beside what bandwidth alone would allow. Collectives on 400 Gbps leaf-spines with DCQCN; in
// NVLink domains, which grant credits; and over several of these.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"
#include "tools/bench/experiment_of.hpp"
#include "tools/bench/measurement.hpp"
#include "tools/bench/rows.hpp"

namespace weft::bench {
namespace {

std::string leaf_spine(int racks, const std::string& job) {
  return "name: bench\n"
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
}

/// In one scale-up domain, packet by packet.
std::string domain(const std::string& server, const std::string& job) {
  return "name: bench\n"
         "racks: {count: 1, servers: 1, server: " +
         server +
         "}\n"
         "fabric: {topology: single-domain}\n"
         "run: {reuse: off}\n"
         "jobs:\n"
         "  - {name: job, " +
         job + "}\n";
}

/// On eight H100 servers, packet by packet.
std::string servers(const std::string& job) {
  return "name: bench\n"
         "racks: {count: 8, servers: 1, server: hgx-h100}\n"
         "links: {access: {length: 5m, cable: copper}, uplink: {length: 30m, cable: fibre}}\n"
         "fabric: {topology: rail-optimised, group: 8, spines: 8, switch: quantum-2,\n"
         "         load_balancing: spray}\n"
         "transport: {type: roce, receiver: any-order, congestion_control: none}\n"
         "run: {reuse: off}\n"
         "jobs:\n"
         "  - {name: job, " +
         job + "}\n";
}

void run(benchmark::State& state, const std::string& text, std::uint32_t threads = 1) {
  for (auto _ : state) {
    const Measured once = measure([&]() -> Run {
                            return [e = experiment_of(text), threads] {
                              const scenarios::Results r =
                                  simulate(*e, {}, nullptr, {.threads = threads});
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
  run(state, leaf_spine(8, "type: all-to-all, algorithm: pairwise, size: 1MiB"),
      static_cast<std::uint32_t>(state.range(0)));
}
void ring(benchmark::State& state) {
  run(state, leaf_spine(16, "type: all-reduce, algorithm: ring, size: 256MiB"),
      static_cast<std::uint32_t>(state.range(0)));
}
void short_ring(benchmark::State& state) {
  run(state, leaf_spine(16, "type: all-reduce, algorithm: ring, size: 8MiB"),
      static_cast<std::uint32_t>(state.range(0)));
}
void all_to_all_in_domain(benchmark::State& state) {
  run(state, domain("gb200-nvl72", "type: all-to-all, algorithm: pairwise, size: 256KiB"));
}
void nvls(benchmark::State& state) {
  run(state, domain("hgx-h100", "type: all-reduce, algorithm: nvls, size: 64MiB, execution: nccl"));
}
void hierarchical(benchmark::State& state) {
  run(state, servers("type: all-reduce, algorithm: hierarchical, size: 32MiB"));
}
void training(benchmark::State& state) {
  run(state,
      servers("type: training, parallelism: {tensor: 8, pipeline: 4, data: 2, schedule: 1f1b}, "
              "model: {preset: gpt3-175b, layers: 4, hidden: 1536, heads: 16, head_size: 96, "
              "ffn: 6144, vocabulary: 8192, sequence: 512}, batch: {micro: 1, global: 8}, "
              "precision: {gradients: bf16}"));
}

void once_by_threads(benchmark::internal::Benchmark* row) {
  once(row);
  row->ArgName("threads");
}

}  // namespace

BENCHMARK(all_to_all)->Name("job/all_to_all_128_of_1MiB")->Apply(once_by_threads)->Arg(1)->Arg(2);
BENCHMARK(ring)->Name("job/ring_256_of_256MiB")->Apply(once_by_threads)->Arg(1)->Arg(2);
BENCHMARK(short_ring)->Name("job/ring_256_of_8MiB")->Apply(once_by_threads)->Arg(1);
BENCHMARK(all_to_all_in_domain)->Name("job/all_to_all_in_nvl72_of_256KiB")->Apply(once);
BENCHMARK(nvls)->Name("job/nvls_of_64MiB")->Apply(once);
BENCHMARK(hierarchical)->Name("job/hierarchical_64_of_32MiB")->Apply(once);
BENCHMARK(training)->Name("job/training_64")->Apply(once);

}  // namespace weft::bench
