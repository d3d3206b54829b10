#pragma once

#include <cstdint>
#include <vector>

#include "protocols/config/switch_config.hpp"
#include "protocols/config/transports/list.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"

/// How much buffer credits of the scale-out network must stand for (IBTA volume 1, 7.9).
namespace weft::protocols {

/// The buffer of a class with credits that follows cables and switches.
inline constexpr Bytes kCreditsByLoop = Bytes(-1);

/// How long a credit is away: from the beginning of a packet's transmission until its credit can be
/// used again.
struct CreditLoop {
  Picoseconds min;      ///< nobody else wants a link
  Picoseconds longest;  ///< the update waits for a packet that has just begun
  Bytes packet;         ///< the largest, on the wire
  BitsPerSecond rate;

  /// Packets that the link begins in a time.
  [[nodiscard]] std::int64_t packets_in(Picoseconds time) const;
  /// A buffer with which the link never waits for credits that are on their way.
  [[nodiscard]] Bytes buffer(const CreditConfig& credit) const;
};

/// Of packets that leave by `from`, and of the credits that come back to it.
[[nodiscard]] CreditLoop credit_loop(const Fabric& fabric, PortId from,
                                     const SwitchConfig& switches, const CreditConfig& credit,
                                     const std::vector<TransportConfig>& transports);

/// Gives every class whose buffer is kCreditsByLoop what its longest loop needs. Those of `lanes`,
/// a bit per class, carry messages: packets of theirs wait for others, too, and they share beyond
/// their loops what switches have per port. But no class gets more than every port of every switch
/// can have.
void fill_credit_buffers(const Fabric& fabric, SwitchConfig& switches,
                         const std::vector<TransportConfig>& transports, std::uint8_t lanes);

}  // namespace weft::protocols
