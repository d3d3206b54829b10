#pragma once

#include <benchmark/benchmark.h>

namespace weft::bench {

/// A row that measures itself, once per repetition.
inline void once(benchmark::internal::Benchmark* row) {
  row->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
}

}  // namespace weft::bench
