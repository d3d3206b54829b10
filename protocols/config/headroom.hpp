#pragma once

#include <vector>

#include "protocols/config/switch_config.hpp"
#include "protocols/config/transports/list.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"

/// How much buffer a lossless class needs per ingress port for what arrives after XOFF is crossed.
namespace weft::protocols {

/// Sizes of the packets that may travel in a class, on the wire.
struct PacketSizes {
  Bytes smallest;
  Bytes largest;
};
[[nodiscard]] PacketSizes packet_sizes(const SwitchConfig& switches,
                                       const TrafficClass& traffic_class,
                                       const std::vector<TransportConfig>& transports);

/// The quantities that decide what can arrive at an ingress port of switch Y, whose upstream port
/// is at X, once a packet has crossed XOFF.
struct HeadroomTerms {
  BitsPerSecond rate;            ///< of the link, in both directions
  Picoseconds wire;              ///< its latency, one way
  Picoseconds pipeline;          ///< of Y, from the end of reception to the account
  Picoseconds response;          ///< of X, from the end of a pause's reception until it obeys
  bool pause_propagates = true;  ///< false: a pause takes no wire latency
  Bytes pause_frame;             ///< on the wire; 0: takes no time and waits for nothing
  Bytes reverse_packet;          ///< largest that Y may just have begun to send to X, any class
  /// With cut-through: how long such a packet holds Y's egress before it goes, where the rest of it
  /// comes by a slower link.
  Picoseconds reverse_hold;
  Bytes smallest;          ///< packet of the class
  Bytes largest;           ///< packet of the class
  Bytes cell = 1_B;        ///< of the buffer; what is stored takes whole cells
  Bytes sent_again = 0_B;  ///< that a link with retry sends again whatever is paused
};

/// The most buffer that the packet which crosses XOFF and all after it can take: with it nothing is
/// dropped, and with a cell less some arrangement of packets drops. In whole cells.
///
/// The crossing packet counts in full. The pause may wait for a packet that Y has just begun, or
/// that with cut-through holds the egress until the rest of it is there; it takes its own wire time
/// and latency, and X obeys after the response. X has sent back to back since the
/// end of the crossing packet, which is a latency and a pipeline ago by then; a packet that begins
/// at the very instant at which the pause takes effect still goes. So of W = rate x (all of these)
/// bytes, packets take as many cells as they can, and one of the largest follows. A link with retry
/// sends again what it keeps, even where the class is paused.
[[nodiscard]] Bytes exact_headroom(const HeadroomTerms& terms);

/// The most cells that packets of `smallest` to `largest` bytes can take whose sizes add up to at
/// most `bytes`.
[[nodiscard]] std::int64_t max_cells(Bytes bytes, Bytes smallest, Bytes largest, Bytes cell);

/// What SONiC sets aside on NVIDIA's SN5600 (sonic-swss, buffer_headroom_mellanox.lua): port MTU,
/// cable, MAC and PHY, response and tile pipeline, in cells of packets of which that many are of 64
/// B, which waste most of a cell, and the others of the lossless MTU; and one lossless packet.
/// Rounded up to 1 KiB. Half of the packets are small since sonic-buildimage#20632;
/// pg_profile_lookup.ini has all of them small, and a port MTU of 9216. `propagation` is one way;
/// the vendor takes it from the cable's length at 198,000 km/s, which ignores transceivers and FEC.
struct Sn5600Settings {
  Bytes port_mtu = 9100_B;
  Bytes lossless_mtu = 1024_B;
  Bytes cell = 192_B;
  int small_packets = 50;  ///< percent
};
[[nodiscard]] Bytes sn5600_headroom(BitsPerSecond rate, Picoseconds propagation,
                                    const Sn5600Settings& settings = {});
[[nodiscard]] Bytes sn5600_headroom(BitsPerSecond rate, Millimetres length,
                                    const Sn5600Settings& settings = {});

/// The terms of one ingress port of a switch of `fabric`.
[[nodiscard]] HeadroomTerms headroom_terms(const Fabric& fabric, PortId in,
                                           const SwitchConfig& switches,
                                           const TrafficClass& traffic_class,
                                           const std::vector<TransportConfig>& transports);

/// What is set aside at `in`, a port of a switch, for a class with PFC, as its configuration asks.
/// 0 where the shared buffer serves as headroom.
[[nodiscard]] Bytes headroom_of(const Fabric& fabric, PortId in, const SwitchConfig& switches,
                                const TrafficClass& traffic_class,
                                const std::vector<TransportConfig>& transports);

}  // namespace weft::protocols
