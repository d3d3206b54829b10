#pragma once

#include <cstdint>

#include "simcore/base/random.hpp"

namespace weft::testing {

/// Random numbers one after the other, the same ones in every run.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed, Purpose::kTestScenario, 0) {}

  /// `n` > 0.
  std::uint64_t below(std::uint64_t n) { return random_.below(count_++, n); }
  std::int64_t between(std::int64_t min, std::int64_t max) {
    return min + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(max - min) + 1));
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  RandomStream random_;
  std::uint64_t count_ = 0;
};

}  // namespace weft::testing
