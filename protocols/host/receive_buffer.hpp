#pragma once

#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/link/link_control.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// The buffer of a NIC that takes packets in at a finite rate: one after the other, in the order in
/// which they came. Beyond a threshold it pauses the classes that can be paused; what is not
/// lossless and finds no room is dropped.
template <class Path>
class ReceiveBuffer {
 public:
  explicit ReceiveBuffer(NetworkState& state) : s_(state), control_(state), scheduler_(state) {}

  /// False: it is dropped.
  [[nodiscard]] bool put(const Here& here, const Packet& packet, PortState& port) {
    const NetworkConstants& k = s_.constants;
    const ClassId c = class_of(packet);
    NicState& nic = s_.nics[port.index];
    if (!k.of_class[c].is_credit && nic.inbox.bytes() + packet.wire_size() > k.receive_buffer) {
      ++s_.account(port, c).drops;
      return false;
    }
    nic.inbox.push(packet, here.worker.pool);
    IngressAccount& account = s_.account(port, c);
    if (k.of_class[c].is_credit) account.bytes += held(packet);
    if (s_.class_on<Path>(port, c).is_pfc && !account.is_pausing &&
        nic.inbox.bytes() > k.nic_xoff) {
      account.is_pausing = true;
      control_.send_pause(here, port, c);
    }
    if (nic.inbox.size() == 1) schedule_end(here, port, packet.wire_size());
    return true;
  }

  /// Takes the oldest packet out, which is in; those that it held up may continue.
  [[nodiscard]] Packet take(const Here& here, PortState& port) {
    NicState& nic = s_.nics[port.index];
    const Packet packet = nic.inbox.pop(here.worker.pool);
    if (!nic.inbox.empty()) schedule_end(here, port, nic.inbox.front().wire_size());
    const ClassId c = class_of(packet);
    if (s_.constants.of_class[c].is_credit) s_.account(port, c).bytes -= held(packet);
    return packet;
  }

  /// Lifts the pauses that are not needed any more.
  void resume_senders(const Here& here, PortState& port) {
    for (const ClassId c : s_.classes_of(port)) {
      IngressAccount& account = s_.account(port, c);
      if (!account.is_pausing || s_.nics[port.index].inbox.bytes() >= s_.constants.nic_xon)
        continue;
      account.is_pausing = false;
      control_.send_pause(here, port, c);
    }
  }

 private:
  /// Of the buffer of its credit class.
  [[nodiscard]] Bytes held(const Packet& packet) const {
    const ClassId c = class_of(packet);
    return scheduler_.blocks(c, packet.wire_size()) * s_.constants.of_class[c].block;
  }

  void schedule_end(const Here& here, const PortState& port, Bytes size) {
    const auto type = static_cast<std::uint32_t>(EventType::kReceive);
    const Picoseconds time = here.now + PortState::transmission_at(size, s_.constants.receive_rate);
    schedule(here.lp,
             {.time = time,
              .order = CalendarEvent::make_order(EventPriority::kTimer, type, port.index, 0),
              .type = type,
              .target = port.index});
  }

  NetworkState& s_;
  LinkControl control_;
  ClassScheduler<Path> scheduler_;
};

}  // namespace weft::protocols
