#pragma once

#include <cstdint>

#include "tools/import/facts/description.hpp"

namespace weft::import {

/// What the checks of settings look for.
struct CheckedTraffic {
  /// The code point of RoCE: NCCL_IB_TC over 4, as far as no file says another; 26 is the usual
  /// one.
  std::uint32_t roce_dscp = 26;
};

/// What switch settings say against themselves and each other: findings with file and key. Nothing
/// is simulated. Settings that a file does not hold are not judged.
[[nodiscard]] Remarks check_settings(const Description& description,
                                     const CheckedTraffic& traffic = {});

/// The least headroom that keeps packets of `mtu` bytes from being dropped at a port of `rate`
/// whose cable has `length`, on a switch whose pipeline takes no time: rate x (two cables at 5
/// ns/m, IEEE 802.3's response, a packet on its way in the other direction, the pause frame) and
/// two packets.
[[nodiscard]] Bytes min_headroom(BitsPerSecond rate, Millimetres length, Bytes mtu);

}  // namespace weft::import
