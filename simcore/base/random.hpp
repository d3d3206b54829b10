#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>

/// Counter-based random numbers: a pure function of (seed, purpose, entity, counter). There is no
/// generator state to share, so a draw does not depend on who drew before it, on the order of
/// events or on the number of threads.
namespace weft {

/// What a random number decides. The value is part of every stream's key and with it of every
/// result: append new purposes at the end and never renumber.
enum class Purpose : std::uint32_t {
  kEcnMark = 1,            ///< whether a packet is marked; entity: egress port
  kStartJitter = 2,        ///< when a message or job starts; entity: rank of the job
  kPermutation = 3,        ///< who sends to whom in a permutation; entity: job
  kPlacement = 4,          ///< which host gets which rank; entity: job
  kArrival = 5,            ///< gaps between open-loop messages; entity: source
  kDestination = 6,        ///< where open-loop messages go; entity: source
  kMessageSize = 7,        ///< how large open-loop messages are; entity: source
  kLoadBalancing = 8,      ///< choices of a switch that are not hashes; entity: switch
  kArbitration = 9,        ///< which input an output serves; entity: switch
  kCollectiveJitter = 10,  ///< how much later an iteration begins; entity: rank of the job
  kRouting = 11,           ///< which experts a token goes to; entity: rank of the job
  kActivity = 12,          ///< how long a source sends or rests; entity: source
  kMembers = 13,           ///< who takes part in a round, or is asked; entity: round, or asker
  kFrameLoss = 14,         ///< how far apart errors of a link are; entity: the port where it ends
  kGrantPeriod = 15,       ///< when a port looks how much it grants; entity: the port
  kPlaceOrder = 16,        ///< phases and clocks of ports at a full queue; entity: 0
  kTrimVictim = 17,        ///< which packet is trimmed at a full queue; entity: egress port
  kEarlyDrop = 18,         ///< whether WRED drops a packet; entity: egress port
  kTestScenario = 100,     ///< random scenarios of property tests
  kSweepSample = 101,      ///< values of a random sweep; entity: axis
};

/// Philox4x32-10 (J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel Random Numbers: As Easy as 1,
/// 2, 3", SC 2011, section 3.3 and table 2): ten rounds of two 32x32-bit multiplications, a
/// bijection of the 128-bit counter for every 64-bit key.
namespace philox {

using Counter = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

inline constexpr int kRounds = 10;
inline constexpr std::uint32_t kMultiplier0 = 0xd2511f53;
inline constexpr std::uint32_t kMultiplier1 = 0xcd9e8d57;
inline constexpr std::uint32_t kWeyl0 = 0x9e3779b9;  ///< golden ratio
inline constexpr std::uint32_t kWeyl1 = 0xbb67ae85;  ///< sqrt(3) - 1

[[nodiscard]] constexpr Counter generate(Counter counter, Key key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32U) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32U) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key = {key[0] + kWeyl0, key[1] + kWeyl1};
  }
  return counter;
}

}  // namespace philox

/// The random numbers of one purpose at one entity. The n-th number is a function of n alone;
/// callers count what they draw (packets, messages, rounds) with a number that the model defines.
///
/// The seed is the Philox key; purpose (32 bits), entity (32 bits) and counter (64 bits) fill its
/// counter block. Under one seed, streams are therefore disjoint by construction for entities below
/// 2^32. The upper half of a wider entity goes into the key, where it meets the seed's upper half.
class RandomStream {
 public:
  constexpr RandomStream(std::uint64_t seed, Purpose purpose, std::uint64_t entity)
      : key_{static_cast<std::uint32_t>(seed),
             static_cast<std::uint32_t>(seed >> 32U) ^ static_cast<std::uint32_t>(entity >> 32U)},
        purpose_(static_cast<std::uint32_t>(purpose)),
        entity_(static_cast<std::uint32_t>(entity)) {}

  /// 64 uniform bits.
  [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t counter) const {
    const philox::Counter block = generate(counter);
    return (std::uint64_t{block[1]} << 32U) | block[0];
  }
  /// 32 uniform bits: the lower half of `bits`.
  [[nodiscard]] constexpr std::uint32_t bits32(std::uint64_t counter) const {
    return generate(counter)[0];
  }
  /// Uniform in 0 .. n-1 for n >= 1; the bias is at most n / 2^64 (D. Lemire, "Fast Random Integer
  /// Generation in an Interval", 2019, without the rejection, which would need a varying number of
  /// draws).
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t counter, std::uint64_t n) const {
    assert(n > 0);
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits(counter)) * n) >> 64U);
  }

 private:
  [[nodiscard]] constexpr philox::Counter generate(std::uint64_t counter) const {
    return philox::generate({static_cast<std::uint32_t>(counter),
                             static_cast<std::uint32_t>(counter >> 32U), entity_, purpose_},
                            key_);
  }

  philox::Key key_;
  std::uint32_t purpose_;
  std::uint32_t entity_;
};

inline constexpr unsigned kNegativeLogBits = 58;
/// floor(ln(2) * 2^64)
inline constexpr std::uint64_t kLogOfTwo = 0xb17217f7d1cf79abULL;

/// log2(m / 2^63) for m in [2^63, 2^64), in units of 2^-58, by squaring: each squaring doubles the
/// logarithm, and its integer part is the next bit. What a squaring cuts off (2^-63 relative)
/// weighs half as much in every further bit, so the errors sum to less than 2^-61.
[[nodiscard]] constexpr std::uint64_t binary_log_of_mantissa(std::uint64_t m) {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t log = 0;
  for (unsigned bit = 0; bit < kNegativeLogBits; ++bit) {
    const Wide square = static_cast<Wide>(m) * m;
    const auto high = static_cast<std::uint64_t>(square >> 64U);
    const bool is_two_or_more = (high >> 63U) != 0;
    m = is_two_or_more ? high : static_cast<std::uint64_t>(square >> 63U);
    log = (log << 1U) | (is_two_or_more ? 1U : 0U);
  }
  return log;
}

/// -ln(u) for the uniform u = (bits + 1) / 2^64 in (0, 1], in units of 2^-58. Integer arithmetic
/// only, so that it is the same in every build and on every machine; off by less than 2^-56.
[[nodiscard]] constexpr std::uint64_t negative_log(std::uint64_t bits) {
  __extension__ using Wide = unsigned __int128;
  if (bits == std::numeric_limits<std::uint64_t>::max()) return 0;  // u = 1
  const std::uint64_t v = bits + 1;
  const auto zeros = static_cast<unsigned>(std::countl_zero(v));
  // u = 2^-(1 + zeros) * m / 2^63
  const Wide binary_log =
      (static_cast<Wide>(1 + zeros) << kNegativeLogBits) - binary_log_of_mantissa(v << zeros);
  return static_cast<std::uint64_t>((binary_log * kLogOfTwo) >> 64U);
}

}  // namespace weft
