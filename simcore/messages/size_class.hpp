#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/base/histogram.hpp"
#include "simcore/base/units.hpp"

namespace weft {

/// Classes of messages by size, the same for all jobs: each but the first and the last takes
/// sixteen times as much as the one below.
inline constexpr std::size_t kSizeClasses = 5;
/// The most that messages of a class have; those of the last one have more than that of the one
/// below.
inline constexpr std::array<Bytes, kSizeClasses - 1> kMaxOfSizeClass{4_KiB, 64_KiB, 1_MiB, 16_MiB};

/// `size`: 1 byte at least.
[[nodiscard]] constexpr std::uint32_t size_class_of(Bytes size) {
  const auto above = static_cast<std::uint64_t>((size - Bytes(1)).count());
  const auto bits = static_cast<std::uint32_t>(std::bit_width(above >> 12U));  // beyond 4 KiB
  return std::min<std::uint32_t>((bits + 3) / 4, kSizeClasses - 1);
}

/// Latencies of the packets of one size class.
struct SizedLatency {
  std::uint32_t size_class = 0;
  Histogram latency;

  bool operator==(const SizedLatency&) const = default;
};
/// By rising size class, those that have packets.
using LatencyBySize = std::vector<SizedLatency>;

/// Adds everything that `more` have recorded.
inline void merge(Histogram& all, const LatencyBySize& more) {
  for (const SizedLatency& size : more) all.merge(size.latency);
}
inline void merge(LatencyBySize& all, const LatencyBySize& more) {
  for (const SizedLatency& size : more) {
    const auto at = std::ranges::lower_bound(all, size.size_class, {}, &SizedLatency::size_class);
    if (at != all.end() && at->size_class == size.size_class) {
      at->latency.merge(size.latency);
    } else {
      all.insert(at, size);
    }
  }
}

}  // namespace weft
