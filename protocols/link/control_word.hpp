#pragma once

#include <cstdint>

#include "simcore/base/ids.hpp"

namespace weft::protocols {

/// What an event or a frame of link control carries: the class, and a number.
struct ControlWord {
  ClassId traffic_class;
  std::uint32_t value = 0;

  [[nodiscard]] std::uint32_t pack() const { return (value << kClassBits) | traffic_class.value(); }
  [[nodiscard]] static ControlWord unpack(std::uint32_t packed) {
    return {ClassId(packed & ((1U << kClassBits) - 1)), packed >> kClassBits};
  }

 private:
  static constexpr unsigned kClassBits = 3;
};

/// The number of a CC_Update (CBFC): blocks of a frame that died, and the outages of the link
/// before it. A later outage voids it, since all blocks are granted again when the link is back.
struct LostBlocks {
  std::int32_t blocks = 0;
  std::uint32_t outages = 0;

  [[nodiscard]] std::uint32_t pack() const {
    return static_cast<std::uint32_t>(blocks) << kOutageBits | (outages & kOutages);
  }
  [[nodiscard]] static LostBlocks unpack(std::uint32_t packed) {
    return {static_cast<std::int32_t>(packed >> kOutageBits), packed & kOutages};
  }
  [[nodiscard]] bool is_after(std::uint32_t outages_now) const {
    return outages == (outages_now & kOutages);
  }

 private:
  static constexpr unsigned kOutageBits = 12;
  static constexpr std::uint32_t kOutages = (1U << kOutageBits) - 1;
};

}  // namespace weft::protocols
