#include "collectives/noise/exponential.hpp"

#include <bit>
#include <limits>

namespace weft::collectives {

namespace {

__extension__ using DoubleWord = unsigned __int128;

constexpr unsigned kFractionBits = 58;
/// floor(ln(2) * 2^64)
constexpr std::uint64_t kLogOfTwo = 0xb17217f7d1cf79abULL;

/// log2(m / 2^63) for m in [2^63, 2^64), in units of 2^-58, by squaring: each squaring doubles the
/// logarithm, and its integer part is the next bit. What a squaring cuts off (2^-63 relative)
/// weighs half as much in every further bit, so the errors sum to less than 2^-61.
std::uint64_t binary_log_of_mantissa(std::uint64_t m) {
  std::uint64_t log = 0;
  for (unsigned bit = 0; bit < kFractionBits; ++bit) {
    const DoubleWord square = static_cast<DoubleWord>(m) * m;
    const auto high = static_cast<std::uint64_t>(square >> 64U);
    const bool is_two_or_more = (high >> 63U) != 0;
    m = is_two_or_more ? high : static_cast<std::uint64_t>(square >> 63U);
    log = (log << 1U) | (is_two_or_more ? 1U : 0U);
  }
  return log;
}

/// `log` in units of 2^-58.
Picoseconds scaled_by_log(Picoseconds mean, std::uint64_t log) {
  const DoubleWord product = static_cast<DoubleWord>(mean.count()) * log;
  constexpr DoubleWord kHalf = DoubleWord{1} << (kFractionBits - 1);
  return Picoseconds(static_cast<std::int64_t>((product + kHalf) >> kFractionBits));
}

}  // namespace

std::uint64_t negative_log(std::uint64_t bits) {
  if (bits == std::numeric_limits<std::uint64_t>::max()) return 0;  // u = 1
  const std::uint64_t v = bits + 1;
  const auto zeros = static_cast<unsigned>(std::countl_zero(v));
  // u = 2^-(1 + zeros) * m / 2^63
  const DoubleWord binary_log =
      (static_cast<DoubleWord>(1 + zeros) << kFractionBits) - binary_log_of_mantissa(v << zeros);
  return static_cast<std::uint64_t>((binary_log * kLogOfTwo) >> 64U);
}

Picoseconds exponential(Picoseconds mean, std::uint64_t bits) {
  return scaled_by_log(mean, negative_log(bits));
}

Picoseconds most_exponential(Picoseconds mean, std::uint64_t bits) {
  const auto zeros = static_cast<unsigned>(std::countl_zero(bits));
  const DoubleWord binary_log = static_cast<DoubleWord>(1 + zeros) << kFractionBits;
  return scaled_by_log(mean, static_cast<std::uint64_t>((binary_log * kLogOfTwo) >> 64U));
}

}  // namespace weft::collectives
