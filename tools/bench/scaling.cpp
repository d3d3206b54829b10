// What threads bring, beside what the machine can give: two independent copies of the serial run at
// the same time share its caches, its memory and whoever else is on it. Wall time, all three within
// one iteration.

#include <benchmark/benchmark.h>

#include <algorithm>

#include "tools/bench/permutation.hpp"

namespace weft::bench {
namespace {

void scaling(benchmark::State& state) {
  const auto hosts = static_cast<std::uint32_t>(state.range(0));
  const auto threads = static_cast<std::uint32_t>(state.range(1));
  protocols::PacketNetwork::Options options = usual_options(true);
  const Prepare serial = permutation(hosts, options);
  options.parallelism.threads = threads;
  const Prepare parallel = permutation(hosts, options);
  for (auto _ : state) {
    const double one = measure(serial).front().wall;
    double copies = 0;
    for (const Measured& m : measure(serial, threads)) copies = std::max(copies, m.wall);
    const double shared = measure(parallel).front().wall;
    state.SetIterationTime(shared);
    state.counters["copies_scaling"] = threads * one / copies;
    state.counters["threads_scaling"] = one / shared;
    state.counters["of_copies"] = copies / (threads * shared);
  }
}

}  // namespace

BENCHMARK(scaling)
    ->Name("scaling/sprayed")
    ->ArgNames({"hosts", "threads"})
    ->Args({512, 2})
    ->Args({4'096, 2})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace weft::bench
