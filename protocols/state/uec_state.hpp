#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocols/congestion/rccc/rccc_context.hpp"
#include "protocols/packet/ids.hpp"
#include "protocols/state/scoreboard.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols {

/// A packet that was sent and is not acknowledged cumulatively.
struct SentPacket {
  Picoseconds time;        ///< when it was sent last
  std::uint8_t value = 0;  ///< of entropy, that it had then
  std::uint8_t sends = 0;  ///< how often; 3 stands for more
  std::uint8_t timeouts = 0;
  std::uint8_t nacks = 0;
  std::uint8_t plane = 0;  ///< where planes are selected
};

/// Those of a context, by sequence number: a ring that grows with what is in flight.
class SentPackets {
 public:
  /// Has room for `sequence`; `unacked` is the oldest packet. A packet that is new is as good as
  /// never sent.
  SentPacket& open(std::uint32_t unacked, std::uint32_t sequence, bool is_new) {
    if (sequence - unacked >= packets_.size()) grow(unacked, sequence);
    SentPacket& packet = (*this)[sequence];
    if (is_new) packet = {};
    return packet;
  }
  [[nodiscard]] SentPacket& operator[](std::uint32_t sequence) {
    return packets_[sequence & (packets_.size() - 1)];
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    return packets_.capacity() * sizeof(packets_[0]);
  }

 private:
  [[gnu::noinline]] void grow(std::uint32_t unacked, std::uint32_t sequence) {
    constexpr std::size_t kMin = 16;
    std::vector<SentPacket> old(std::max(kMin, std::bit_ceil(std::size_t{sequence - unacked} + 1)));
    old.swap(packets_);
    if (old.empty()) return;
    for (std::uint32_t at = unacked; at != sequence; ++at) {
      (*this)[at] = old[at & (old.size() - 1)];
    }
  }

  std::vector<SentPacket> packets_;  ///< a power of two of them
};

/// What the sender of a packet delivery context (PDC) keeps besides its SenderState. What every
/// packet needs comes first.
struct alignas(64) UecSender {
  SentPackets packets;
  std::int64_t in_flight = 0;  ///< bytes, as the control counts; may be negative
  Picoseconds timeout;         ///< of a packet that was sent once
  OptionalTime timer_at;       ///< the earliest calendar entry of its timer
  /// The next one, in a ring, of the contexts that share the congestion context.
  QueuePairId next_in_context;
  std::uint8_t value = 0;   ///< of entropy, of the packet that is being sent
  SequenceSet repeats;      ///< to be sent again
  std::uint64_t bytes = 0;  ///< that have arrived, by the last ACK
  Scoreboard board;         ///< what has arrived beyond the oldest packet that is missing
  QueuePairId first_in_context;
  std::uint32_t credit_slot = 0;  ///< of what its receiver grants, in UecStates
  // Loss without trimming (SLEEK).
  bool is_recovering = false;
  std::uint32_t recovery_end = 0;   ///< it is over when all before has arrived
  std::uint32_t recovery_next = 0;  ///< what lies before was repeated once, if it was missing
  OptionalTime probe_at;            ///< when the receiver is asked for its state
  Picoseconds recovery_began;
};

/// What has come to a context since its last ACK; where planes have a window each, by one plane
/// since the last ACK by that.
struct NewArrivals {
  std::uint32_t waiting = 0;  ///< bytes, as ACKs are counted
  std::uint32_t lowest = 0;   ///< of the packets
  bool has_any = false;       ///< `lowest` means something
};

/// What the receiver of a context keeps besides its ReceiverState.
struct UecReceiver {
  std::uint64_t bytes = 0;      ///< of packets that came whole for the first time
  NewArrivals news;             ///< where a window covers all planes
  std::uint32_t end = 0;        ///< after the highest packet that came
  std::uint32_t asked_end = 0;  ///< after the highest packet that asked for an ACK
  ReceiverId first_in_context;
  std::uint32_t credit_slot = 0;  ///< of what it grants, in UecStates
  std::uint32_t plane_slot = 0;   ///< of what is new by plane, where planes have a window each
  std::uint32_t inferred = 0;     ///< what is missing before it was asked for
};

/// Both ends of all contexts.
class UecStates {
 public:
  /// `queue_pairs`: of the network.
  void resize(std::size_t queue_pairs) { slots_.assign(queue_pairs, 0); }
  [[nodiscard]] bool is_used() const { return !slots_.empty(); }
  UecSender& add(QueuePairId queue_pair) {
    slots_[queue_pair] = static_cast<std::uint32_t>(senders_.size());
    receivers_.emplace_back();
    return senders_.emplace_back();
  }
  [[nodiscard]] UecSender& sender(QueuePairId queue_pair) { return senders_[slots_[queue_pair]]; }
  [[nodiscard]] UecReceiver& receiver(ReceiverId receiver) {
    return receivers_[slots_[queue_pair_of(receiver)]];
  }
  [[nodiscard]] const std::vector<UecSender>& senders() const { return senders_; }
  /// Room for what comes by each of a number of planes.
  void add_planes(UecReceiver& receiver, std::uint32_t planes) {
    receiver.plane_slot = static_cast<std::uint32_t>(news_.size());
    news_.resize(news_.size() + planes);
  }
  [[nodiscard]] NewArrivals& news(const UecReceiver& receiver, std::uint32_t plane) {
    return news_[receiver.plane_slot + plane];
  }

  /// Credit that a receiver grants to a congestion context; returns the slot of both ends.
  std::uint32_t add_credit(const congestion::RcccConfig& config,
                           const congestion::FlowStart& start) {
    const auto slot = static_cast<std::uint32_t>(sources_.size());
    sources_.emplace_back().start(config, start);
    sinks_.emplace_back().start(sources_.back());
    return slot;
  }
  [[nodiscard]] congestion::RcccSource& source(std::uint32_t slot) { return sources_[slot]; }
  [[nodiscard]] congestion::RcccSink& sink(std::uint32_t slot) { return sinks_[slot]; }
  [[nodiscard]] std::size_t credits() const { return sources_.size(); }
  /// Congestion contexts of a host with credit that have something to send.
  [[nodiscard]] std::int32_t& active(HostId host) { return active_[host]; }
  void resize_hosts(std::size_t hosts) { active_.resize(hosts); }

  [[nodiscard]] std::size_t memory_bytes() const {
    std::size_t bytes =
        slots_.capacity() * sizeof(std::uint32_t) + senders_.capacity() * sizeof(UecSender) +
        receivers_.capacity() * sizeof(UecReceiver) + news_.capacity() * sizeof(NewArrivals) +
        sources_.capacity() * sizeof(congestion::RcccSource) +
        sinks_.capacity() * sizeof(congestion::RcccSink);
    for (const UecSender& s : senders_) {
      bytes += s.packets.memory_bytes() + s.board.memory_bytes() + s.repeats.memory_bytes();
    }
    return bytes;
  }

 private:
  IdVector<QueuePairId, std::uint32_t> slots_;
  std::vector<UecSender> senders_;
  std::vector<UecReceiver> receivers_;
  std::vector<NewArrivals> news_;
  std::vector<congestion::RcccSource> sources_;
  std::vector<congestion::RcccSink> sinks_;
  IdVector<HostId, std::int32_t> active_;
};

}  // namespace weft::protocols
