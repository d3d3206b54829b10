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

}  // namespace weft::protocols
