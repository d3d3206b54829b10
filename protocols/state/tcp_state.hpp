#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocols/packet/ids.hpp"
#include "protocols/packet/no_index.hpp"
#include "protocols/state/rtt_estimator.hpp"
#include "protocols/state/scoreboard.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols {

/// When the packets in flight were sent last, by sequence number, and which of them more than once:
/// their round trips are not measured. A ring that grows with what is in flight.
class SendTimes {
 public:
  /// `unacked`: the oldest packet in flight.
  void put(std::uint32_t unacked, std::uint32_t sequence, Picoseconds now, bool is_repeated) {
    if (sequence - unacked >= times_.size()) grow(unacked, sequence);
    times_[place(sequence)] = now.count() << 1U | (is_repeated ? 1 : 0);
  }
  [[nodiscard]] Picoseconds time(std::uint32_t sequence) const {
    return Picoseconds(times_[place(sequence)] >> 1U);
  }
  [[nodiscard]] bool is_repeated(std::uint32_t sequence) const {
    return (times_[place(sequence)] & 1) != 0;
  }
  [[nodiscard]] std::size_t memory_bytes() const { return times_.capacity() * sizeof(times_[0]); }

 private:
  [[nodiscard]] std::size_t place(std::uint32_t sequence) const {
    return sequence & (times_.size() - 1);
  }
  [[gnu::noinline]] void grow(std::uint32_t unacked, std::uint32_t sequence) {
    constexpr std::size_t kMin = 16;
    std::vector<std::int64_t> old(
        std::max(kMin, std::bit_ceil(std::size_t{sequence - unacked} + 1)));
    old.swap(times_);
    if (old.empty()) return;
    for (std::uint32_t at = unacked; at != sequence; ++at) {
      times_[place(at)] = old[at & (old.size() - 1)];
    }
  }

  std::vector<std::int64_t> times_;  ///< a power of two of them
};

/// What a TCP sender keeps besides its SenderState.
///
/// What is missing: of the packets in flight, those before `lost_end` that the board does not have
/// are taken for lost; those of them before `next_repair` have been sent again.
struct TcpSender {
  enum class State : std::uint8_t {
    kOpen,
    kRecovery,  ///< fast recovery, until `recovery_end` is acknowledged (RFC 6582, 6675)
    kTimedOut,  ///< after a time-out, until everything sent before it is acknowledged
  };

  Scoreboard board;  ///< what selective acknowledgements told of
  SendTimes times;
  RttEstimator round_trips;
  Picoseconds delay;                       ///< the last round trip that was measured
  OptionalTime timer_at;                   ///< the earliest calendar entry of its timer
  std::array<std::uint32_t, 3> highest{};  ///< the highest packets on the board, highest first
  std::uint32_t lost_end = 0;
  std::uint32_t next_repair = 0;
  std::uint32_t recovery_end = 0;
  std::uint32_t duplicates = 0;  ///< without selective acknowledgements: ACKs that repeat the last
  std::uint32_t window = kNoIndex;  ///< packets in flight that the control allows
  std::uint32_t reduction_end = 0;  ///< what had been sent when it last said CWR
  State state = State::kOpen;
  bool has_lost = false;     ///< `recovery_end` means something
  bool repairs_now = false;  ///< one repair, whatever the window (RFC 6582, 3.2; RFC 6675, 5)
  bool is_repair = false;    ///< the next packet is one
  bool has_reduced = false;  ///< the next new packet says CWR (RFC 3168, 6.1.2)
};

/// What a TCP receiver keeps besides its ReceiverState.
struct TcpReceiver {
  Picoseconds ack_due;        ///< when the ACK goes that is held back
  std::uint32_t latest = 0;   ///< the packet that came last ahead of a gap
  std::uint32_t port = 0;     ///< that the last packet came in by
  bool timer_is_set = false;  ///< an calendar entry exists
  bool echoes = false;        ///< until the sender has reduced its window (RFC 3168, 6.1.3)
  bool was_marked = false;    ///< DCTCP: the last packet was (RFC 8257, 3.2)
};

/// Both ends of all queue pairs that run TCP.
class TcpStates {
 public:
  /// `queue_pairs`: of the network.
  void resize(std::size_t queue_pairs) { slots_.assign(queue_pairs, 0); }
  [[nodiscard]] bool is_used() const { return !slots_.empty(); }
  TcpSender& add(QueuePairId queue_pair) {
    slots_[queue_pair] = static_cast<std::uint32_t>(senders_.size());
    receivers_.emplace_back();
    return senders_.emplace_back();
  }
  [[nodiscard]] TcpSender& sender(QueuePairId queue_pair) { return senders_[slots_[queue_pair]]; }
  [[nodiscard]] TcpReceiver& receiver(ReceiverId receiver) {
    return receivers_[slots_[queue_pair_of(receiver)]];
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    std::size_t bytes = slots_.capacity() * sizeof(std::uint32_t) +
                        senders_.capacity() * sizeof(TcpSender) +
                        receivers_.capacity() * sizeof(TcpReceiver);
    for (const TcpSender& s : senders_) bytes += s.board.memory_bytes() + s.times.memory_bytes();
    return bytes;
  }

 private:
  IdVector<QueuePairId, std::uint32_t> slots_;
  std::vector<TcpSender> senders_;
  std::vector<TcpReceiver> receivers_;
};

}  // namespace weft::protocols
