#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocols/packet/ids.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// Who waits for credit of receivers, and which port grants it to whom next; empty where no control
/// grants. What was asked for and granted is the control's.
struct GrantStates {
  /// Of a queue pair at its sender.
  struct Asker {
    Bytes fresh;           ///< on the wire, of what was posted and never sent
    Picoseconds due;       ///< it asks again if it waits for credit until then
    Picoseconds timer_at;  ///< of contexts: the earliest event that stands for something
    bool timer_is_set = false;
  };
  /// Of a queue pair at its receiver.
  struct Turn {
    ReceiverId next;  ///< in the ring of the port where it waits
    bool waits = false;
    ReceiverId next_idle;     ///< among the satisfied ones of a port
    bool is_idle = false;     ///< it is one of these, unless it waits
    std::uint64_t ports = 0;  ///< of its host, that its data come by: they grant in turn
  };
  /// Of a host's port: queue pairs that it grants to in turn.
  struct Ring {
    ReceiverId head;
    ReceiverId tail;
    ReceiverId idle_head;  ///< those that are satisfied, and may be granted something in advance
    ReceiverId idle_tail;
    Picoseconds free_at;  ///< the next grant goes no earlier
    bool timer_is_set = false;
  };

  IdVector<QueuePairId, Asker> askers;
  IdVector<ReceiverId, Turn> turns;
  std::vector<Ring> rings;  ///< by PortId: ports of hosts come first

  [[nodiscard]] std::size_t memory_bytes() const {
    return askers.capacity() * sizeof(Asker) + turns.capacity() * sizeof(Turn) +
           rings.capacity() * sizeof(Ring);
  }
};

}  // namespace weft::protocols::congestion
