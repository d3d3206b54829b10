#pragma once

#include <cstdint>

#include "simcore/base/units.hpp"

namespace weft::protocols {

/// Link-level retry (LLR; UE specification 1.0, 5.1) of every link between servers and switches. A
/// port keeps what it has sent until the peer has acknowledged it, and sends it again when a frame
/// was corrupted. Attributes and examples: the SAI proposal of the UEC management group, 2025.
struct LinkRetryConfig {
  /// Frames that come while a port has no retry, since it restarts.
  enum class Restarting : std::uint8_t {
    kBestEffort,  ///< are sent without a number: what is corrupted is lost
    kDiscard,     ///< are dropped
  };
  bool enabled = false;
  Bytes outstanding = 102'400_B;  ///< wire bytes sent and not acknowledged at which a port stops
  std::uint32_t frames = 100;     ///< the same in frames
  Bytes ack_every = 2'048_B;      ///< between two ACKs, as bytes or as their time on the link
  Picoseconds timeout = 10_us;    ///< without an ACK all is sent again
  std::uint32_t replays = 1;      ///< without an ACK between them; then all is dropped
  Picoseconds max_age{};          ///< of the oldest frame, then all is dropped; 0: no limit
  bool restarts = true;           ///< after that the retry starts again; false: it stays off
  Restarting restarting = Restarting::kBestEffort;
};

}  // namespace weft::protocols
