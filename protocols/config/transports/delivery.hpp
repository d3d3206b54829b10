#pragma once

#include <cstdint>

#include "simcore/base/units.hpp"

namespace weft::protocols {

/// How packet delivery contexts (PDCs) of Ultra Ethernet work: UE specification 1.0, 3.5.
struct PacketDelivery {
  /// Of `timeout`: 15 us and what six full data queues take to drain.
  static constexpr Picoseconds kByQueue{0};
  /// Of `nack_retries`.
  static constexpr std::uint32_t kEndless = 31;

  bool in_order = false;            ///< ROD: everything after a gap is dropped and sent again
  std::uint32_t psn_window = 1024;  ///< packets from the first that is missing on
  Bytes ack_bytes = 16_KiB;         ///< of payload per ACK
  Bytes ack_min_add = 1_KiB;        ///< that each packet counts at least
  bool acks_marks = true;           ///< a marked packet is acknowledged at once
  bool acks_all = false;            ///< every packet is
  bool counts_headers = false;      ///< headers are part of these bytes, too
  Bytes nack_size;                  ///< wire bytes
  Bytes counted_header;  ///< bytes of a packet besides its payload, as the control counts
  Picoseconds timeout = 1_ms;
  bool backs_off = true;             ///< it doubles with each time-out of a packet
  std::uint32_t linear_retries = 0;  ///< but for this many of them
  std::uint32_t retries = 5;
  std::uint32_t nack_retries = kEndless;
  bool infers_loss = false;  ///< SLEEK: from what ACKs say came early, and by probes
  /// Whether the contexts of a host share what each wants of its receiver, and not the limit of
  /// that: congestion::RcccSource::Shared.
  bool shares_demand = false;
  /// Packets from the first that is missing on that receivers keep track of; those beyond have a
  /// NACK (NO_BITMAP).
  std::uint32_t tracked = 1024;
  /// Packets that overtake a missing one until its receiver asks for it (RCVR_INFER_LOSS); 0: it
  /// does not.
  std::uint32_t receiver_gap = 0;

  /// The time-out of a packet that has timed out that often before; `first`: where it never has.
  /// It doubles up to 2.5 hours.
  [[nodiscard]] Picoseconds timeout_after(Picoseconds first, std::uint32_t timeouts) const {
    constexpr Picoseconds kMax{std::int64_t{1} << 53};
    if (!backs_off || timeouts <= linear_retries) return first;
    Picoseconds longer = first;
    for (std::uint32_t i = linear_retries; i < timeouts && longer < kMax; ++i) longer += longer;
    return longer;
  }
};

}  // namespace weft::protocols
