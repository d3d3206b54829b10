#pragma once

#include <cstddef>
#include <cstdint>

#include "protocols/packet/packet_kind.hpp"
#include "protocols/state/record_pool.hpp"
#include "simcore/engine/packet.hpp"

namespace weft::protocols {

/// What an ACK of Ultra Ethernet says besides its 32 bytes (UE specification 1.0, 3.5).
struct alignas(32) AckRecord {
  std::uint64_t bytes = 0;  ///< of packets that came whole for the first time, since the beginning
  std::uint64_t bitmap =
      0;  ///< of the 64 packets from `base` on: what has come; a clear bit says nothing
  std::uint32_t base = 0;
  std::uint32_t cause = 0;  ///< the packet that it answers
  std::uint32_t early = 0;  ///< packets that have come beyond the first that is missing
  std::uint32_t probe = 0;  ///< when the probe was sent that it answers, if it does
};

/// Of the ACKs that are under way. Empty where no transport has such.
class AckRecords {
 public:
  void start() { records_.start(); }
  void spawn(std::size_t threads) { records_.spawn(threads); }

  [[nodiscard]] static bool is_in(const Packet& packet) {
    return kind_of(packet) == PacketKind::kPdsAck;
  }
  /// Returns its number.
  [[nodiscard]] std::uint32_t add(std::size_t thread, const AckRecord& record) {
    const std::uint32_t number = records_.take(thread);
    records_[number] = record;
    return number;
  }
  /// The record of an ACK that has come, which it has no more.
  [[nodiscard]] AckRecord take(std::size_t thread, const Packet& ack) {
    const AckRecord record = records_[ack.word];
    records_.give_back(thread, ack.word);
    return record;
  }
  /// A packet is lost.
  void lose(std::size_t thread, const Packet& packet) {
    if (is_in(packet)) records_.give_back(thread, packet.word);
  }
  [[nodiscard]] std::size_t in_use() const { return records_.in_use(); }
  [[nodiscard]] std::size_t memory_bytes() const { return records_.memory_bytes(); }

 private:
  RecordPool<AckRecord> records_;
};

}  // namespace weft::protocols
