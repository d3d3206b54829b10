#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "simcore/base/units.hpp"
#include "simcore/engine/packet.hpp"

namespace weft::protocols {

/// Link-level retry at one port: as the sender of one direction of its link, and as what answers in
/// the other. Frames have numbers, one after the other, which start at 0 and wrap.
///
/// Which frames the receiver accepts follows from which were corrupted, and that is drawn when a
/// frame starts. So the sending port knows what the receiving end makes of each, and only what is
/// accepted is put on the link: the packets that travel are those that arrive.
struct RetryState {
  /// Codes of control ordered sets, and of what a port is to answer; in ControlWord::traffic_class.
  enum Code : std::uint8_t { kAck = 0, kNack, kInit, kEcho, kAckDue, kNackDue, kTimer, kTail };
  enum class State : std::uint8_t {
    kAdvance,
    kReplay,  ///< frames from `replay` on are sent again
    kInit,    ///< it has asked the peer to restart
    kOff,     ///< frames have no numbers
  };
  struct Frame {
    Packet packet;
    Picoseconds sent;  ///< when it first started
  };
  /// Numbers in control words.
  static constexpr std::uint32_t kNumbers = (1U << 29U) - 1;

  // The sender.
  State state = State::kAdvance;
  bool has_timer = false;     ///< one is filed
  bool is_unheard = false;    ///< the receiver has missed a frame, and waits for `expected`
  std::uint32_t first = 0;    ///< all before are acknowledged
  std::uint32_t replay = 0;   ///< the next to be sent again
  std::uint32_t replays = 0;  ///< since the last ACK that said something new
  Picoseconds deadline;       ///< without an ACK all is sent again
  Picoseconds asked;          ///< when it last asked to restart
  Picoseconds held_since;     ///< the limit of what is outstanding has stopped the port
  Picoseconds replaying_since;
  Bytes outstanding;
  // What the receiver makes of it.
  std::uint32_t expected = 0;       ///< all before were accepted
  std::uint32_t last_expected = 0;  ///< before the frame that was sent last
  Picoseconds last_end;             ///< when its last bit left
  Bytes last_bytes;                 ///< of it, if an ACK is to count it
  Bytes unanswered;                 ///< since the last ACK that was due
  std::uint32_t group = 0;          ///< counts these ACKs: a timer for one that has gone is void
  // What this port is to send for the other direction.
  std::uint8_t answers = 0;  ///< bit per Code up to kEcho
  std::uint32_t answer_number = 0;
  // Counters, from the start of the measurement.
  std::int64_t replayed_frames = 0;
  Bytes replayed;  ///< on the wire
  std::int64_t replays_begun = 0;
  std::int64_t timeouts = 0;   ///< of them: by the timer
  std::int64_t corrupted = 0;  ///< frames with numbers
  std::int64_t discarded = 0;  ///< that came after one that was missing
  std::int64_t duplicates = 0;
  std::int64_t poisoned = 0;  ///< accepted, though a cut-through switch has corrupted their FCS
  std::int64_t lost = 0;      ///< frames without numbers that were corrupted
  std::int64_t flushes = 0;
  std::int64_t flushed = 0;  ///< packets that flushes and restarts dropped
  std::int64_t acks_sent = 0;
  std::int64_t nacks_sent = 0;
  Picoseconds held_time;

  /// Frames that are kept.
  [[nodiscard]] std::uint32_t kept() const { return count_; }
  [[nodiscard]] std::uint32_t end() const { return first + count_; }
  /// Those of them that have not come, and that only this port has.
  [[nodiscard]] std::uint32_t missing() const { return end() - expected; }
  [[nodiscard]] const Frame& frame(std::uint32_t number) const {
    return ring_[(head_ + (number - first)) & (ring_.size() - 1)];
  }
  void keep(const Packet& packet, Picoseconds sent) {
    if (count_ == ring_.size()) grow();
    ring_[(head_ + count_++) & (ring_.size() - 1)] = {packet, sent};
    outstanding += packet.wire_size();
  }
  /// The oldest one is acknowledged.
  void release() {
    outstanding -= ring_[head_].packet.wire_size();
    head_ = (head_ + 1) & static_cast<std::uint32_t>(ring_.size() - 1);
    ++first;
    --count_;
  }
  /// All are given up, and the receiver expects the next one.
  void clear() {
    first = expected = end();
    count_ = 0;
    outstanding = Bytes();
    unanswered = Bytes();
    ++group;
    is_unheard = false;
    replays = 0;
  }
  void clear_counters(Picoseconds now) {
    replayed = Bytes();
    replayed_frames = replays_begun = timeouts = corrupted = discarded = duplicates = 0;
    poisoned = lost = flushes = flushed = acks_sent = nacks_sent = 0;
    held_time = Picoseconds();
    held_since = std::max(held_since, now);
  }
  /// Calls visit(const Packet&) with each that only this port has.
  template <class Visit>
  void for_each_missing(Visit visit) const {
    for (std::uint32_t number = expected; number != end(); ++number) visit(frame(number).packet);
  }
  [[nodiscard]] std::size_t memory_bytes() const { return ring_.capacity() * sizeof(Frame); }

 private:
  void grow() {
    std::vector<Frame> larger(std::max<std::size_t>(8, ring_.size() * 2));
    for (std::uint32_t i = 0; i < count_; ++i) larger[i] = frame(first + i);
    ring_ = std::move(larger);
    head_ = 0;
  }

  std::vector<Frame> ring_;  ///< its size is a power of two
  std::uint32_t head_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace weft::protocols
