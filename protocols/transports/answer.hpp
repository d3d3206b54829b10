#pragma once

#include "protocols/packet/flow_bits.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// What a receiving end sends to its sender: an ACK, a NACK or a CNP. What it says is the
/// transport's, or the control's.
[[nodiscard]] inline Packet answer_of(ReceiverId id, const ReceiverState& r,
                                      const TransportConstants& t, PacketKind kind) {
  Packet packet;
  packet.flow = flow_of(queue_pair_of(id));
  packet.send_to(r.host.value(), 0);
  packet.entropy = r.ack_entropy;
  packet.size = t.ack_size;
  packet.ttl = t.ttl;
  const ClassId fixed = kind == PacketKind::kCnp ? t.cnp_class : t.ack_class;
  const ClassId c = fixed.is_none() ? r.traffic_class : fixed;
  packet.flags = static_cast<std::uint8_t>(static_cast<unsigned>(kind) | class_flags(c));
  return packet;
}

}  // namespace weft::protocols
