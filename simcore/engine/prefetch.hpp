#pragma once

#include <cstddef>

namespace weft {

/// Asks for `Lines` cache lines from `memory` on, to read or (`ForWriting`) to change. Inlined by
/// force, as everything that only prefetches must be: GCC takes such functions for pure and drops
/// the calls.
template <std::size_t Lines, bool ForWriting = false>
[[gnu::always_inline]] inline void fetch_lines(const void* memory) {
  const char* line = static_cast<const char*>(memory);
  for (std::size_t i = 0; i < Lines; ++i) __builtin_prefetch(line + 64 * i, ForWriting ? 1 : 0);
}

}  // namespace weft
