#pragma once

#include <cstdint>

namespace weft::protocols::congestion {

/// TCP NewReno's window (RFC 5681; how losses are repaired is the transport's, RFC 6582 and 6675).
struct NewRenoConfig {
  std::uint32_t initial_window = 10;   ///< packets
  std::uint32_t slow_start_limit = 0;  ///< packets; 0: slow start until the first mark or loss
  bool ecn = true;                     ///< marks halve the window as losses do

  friend bool operator==(const NewRenoConfig&, const NewRenoConfig&) = default;
};

}  // namespace weft::protocols::congestion
