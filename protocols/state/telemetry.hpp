#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "protocols/packet/credit_request.hpp"
#include "protocols/packet/flow_bits.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "protocols/packet/telemetry.hpp"
#include "protocols/state/record_pool.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/engine/packet.hpp"

namespace weft::protocols {

/// What a packet with telemetry has besides its 32 bytes. Packet::word is the number of its record,
/// which has the word in its place.
struct alignas(64) TelemetryRecord {
  std::uint32_t word = 0;
  std::uint32_t count = 0;  ///< hops that have reported
  std::array<HopReport, kTelemetryHops> hops;
  CreditRequest request;  ///< of its sender, where receivers grant credit

  [[nodiscard]] std::span<const HopReport> reports() const { return {hops.data(), count}; }
};

/// The telemetry of a run: empty, and never asked for, where no congestion control needs it.
///
/// A data packet has a record from its sender on; its receiver hands the record on to the ACK that
/// answers it, so that the ACK tells the sender what the hops said. Whoever loses a packet gives
/// its record back.
class Telemetry {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  /// What the packets of a queue pair have records for.
  enum class Use : std::uint8_t { kNothing, kReports, kRequests };

  /// `ports`: of the fabric.
  void start(IdVector<QueuePairId, Use> carries, std::size_t ports) {
    carries_ = std::move(carries);
    arrived_.assign(carries_.size(), kNone);
    sent_.resize(ports);
    records_.start();
  }
  /// A given number of threads will take and give back.
  void spawn(std::size_t threads) { records_.spawn(threads); }

  [[nodiscard]] bool is_used() const { return !carries_.empty(); }
  /// Whether data has records that such an end sends or receives.
  [[nodiscard]] bool is_of(QueuePairId sender) const { return is_of_flow(sender.value()); }
  [[nodiscard]] bool is_of(ReceiverId receiver) const { return is_of_flow(receiver.value()); }
  /// Whether this packet has one: data and what acknowledges it, but for Ultra Ethernet's answers.
  [[nodiscard]] bool is_in(const Packet& packet) const {
    const PacketKind kind = kind_of(packet);
    return is_of_flow(flow_of(packet)) && (kind < PacketKind::kCnp || is_trimmed(kind));
  }
  [[nodiscard]] TelemetryRecord& operator[](std::uint32_t number) { return records_[number]; }
  [[nodiscard]] const TelemetryRecord& operator[](std::uint32_t number) const {
    return records_[number];
  }
  /// The packet with its own word.
  [[nodiscard]] Packet opened(const Packet& packet) const {
    Packet copy = packet;
    if (is_in(packet)) copy.word = (*this)[packet.word].word;
    return copy;
  }

  /// A record without reports for a packet with this word.
  [[nodiscard]] std::uint32_t take(std::size_t thread, std::uint32_t word) {
    const std::uint32_t number = records_.take(thread);
    TelemetryRecord& record = (*this)[number];
    record.word = word;
    record.count = 0;
    return number;
  }
  void give_back(std::size_t thread, std::uint32_t number) { records_.give_back(thread, number); }
  /// A packet is lost.
  void lose(std::size_t thread, const Packet& packet) {
    if (is_in(packet)) give_back(thread, packet.word);
  }

  /// A data packet with this record has come to this receiver and is being dealt with.
  void arrive(ReceiverId receiver, std::uint32_t number) { arrived_[receiver] = number; }
  /// What came so and was not handed on yet, or kNone.
  [[nodiscard]] std::uint32_t hand_on(ReceiverId receiver) {
    return std::exchange(arrived_[receiver], kNone);
  }
  /// Hands it on to an ACK with this word; one that answers nothing new has a record without
  /// reports.
  [[nodiscard]] std::uint32_t answer(std::size_t thread, ReceiverId receiver, std::uint32_t word) {
    const std::uint32_t number = hand_on(receiver);
    if (number == kNone) return take(thread, word);
    (*this)[number].word = word;
    return number;
  }

  /// A switch begins to transmit `packet` at `port`; `waiting` bytes stay in the queue behind it.
  void report(const Packet& packet, std::uint32_t port, BitsPerSecond rate, Bytes waiting,
              Picoseconds now) {
    Bytes& sent = sent_[port];
    if (has_reports(flow_of(packet)) && kind_of(packet) == PacketKind::kData) {
      TelemetryRecord& record = (*this)[packet.word];
      if (record.count < kTelemetryHops) {
        record.hops[record.count++] = {.time = now,
                                       .sent = sent,
                                       .rate = rate,
                                       .waiting = static_cast<std::uint32_t>(waiting.count()),
                                       .port = port};
      }
    }
    sent += packet.wire_size();
  }

  /// Records that packets have at present. Not while threads run.
  [[nodiscard]] std::size_t in_use() const { return records_.in_use(); }
  [[nodiscard]] std::size_t memory_bytes() const {
    return records_.memory_bytes() + carries_.capacity() +
           arrived_.capacity() * sizeof(std::uint32_t) + sent_.capacity() * sizeof(sent_[0]);
  }

 private:
  /// Whether packets of this Packet::flow have records.
  [[nodiscard]] bool is_of_flow(std::uint32_t flow) const {
    return flow < carries_.size() && carries_[QueuePairId(flow)] != Use::kNothing;
  }
  /// Whether switches report in them.
  [[nodiscard]] bool has_reports(std::uint32_t flow) const {
    return flow < carries_.size() && carries_[QueuePairId(flow)] == Use::kReports;
  }

  IdVector<QueuePairId, Use> carries_;
  IdVector<ReceiverId, std::uint32_t> arrived_;
  std::vector<Bytes> sent_;  ///< by port, since the run began
  RecordPool<TelemetryRecord> records_;
};

}  // namespace weft::protocols
