#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/state/queue_pair.hpp"
#include "protocols/state/scoreboard.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols {

/// What selective repeat knows of a queue pair at its sender, beside its SenderState.
///
/// What counts as lost are the holes of the board before `lost_end`; those from `next` on have not
/// been sent again yet. SenderState::next is the first of them, or else `sent_end`.
///
/// Where switches trim, single packets are known to be lost (`trimmed`) before later ones have
/// arrived. Once they were sent again, packets that overtake them say nothing of them: `known` has
/// them besides what has arrived.
struct alignas(64) Repair {
  static constexpr Picoseconds kNever = Picoseconds::max();

  Scoreboard board;
  Scoreboard known;       ///< the board and what was trimmed and sent again, if anything was
  SequenceSet trimmed;    ///< to be sent again
  std::uint32_t cap = 0;  ///< packets from the oldest unacknowledged on
  std::uint32_t limit = kNoIndex;  ///< packets that may be in flight besides
  std::uint32_t next = 0;
  std::uint32_t lost_end = 0;
  /// The control heard of a loss; what was sent before this is of the same one.
  std::uint32_t recovery_end = 0;
  Picoseconds timer_at = kNever;  ///< the calendar's entry that counts; others are void
  Picoseconds moved_at;           ///< when the oldest hole was closed, or timed out
  bool has_trims = false;         ///< `known` means something
  Picoseconds last_ack_at;        ///< when anything new was acknowledged

  /// Makes of these the window of SenderState, for new data or for what is sent again. To be called
  /// whenever something about the sender changes.
  void set_window(SenderState& s) const {
    if (s.next != s.sent_end) {
      s.window = in_flight(s) < limit ? kNoIndex : 0;
      return;
    }
    const std::uint32_t ahead = s.received - s.unacked;
    s.window = std::min(limit, cap > ahead ? cap - ahead : 0);
  }
  /// The first packet to send again; `lost_end` or later if there is none.
  [[nodiscard]] std::uint32_t first_lost(const SenderState& s) const {
    const std::uint32_t from = std::max(next, s.unacked);
    return from >= lost_end ? from : sent().next_hole(from, lost_end);
  }
  /// Packets under way, as far as the sender can tell: neither arrived nor lost.
  [[nodiscard]] std::uint32_t in_flight(const SenderState& s) const {
    const std::uint32_t from = std::max(next, s.unacked);
    const std::uint32_t lost =
        from >= lost_end ? 0 : lost_end - from - sent().count(from, lost_end);
    return s.sent_end - s.received - lost - trimmed.size();
  }
  /// What needs not be sent again for the time being.
  [[nodiscard]] const Scoreboard& sent() const { return has_trims ? known : board; }
};

}  // namespace weft::protocols
