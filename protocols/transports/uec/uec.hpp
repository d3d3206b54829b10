#pragma once

#include <cstdint>

#include "protocols/state/network_state.hpp"
#include "protocols/transports/uec/uec_receiver.hpp"
#include "protocols/transports/uec/uec_sender.hpp"

namespace weft::protocols {

/// Ultra Ethernet's packet delivery (UE specification 1.0, 3.5): a queue pair is a packet delivery
/// context (PDC). Packets carry entropy values of their own and arrive in any order (RUD), or keep
/// to one path and are taken in order (ROD); ACKs tell of single packets; trimmed packets make
/// NACKs. `Host` is the host that the ends live on.
template <class Host>
class Uec {
 public:
  Uec(NetworkState& state, Host& host) : sender_(state, host), receiver_(state, host) {}

  void on_first_sent(const Here& here, SenderState& s, QueuePairId qp) {
    sender_.on_first_sent(here, s, qp);
  }
  void on_sent(const Here& here, SenderState& s, bool /*is_last_of_message*/) {
    sender_.on_sent(here, s);
  }
  void receive_response(const Here& here, const Packet& packet, PortState& port) {
    sender_.receive_response(here, packet, port);
  }
  void expire_timer(const Here& here, QueuePairId qp) { sender_.expire_timer(here, qp); }

  void ask_ack(SenderState& s) const { sender_.ask_ack(s); }
  void on_credit(const Here& here, QueuePairId qp) { sender_.on_credit(here, qp); }
  void fail_all(const Here& here, QueuePairId qp) { sender_.fail_all(here, qp); }
  void repeat_of_planes(const Here& here, QueuePairId qp, std::uint8_t planes) {
    sender_.repeat_of_planes(here, qp, planes);
  }
  static constexpr bool is_of_contexts() { return true; }

  void receive_data(const Here& here, const Packet& packet, PortState& port) {
    receiver_.receive_data(here, packet, port);
  }
  void receive_probe(const Here& here, const Packet& packet, PortState& port) {
    receiver_.receive_probe(here, packet, port);
  }
  void refuse_data(const Here& here, const Packet& packet, PortState& port) {
    receiver_.refuse_data(here, packet, port);
  }
  void receive_trimmed(const Here& here, const Packet& packet, PortState& port) {
    receiver_.receive_trimmed(here, packet, port);
  }

 private:
  UecSenderEnd<Host> sender_;
  UecReceiverEnd<Host> receiver_;
};

}  // namespace weft::protocols
