#pragma once

#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/transports/tcp/tcp_receiver.hpp"
#include "protocols/transports/tcp/tcp_sender.hpp"

namespace weft::protocols {

/// TCP, a segment being a packet: cumulative and selective acknowledgements, which receivers hold
/// back; fast retransmit and recovery; a time-out that follows the round trips; ECN. `Host` is the
/// host that the ends live on: it sends what they have (`respond`, `activate`) and calls the
/// processes.
template <class Host>
class Tcp {
 public:
  Tcp(NetworkState& state, Host& host) : sender_(state, host), receiver_(state, host) {}

  void on_first_sent(const Here& here, SenderState& s, QueuePairId qp) {
    sender_.on_first_sent(here, s, qp);
  }
  void on_sent(const Here& here, SenderState& s, bool /*is_last_of_message*/) {
    sender_.on_sent(here, s);
  }
  void receive_response(const Here& here, const Packet& packet, PortState& port) {
    sender_.receive_ack(here, packet, port);
  }
  void expire_timer(const Here& here, QueuePairId qp) { sender_.expire_timer(here, qp); }

  void receive_data(const Here& here, const Packet& packet, PortState& port) {
    receiver_.receive_data(here, packet, port);
  }
  bool expire_ack_timer(const Here& here, ReceiverId id) {
    return receiver_.expire_ack_timer(here, id);
  }

 private:
  TcpSenderEnd<Host> sender_;
  TcpReceiverEnd<Host> receiver_;
};

}  // namespace weft::protocols
