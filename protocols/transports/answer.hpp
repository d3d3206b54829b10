#pragma once

#include "protocols/packet/flow_bits.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// What a receiving end sends to its sender: an acknowledgement, a CNP or a grant. What it says is
/// the transport's, or the control's.
[[nodiscard]] inline Packet answer_of(ReceiverId id, const ReceiverState& r,
                                      const TransportConstants& t, PacketKind kind) {
  Packet packet;
  packet.flow = flow_of(queue_pair_of(id));
  packet.entropy = r.ack_entropy;
  packet.size = t.ack_size;
  packet.ttl = t.ttl;
  const bool is_ack = kind != PacketKind::kCnp && kind != PacketKind::kGrant;
  const ClassId fixed = is_ack ? t.ack_class : t.cnp_class;
  const ClassId c = fixed.is_none() ? r.traffic_class : fixed;
  packet.set_header(r.host.value(), packet_type(kind, c), 0);
  return packet;
}

}  // namespace weft::protocols
