#pragma once

#include <cstdint>

#include "simcore/base/units.hpp"

namespace weft {

/// How often frames on a link are corrupted, and by what.
struct LinkErrors {
  /// What the rate is a rate of.
  enum class Unit : std::uint8_t {
    kFrames,  ///< frames, whatever their size
    kBits,    ///< bits of a line without FEC
    // Bits that forward error correction leaves wrong, by its code:
    kRs544,  ///< RS(544,514) over 10 bits (IEEE 802.3, 119): 50 and 100 Gbps per lane
    kRs528,  ///< RS(528,514) over 10 bits (IEEE 802.3, 91): 25 Gbps per lane
    kRs272,  ///< RS(272,258) over 10 bits (Ethernet Technology Consortium, low latency)
  };
  double rate = 0;
  Unit unit = Unit::kFrames;

  [[nodiscard]] bool any() const { return rate > 0; }
  friend bool operator==(const LinkErrors&, const LinkErrors&) = default;
};

/// What a frame exposes to errors, in units each of which is corrupted by itself with one
/// probability: the frame, or quarters of bits. A frame of b wire bytes exposes `per_frame` + b *
/// `per_byte`.
///
/// A code word with an error is corrupted as a whole, and with it every frame that has a part in
/// it. It holds d bytes of data in n bits (640 B in 5,440 bits for RS(544,514): 20 blocks of 256
/// bits, as 257), and a frame that begins anywhere has a part in 1 + (b - 1) / d of them on
/// average. All n bits of each must be right.
struct FrameExposure {
  std::uint32_t per_frame = 0;
  std::uint32_t per_byte = 0;
  double log_survival = 0;  ///< natural logarithm of the probability that a unit is right

  explicit FrameExposure(const LinkErrors& errors);
  [[nodiscard]] std::uint64_t of(Bytes wire) const {
    return per_frame + std::uint64_t{per_byte} * static_cast<std::uint64_t>(wire.count());
  }
};

/// The probability that a frame of `wire` bytes is lost:
/// 1 - (1 - rate)^(units that it exposes), a unit being a frame or a bit.
[[nodiscard]] double frame_loss_probability(const LinkErrors& errors, Bytes wire);

}  // namespace weft
