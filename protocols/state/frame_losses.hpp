#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "simcore/base/random.hpp"
#include "simcore/fabric/link_errors.hpp"

namespace weft::protocols {

/// Which frames of a link direction are corrupted on the way. What lies between two errors is drawn
/// as a whole: with independent errors it is geometric, so that a frame that arrives costs a
/// subtraction, and one that does not a random number. The draws are those of the link's end, by
/// their number.
class FrameLosses {
 public:
  FrameLosses() = default;
  /// `port`: where the link ends.
  FrameLosses(const LinkErrors& errors, std::uint64_t seed, std::uint32_t port) {
    change(errors, seed, port);
  }

  /// From now on other errors; geometric gaps have no memory.
  void change(const LinkErrors& errors, std::uint64_t seed, std::uint32_t port) {
    per_frame_ = 0;
    per_byte_ = 0;
    left_ = 0;
    if (!errors.any()) return;
    const FrameExposure exposure(errors);
    per_frame_ = exposure.per_frame;
    per_byte_ = static_cast<std::uint16_t>(exposure.per_byte);
    // 1 / -ln(survival) in 47 bits, whatever its size.
    const double mean = -1 / exposure.log_survival;  // 0 where nothing survives
    const int shift = mean > 0 ? 46 - std::ilogb(mean) : 0;
    mean_ = static_cast<std::uint64_t>(std::llround(std::ldexp(mean, shift)));
    shift_ = static_cast<std::int16_t>(shift);
    draw(seed, port);
  }

  /// Whether the frame that comes next is corrupted.
  [[nodiscard]] bool corrupts(Bytes wire, std::uint64_t seed, std::uint32_t port) {
    const std::uint64_t exposed =
        per_frame_ + std::uint64_t{per_byte_} * static_cast<std::uint64_t>(wire.count());
    if (left_ >= exposed) [[likely]] {
      left_ -= exposed;
      return false;
    }
    draw(seed, port);
    ++count_;
    return true;
  }

  /// Frames that were corrupted since this was last set to 0.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  void clear_count() { count_ = 0; }

 private:
  /// Units that are right before the next that is not: floor(ln(u) / ln(survival)).
  [[gnu::noinline]] void draw(std::uint64_t seed, std::uint32_t port) {
    __extension__ using Wide = unsigned __int128;
    const RandomStream random(seed, Purpose::kFrameLoss, port);
    const Wide product = static_cast<Wide>(negative_log(random.bits(draws_++))) * mean_;
    const Wide units = product >> (static_cast<int>(kNegativeLogBits) + shift_);
    constexpr Wide kMax = std::numeric_limits<std::uint64_t>::max();
    left_ = static_cast<std::uint64_t>(std::min(units, kMax));
  }

  std::uint64_t left_ = 0;  ///< units until the next error
  std::uint64_t mean_ = 0;  ///< between two, times 2^shift
  std::uint32_t per_frame_ = 0;
  std::uint32_t draws_ = 0;
  std::uint32_t count_ = 0;
  std::uint16_t per_byte_ = 0;
  std::int16_t shift_ = 0;
};
static_assert(sizeof(FrameLosses) == 32);

}  // namespace weft::protocols
