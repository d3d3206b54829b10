#pragma once

#include <cstdint>

namespace weft::protocols {

/// Why a receiver of Ultra Ethernet asks for a packet again (UE specification 1.0, 3.5), as far as
/// this model has such causes. It lies in the bits of a NACK where data have those of their send
/// time.
enum class NackCode : std::uint8_t {
  kTrimmed = 0x01,
  kTrimmedLastHop = 0x02,
  kNoBitmap = 0x06,        ///< NO_BITMAP: beyond what the receiver keeps track of
  kNoPacketBuffer = 0x07,  ///< NO_PKT_BUFFER: its NIC has no room
  kOutOfWindow = 0x0b,     ///< PSN_OOR_WINDOW: beyond what may be sent
  kOutOfOrder = 0x0d,      ///< ROD_OOO
  kReceiverInfers = 0x1a,  ///< RCVR_INFER_LOSS: later packets have overtaken it
};

/// What a control packet of Ultra Ethernet says (UE specification 1.0, 3.5), in the same place.
enum class ControlCode : std::uint8_t {
  kProbe = 0x06,          ///< PROBE: asks for an ACK; `word` is its send time
  kCreditRequest = 0x08,  ///< CREDIT_REQ: `word` is what the sender would have granted in all
};

}  // namespace weft::protocols
