#include "collectives/jitter/exponential.hpp"

#include <bit>

namespace weft::collectives {

namespace {

__extension__ using DoubleWord = unsigned __int128;

/// `log` in units of 2^-58.
Picoseconds scaled_by_log(Picoseconds mean, std::uint64_t log) {
  const DoubleWord product = static_cast<DoubleWord>(mean.count()) * log;
  constexpr DoubleWord kHalf = DoubleWord{1} << (kNegativeLogBits - 1);
  return Picoseconds(static_cast<std::int64_t>((product + kHalf) >> kNegativeLogBits));
}

}  // namespace

Picoseconds exponential(Picoseconds mean, std::uint64_t bits) {
  return scaled_by_log(mean, negative_log(bits));
}

Picoseconds max_exponential(Picoseconds mean, std::uint64_t bits) {
  const auto zeros = static_cast<unsigned>(std::countl_zero(bits));
  const DoubleWord binary_log = static_cast<DoubleWord>(1 + zeros) << kNegativeLogBits;
  return scaled_by_log(mean, static_cast<std::uint64_t>((binary_log * kLogOfTwo) >> 64U));
}

}  // namespace weft::collectives
