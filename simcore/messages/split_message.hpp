#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/base/units.hpp"

/// Messages whose bytes are split over all queue pairs of their connection, as NCCL does it with
/// NCCL_IB_SPLIT_DATA_ON_QPS=1 (ncclIbMultiSend in src/transport/net_ib.cc).
namespace weft {

/// Parts are whole units of this, so that the words of LL128 stay together.
inline constexpr Bytes kSplitUnit = 128_B;

/// What queue pair `number` of `queue_pairs` carries of a message: as much as each other, in whole
/// units. What is left for the last ones may be less, and nothing: they send a packet without
/// payload, which says that there is no more.
[[nodiscard]] constexpr Bytes part_of(Bytes message, std::uint32_t queue_pairs,
                                      std::uint32_t number) {
  const std::int64_t even = (message.count() + queue_pairs - 1) / queue_pairs;
  const std::int64_t units = (even + kSplitUnit.count() - 1) / kSplitUnit.count();
  const std::int64_t part = units * kSplitUnit.count();
  const std::int64_t left = message.count() - std::int64_t{number} * part;
  return Bytes(std::clamp<std::int64_t>(left, 0, part));
}

/// Counts the parts that queue pairs are through with. Each has one of every message and takes them
/// in order, so that a message is whole with the part of its last queue pair.
class PartCounts {
 public:
  explicit PartCounts(std::size_t queue_pairs = 0) : counts_(queue_pairs) {}

  /// Nothing is split.
  [[nodiscard]] bool empty() const { return counts_.empty(); }
  /// Queue pair `at`, of the `queue_pairs` from `first` on that a connection has, is through with
  /// one more part. Returns whether its message is whole now.
  bool add(std::size_t first, std::size_t queue_pairs, std::size_t at) {
    const std::uint32_t count = ++counts_[at];
    const auto begin = counts_.begin() + static_cast<std::ptrdiff_t>(first);
    return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(queue_pairs),
                       [count](std::uint32_t other) { return other >= count; });
  }

  [[nodiscard]] std::size_t memory_bytes() const {
    return counts_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::vector<std::uint32_t> counts_;  ///< by queue pair
};

}  // namespace weft
