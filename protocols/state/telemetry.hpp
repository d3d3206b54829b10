#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "protocols/packet/credit_request.hpp"
#include "protocols/packet/flow_bits.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "protocols/packet/telemetry.hpp"
#include "simcore/base/check.hpp"
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
/// its record back. Nothing depends on the numbers of records: threads take and give back those of
/// their own, and exchange them in batches as the pools of packets do. One who has a packet has its
/// record alone, and whatever hands a packet on publishes the record with it.
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
    slabs_.resize(kMaxSlabs);
  }
  /// A given number of threads will take and give back.
  void spawn(std::size_t threads) { free_.resize(threads); }

  [[nodiscard]] bool is_used() const { return !carries_.empty(); }
  /// Whether data has records that such an end sends or receives.
  [[nodiscard]] bool is_of(QueuePairId sender) const { return is_of_flow(sender.value()); }
  [[nodiscard]] bool is_of(ReceiverId receiver) const { return is_of_flow(receiver.value()); }
  /// Whether this packet has one. CNPs and grants have none.
  [[nodiscard]] bool is_in(const Packet& packet) const {
    const PacketKind kind = kind_of(packet);
    return is_of_flow(flow_of(packet)) && kind != PacketKind::kCnp && kind != PacketKind::kGrant;
  }
  [[nodiscard]] TelemetryRecord& operator[](std::uint32_t number) {
    return slabs_[number / kSlab][number % kSlab];
  }
  [[nodiscard]] const TelemetryRecord& operator[](std::uint32_t number) const {
    return slabs_[number / kSlab][number % kSlab];
  }
  /// The packet with its own word.
  [[nodiscard]] Packet opened(const Packet& packet) const {
    Packet copy = packet;
    if (is_in(packet)) copy.word = (*this)[packet.word].word;
    return copy;
  }

  /// A record without reports for a packet with this word.
  [[nodiscard]] std::uint32_t take(std::size_t thread, std::uint32_t word) {
    std::vector<std::uint32_t>& numbers = free_[thread].numbers;
    if (numbers.empty()) [[unlikely]] {
      refill(numbers);
    }
    const std::uint32_t number = numbers.back();
    numbers.pop_back();
    TelemetryRecord& record = (*this)[number];
    record.word = word;
    record.count = 0;
    return number;
  }
  void give_back(std::size_t thread, std::uint32_t number) {
    std::vector<std::uint32_t>& numbers = free_[thread].numbers;
    if (numbers.size() == 3 * kBatch) [[unlikely]]
      put_aside(numbers);
    numbers.push_back(number);
  }
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
  [[nodiscard]] std::size_t in_use() const {
    std::size_t count = made_ * kSlab - shared_.size();
    for (const FreeList& list : free_) count -= list.numbers.size();
    return count;
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    return made_ * kSlab * sizeof(TelemetryRecord) + slabs_.capacity() * sizeof(slabs_[0]) +
           carries_.capacity() + arrived_.capacity() * sizeof(std::uint32_t) +
           sent_.capacity() * sizeof(sent_[0]);
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

  static constexpr std::uint32_t kSlab = 1'024;
  static constexpr std::size_t kMaxSlabs = 65'536;  ///< 67 million packets under way
  static constexpr std::size_t kBatch = 256;

  struct alignas(64) FreeList {
    std::vector<std::uint32_t> numbers;
  };

  [[gnu::noinline]] void refill(std::vector<std::uint32_t>& numbers) {
    const std::lock_guard lock(mutex_);
    if (shared_.empty()) grow();
    numbers.reserve(3 * kBatch);
    numbers.assign(shared_.end() - kBatch, shared_.end());
    shared_.resize(shared_.size() - kBatch);
  }
  [[gnu::noinline]] void put_aside(std::vector<std::uint32_t>& numbers) {
    const std::lock_guard lock(mutex_);
    shared_.insert(shared_.end(), numbers.end() - kBatch, numbers.end());
    numbers.resize(numbers.size() - kBatch);
  }
  /// Room for all numbers that exist, so that giving them back allocates nothing.
  void grow() {
    WEFT_CHECK(made_ < kMaxSlabs, "67 million packets with telemetry are under way");
    slabs_[made_] = std::make_unique<TelemetryRecord[]>(kSlab);
    shared_.reserve((made_ + 1) * kSlab);
    const auto first = static_cast<std::uint32_t>(made_ * kSlab);
    for (std::uint32_t i = kSlab; i-- > 0;) shared_.push_back(first + i);
    ++made_;
  }

  IdVector<QueuePairId, Use> carries_;
  IdVector<ReceiverId, std::uint32_t> arrived_;
  std::vector<Bytes> sent_;  ///< by port, since the run began
  /// Never moved: a record is read by threads that do not hold the lock.
  std::vector<std::unique_ptr<TelemetryRecord[]>> slabs_;
  std::vector<FreeList> free_;  ///< by thread
  std::mutex mutex_;
  std::vector<std::uint32_t> shared_;  ///< free, of no thread; whole batches
  std::size_t made_ = 0;               ///< slabs
};

}  // namespace weft::protocols
