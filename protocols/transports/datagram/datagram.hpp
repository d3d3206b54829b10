#pragma once

#include <cstdint>

#include "protocols/state/network_state.hpp"
#include "protocols/transports/sender.hpp"

namespace weft::protocols {

/// Unreliable datagrams: never acknowledged, lost when dropped. A message of which a packet is
/// missing is not delivered. `Host` is the host that the ends live on.
template <class Host>
class Datagram {
 public:
  explicit Datagram(NetworkState& state, Host& host) : s_(state), host_(host), sender_(state) {}

  void on_first_sent(const Here&, SenderState&, QueuePairId) const {}
  /// What was sent is done with.
  void on_sent(const Here& here, SenderState& s, bool is_last_of_message) const {
    s.unacked = s.received = s.next;
    if (is_last_of_message) sender_.end_message(here, s, OptionalTime());
  }

  void receive_response(const Here&, const Packet&, PortState&) const {}
  void expire_timer(const Here&, QueuePairId) const {}

  void receive_data(const Here& here, const Packet& packet, PortState& port) {
    const ReceiverId id = receiver_of(packet);
    ReceiverState& r = s_.receivers[id];
    const bool has_gap = packet.sequence != r.expected;
    r.message_broken = !has(packet, kFirst) && (r.message_broken || has_gap);
    r.expected = packet.sequence + 1;
    if (!has(packet, kLast) || r.message_broken) return;
    host_.record_delivery(here, id, packet.sequence, port);
    host_.notify_delivered(here, id);
  }

 private:
  NetworkState& s_;
  Host& host_;
  Sender sender_;
};

}  // namespace weft::protocols
