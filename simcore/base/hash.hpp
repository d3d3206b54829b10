#pragma once

#include <cstdint>

#include "simcore/base/ids.hpp"

/// Hashes that decide paths. Every engine calls these same functions with the same model-defined
/// keys, so a flow takes the same path in all of them, whatever the order it was created in.
namespace weft {

/// A bijective, non-linear mixer of 64 bits (constants: MurmurHash3 finaliser variant 13 by
/// D. Stafford, "Better Bit Mixing", 2011). Linear hashes such as CRC keep collisions from one tier
/// to the next; this one does not.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  x ^= x >> 31;
  return x;
}

/// Mixes `value` into `key`, order-sensitively.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t key, std::uint64_t value) {
  return mix64((key + 0x9e3779b97f4a7c15ULL) ^ mix64(value + 0xd1b54a32d192ed03ULL));
}

/// What the packets of a queue pair carry for ECMP, in the place of the UDP source port.
[[nodiscard]] constexpr std::uint32_t flow_entropy(HostId source, HostId destination,
                                                   std::uint32_t queue_pair) {
  const std::uint64_t pair =
      (static_cast<std::uint64_t>(source.value()) << 32U) | destination.value();
  return static_cast<std::uint32_t>(mix64(mix64(1, pair), queue_pair) >> 32U);
}

/// The number of the `index`-th queue pair of a connection, as flow_entropy takes it.
[[nodiscard]] constexpr std::uint32_t queue_pair_number(std::uint32_t flow_label,
                                                        std::uint32_t index) {
  return static_cast<std::uint32_t>(mix64(flow_label, index));
}

/// Whose data a queue pair carries.
enum class QueuePairUse : std::uint8_t {
  /// One process's: the other one sends by a queue pair of its own. NCCL connects like this, a
  /// queue pair per send and per receive (nccl/src/transport/net_ib.cc, ncclIbConnect and
  /// ncclIbAccept).
  kOneWay,
  kBothWays,  ///< both processes': the responses to one's data go the way of the other's data
};

/// What the responses (ACKs, NACKs, CNPs) to data of `flow_entropy(source, destination,
/// queue_pair)` carry.
[[nodiscard]] constexpr std::uint32_t response_entropy(HostId source, HostId destination,
                                                       std::uint32_t queue_pair, QueuePairUse use) {
  const bool is_shared = use == QueuePairUse::kBothWays;
  const std::uint64_t number = is_shared ? queue_pair : mix64(queue_pair, 0x41434b /* "ACK" */);
  return flow_entropy(destination, source, static_cast<std::uint32_t>(number));
}

/// The seed of a switch's hash. Distinct per switch, or a second tier would repeat the choices of
/// the first one (polarisation).
[[nodiscard]] constexpr std::uint64_t switch_hash_seed(std::uint64_t run_seed, NodeId node) {
  return mix64(mix64(run_seed, 0x45434d50 /* "ECMP" */), node.value());
}

/// Maps a 64-bit hash to 0 .. n-1. The bias is at most n / 2^64 (D. Lemire, "Fast Random Integer
/// Generation in an Interval", 2019).
[[nodiscard]] constexpr std::uint32_t reduce_range(std::uint64_t hash, std::uint32_t n) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint32_t>((static_cast<Wide>(hash) * n) >> 64U);
}

/// ECMP by flow: the same choice for every packet of a queue pair.
[[nodiscard]] constexpr std::uint32_t choose_by_flow(std::uint64_t switch_seed,
                                                     std::uint32_t entropy, std::uint32_t n) {
  return reduce_range(mix64(switch_seed ^ entropy), n);
}

/// CRC-16 of the four bytes of `value`, most significant first (polynomial x^16 + x^12 + x^5 + 1 of
/// ITU-T V.41, no reflection). Linear: two starts differ in a constant for all values.
[[nodiscard]] constexpr std::uint16_t crc16(std::uint16_t start, std::uint32_t value) {
  std::uint32_t crc = start;
  for (int byte = 3; byte >= 0; --byte) {
    crc ^= ((value >> (8 * byte)) & 0xFFU) << 8U;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000U) != 0 ? ((crc << 1U) ^ 0x1021U) : crc << 1U;
    }
  }
  return static_cast<std::uint16_t>(crc);
}

/// How switches hash a flow onto one of their next hops.
struct PathHash {
  enum class Type : std::uint8_t {
    kMix,    ///< `mix64`: choices of two seeds are independent
    kCrc16,  ///< as some switches do: linear, so that other seeds do not part what met
  };
  enum class Seeds : std::uint8_t {
    kPerSwitch,
    kSame,  ///< all switches hash alike: the second tier repeats the first one's choices
  };
  Type type = Type::kMix;
  Seeds seeds = Seeds::kPerSwitch;

  /// The seed of a node's hash.
  [[nodiscard]] constexpr std::uint64_t seed_of(std::uint64_t run_seed, NodeId node) const {
    return switch_hash_seed(run_seed, seeds == Seeds::kSame ? NodeId(0U) : node);
  }
  /// ECMP by flow, one of n.
  [[nodiscard]] constexpr std::uint32_t choose(std::uint64_t seed, std::uint32_t entropy,
                                               std::uint32_t n) const {
    if (type == Type::kMix) [[likely]] {
      return choose_by_flow(seed, entropy, n);
    }
    return crc16(static_cast<std::uint16_t>(seed), entropy) % n;
  }
};

/// Random spraying: a fresh choice per packet, keyed by what the packet carries.
[[nodiscard]] constexpr std::uint32_t choose_by_packet(std::uint64_t switch_seed,
                                                       std::uint32_t entropy,
                                                       std::uint32_t sequence, std::uint32_t word,
                                                       std::uint32_t n) {
  const std::uint64_t packet = (static_cast<std::uint64_t>(sequence) << 32U) | word;
  return reduce_range(mix64(mix64(switch_seed ^ entropy) ^ (packet * 0x9e3779b97f4a7c15ULL)), n);
}

}  // namespace weft
