#pragma once

#include <array>
#include <cstdint>

#include "protocols/congestion/control_spec.hpp"

namespace weft::protocols::congestion {

/// What a scenario says of any window of TCP's.
struct TcpWindowConfig {
  std::uint32_t initial = 10;          ///< packets
  std::uint32_t slow_start_limit = 0;  ///< packets; 0: slow start until the first mark or loss
  bool ecn = true;                     ///< marks reduce the window as losses do

  friend bool operator==(const TcpWindowConfig&, const TcpWindowConfig&) = default;
};

/// What controls with such a window tell of it.
inline constexpr std::array<Column, 4> kTcpWindowColumns{{
    {"rate_bps", "the rate that the window allows at the last delay"},
    {"window_packets", "packets that may be in flight", Column::Form::kFraction},
    {"slow_start_packets", "the window at which slow start ends", Column::Form::kFraction},
    {"delay_s", "of the last ACK", Column::Form::kSeconds},
}};
/// With one that the control adds.
constexpr std::array<Column, 5> tcp_window_columns_and(const Column& more) {
  return {kTcpWindowColumns[0], kTcpWindowColumns[1], kTcpWindowColumns[2], kTcpWindowColumns[3],
          more};
}

}  // namespace weft::protocols::congestion
