#pragma once

#include <cstdint>

namespace weft {

/// What the links of a network speak; all switches of one fabric speak the same. It decides what
/// flow and congestion control are unless a scenario says otherwise.
enum class LinkLayer : std::uint8_t {
  kEthernet,    ///< RoCEv2: priority flow control, ECN marks and DCQCN
  kInfiniBand,  ///< credits per virtual lane (IBTA volume 1, 7.9), no congestion control
};

}  // namespace weft
