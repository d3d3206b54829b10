#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "protocols/network_state.hpp"

namespace weft::protocols {

/// Which queue pair of a NIC sends next: those whose pacing time has come take turns, one packet
/// each (round robin); the others wait in a heap by (time, queue pair).
class NicScheduler {
 public:
  NicScheduler(HostState& host, std::vector<SenderState>& senders)
      : host_(host), senders_(senders) {}

  /// `queue_pair` has something to send from its pacing time on; it must be idle.
  void activate(std::uint32_t queue_pair, std::int64_t now) {
    SenderState& s = senders_[queue_pair];
    if (s.next_send <= now) {
      append_ready(queue_pair);
    } else {
      s.schedule = SenderState::Schedule::kPaced;
      host_.paced.push_back({s.next_send, queue_pair});
      std::push_heap(host_.paced.begin(), host_.paced.end(), std::greater<>{});
    }
  }

  /// Moves those whose time has come to the ready list.
  void release_paced(std::int64_t now) {
    while (!host_.paced.empty() && host_.paced.front().time <= now) {
      std::pop_heap(host_.paced.begin(), host_.paced.end(), std::greater<>{});
      const std::uint32_t queue_pair = host_.paced.back().queue_pair;
      host_.paced.pop_back();
      // A queue pair that failed while it waited stays out.
      if (senders_[queue_pair].schedule == SenderState::Schedule::kPaced) append_ready(queue_pair);
    }
  }

  /// The next queue pair whose turn it is, made idle; kNoIndex if none is ready.
  std::uint32_t take_ready() {
    const std::uint32_t queue_pair = host_.ready_head;
    if (queue_pair == kNoIndex) return kNoIndex;
    SenderState& s = senders_[queue_pair];
    host_.ready_head = s.next_ready;
    if (host_.ready_head == kNoIndex) host_.ready_tail = kNoIndex;
    if (s.schedule == SenderState::Schedule::kReady) s.schedule = SenderState::Schedule::kIdle;
    return queue_pair;
  }

  /// When the earliest paced queue pair may send; there must be one.
  [[nodiscard]] bool has_paced() const { return !host_.paced.empty(); }
  [[nodiscard]] std::int64_t next_paced() const { return host_.paced.front().time; }

 private:
  void append_ready(std::uint32_t queue_pair) {
    SenderState& s = senders_[queue_pair];
    s.schedule = SenderState::Schedule::kReady;
    s.next_ready = kNoIndex;
    if (host_.ready_tail == kNoIndex) {
      host_.ready_head = queue_pair;
    } else {
      senders_[host_.ready_tail].next_ready = queue_pair;
    }
    host_.ready_tail = queue_pair;
  }

  HostState& host_;
  std::vector<SenderState>& senders_;
};

}  // namespace weft::protocols
