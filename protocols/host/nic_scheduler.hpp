#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// Which queue pair of a host's port sends next in a class: those whose pacing time has come take
/// turns, one packet each (round robin); the others wait in a heap by (time, queue pair).
class NicScheduler {
 public:
  NicScheduler(NetworkState& state, const PortState& port)
      : nic_(state.nics[port.index]),
        senders_(state.senders),
        ready_(&state.ready[port.first_slot]) {}

  /// It sends nothing more, wherever it waits.
  static void fail(SendingEnd& s) { s.schedule = SendingEnd::Schedule::kFailed; }

  /// `queue_pair` has something to send from its pacing time on; it must be idle. Returns the bit
  /// of its class if that is now, else 0.
  [[gnu::always_inline]] std::uint8_t activate(QueuePairId queue_pair, Picoseconds now) {
    SendingEnd& s = senders_[queue_pair];
    if (s.next_send <= now) [[likely]]
      return append_ready(queue_pair);
    s.schedule = SendingEnd::Schedule::kPaced;
    nic_.paced.push_back({s.next_send, queue_pair});
    std::push_heap(nic_.paced.begin(), nic_.paced.end(), std::greater<>{});
    return 0;
  }

  /// Moves those whose time has come to their ready lists; returns the bits of their classes.
  std::uint8_t release_paced(Picoseconds now) {
    std::uint8_t classes = 0;
    while (!nic_.paced.empty() && nic_.paced.front().time <= now)
      [[unlikely]] classes |= release_first(now);
    if (nic_.has_moved) [[unlikely]]
      drop_void();
    return classes;
  }

  /// The queue pair of class `c` whose turn it is; none() if none is ready.
  [[nodiscard]] QueuePairId first_ready(ClassId c) const { return ready_[c.value()].head; }

  /// Takes the queue pair whose turn it is out of its list and makes it idle.
  void take_ready(ClassId c) {
    SendingEnd& s = senders_[ready_[c.value()].head];
    ready_[c.value()].head = s.next_ready;
    if (ready_[c.value()].head.is_none()) ready_[c.value()].tail = QueuePairId::none();
    if (s.schedule == SendingEnd::Schedule::kReady) s.schedule = SendingEnd::Schedule::kIdle;
  }

  /// Takes all that wait here, and makes them idle.
  void take_all(ClassRange classes, std::vector<QueuePairId>& taken) {
    for (const ClassId c : classes) {
      while (!first_ready(c).is_none()) {
        taken.push_back(first_ready(c));
        take_ready(c);
      }
    }
    for (const NicState::Paced& paced : nic_.paced) {
      SendingEnd& s = senders_[paced.queue_pair];
      if (s.schedule != SendingEnd::Schedule::kPaced) continue;
      s.schedule = SendingEnd::Schedule::kIdle;
      taken.push_back(paced.queue_pair);
    }
    nic_.paced.clear();
  }

  /// When the earliest paced queue pair may send; there must be one.
  [[nodiscard]] bool has_paced() const { return !nic_.paced.empty(); }
  [[nodiscard]] Picoseconds next_paced() const { return nic_.paced.front().time; }

 private:
  std::uint8_t release_first(Picoseconds now) {
    const QueuePairId queue_pair = pop();
    const SendingEnd& s = senders_[queue_pair];
    // A queue pair that failed while it waited, or that has been moved and has sent, stays out.
    if (s.schedule != SendingEnd::Schedule::kPaced) return 0;
    if (s.next_send <= now) [[likely]]
      return append_ready(queue_pair);
    nic_.wait_until(s.next_send, queue_pair);
    return 0;
  }
  /// So that the port does not wake up for entries that stand for nothing.
  [[gnu::noinline]] void drop_void() {
    const auto is_void = [this] {
      return senders_[nic_.paced.front().queue_pair].schedule != SendingEnd::Schedule::kPaced;
    };
    while (!nic_.paced.empty() && is_void()) pop();
    nic_.has_moved = !nic_.paced.empty();
  }
  QueuePairId pop() {
    std::pop_heap(nic_.paced.begin(), nic_.paced.end(), std::greater<>{});
    const QueuePairId queue_pair = nic_.paced.back().queue_pair;
    nic_.paced.pop_back();
    return queue_pair;
  }
  [[gnu::always_inline]] std::uint8_t append_ready(QueuePairId queue_pair) {
    SendingEnd& s = senders_[queue_pair];
    s.schedule = SendingEnd::Schedule::kReady;
    s.next_ready = QueuePairId::none();
    ReadyList& list = ready_[s.traffic_class.value()];
    if (list.tail.is_none()) {
      list.head = queue_pair;
    } else {
      senders_[list.tail].next_ready = queue_pair;
    }
    list.tail = queue_pair;
    return class_bit(s.traffic_class);
  }

  NicState& nic_;
  SendingEnds& senders_;
  ReadyList* ready_;
};

}  // namespace weft::protocols
