#pragma once

#include <cstddef>

namespace weft {

/// Asks for `lines` cache lines from `memory` on, to read or (`for_writing`) to change. Inlined by
/// force, as everything that only prefetches must be: GCC takes such functions for pure and drops
/// the calls.
template <std::size_t lines, bool for_writing = false>
[[gnu::always_inline]] inline void fetch_lines(const void* memory) {
  const char* line = static_cast<const char*>(memory);
  for (std::size_t i = 0; i < lines; ++i) __builtin_prefetch(line + 64 * i, for_writing ? 1 : 0);
}

}  // namespace weft
