#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace weft {

/// The least of a fixed set of 64-bit keys, one per source, any of which may change at any time.
///
/// A tournament tree: an update walks from the source's leaf to the root, one comparison a level,
/// and the siblings' loads do not depend on each other. The next event times of a logical process's
/// ports live here; at a switch's radix this beats a heap, and a key may be lowered, raised or
/// removed alike.
class WinnerTree {
 public:
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  explicit WinnerTree(std::uint32_t sources = 0) { reset(sources); }

  void reset(std::uint32_t sources) {
    leaves_ = std::bit_ceil(std::max<std::uint32_t>(sources, 1));
    nodes_.assign(std::size_t{2} * leaves_, kNone);
  }
  /// The least key, or kNone.
  [[nodiscard]] std::uint64_t top() const { return nodes_[1]; }
  [[nodiscard]] std::uint64_t key(std::uint32_t source) const { return nodes_[leaves_ + source]; }

  void update(std::uint32_t source, std::uint64_t key) {
    std::uint64_t* const nodes = nodes_.data();
    std::uint32_t node = leaves_ + source;
    nodes[node] = key;
    std::uint64_t min = key;
    while (node > 1) {
      const std::uint64_t sibling = nodes[node ^ 1U];
      min = sibling < min ? sibling : min;
      node >>= 1U;
      nodes[node] = min;
    }
  }
  void remove(std::uint32_t source) { update(source, kNone); }
  /// Makes all keys less by `amount`, which is no more than any of them is.
  void subtract(std::uint64_t amount) {
    for (std::uint64_t& key : nodes_) {
      if (key != kNone) key -= amount;
    }
  }

 private:
  std::uint32_t leaves_ = 1;
  std::vector<std::uint64_t> nodes_;
};

}  // namespace weft
