#pragma once

#include <cstdint>

#include "simcore/base/hash.hpp"

namespace weft::protocols::path_selection {

/// Goes through `count` values, a power of two, round after round, each round in another order that
/// is drawn: the next number of a counter, with some of its bits inverted.
class Rounds {
 public:
  void start(std::uint64_t key, std::uint32_t count) {
    key_ = key;
    shuffle(count);
  }
  [[nodiscard]] std::uint32_t next(std::uint32_t count) {
    const std::uint32_t value = (position_ ^ inverted_) & (count - 1);
    if (++position_ % count == 0) shuffle(count);
    return value;
  }

 private:
  void shuffle(std::uint32_t count) {
    inverted_ = static_cast<std::uint32_t>(mix64(key_, position_ / count));
  }

  std::uint64_t key_ = 0;
  std::uint32_t position_ = 0;
  std::uint32_t inverted_ = 0;
};

}  // namespace weft::protocols::path_selection
