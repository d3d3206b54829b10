#pragma once

#include <cstdint>

namespace weft::protocols::congestion {

/// What a scenario says of any window of TCP's.
struct TcpWindowConfig {
  std::uint32_t initial = 10;          ///< packets
  std::uint32_t slow_start_limit = 0;  ///< packets; 0: slow start until the first mark or loss
  bool ecn = true;                     ///< marks reduce the window as losses do

  friend bool operator==(const TcpWindowConfig&, const TcpWindowConfig&) = default;
};

}  // namespace weft::protocols::congestion
