#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "simcore/engine/chunk.hpp"
#include "simcore/engine/prefetch.hpp"

namespace weft {

/// One lane of a link direction: a FIFO of packets on the wire, ordered by arrival time. One cell
/// produces, one consumes; they may run on different threads. The count of pushed packets is
/// published with release order, so whoever sees it sees the packets and the chunk links too.
///
/// The two halves lie on different cache lines (see Link).
class LaneProducer {
 public:
  /// A packet that arrives at `stamp`. `write(Packet&)` gives everything else of it in its place:
  /// made elsewhere field by field, it could be copied only once those small stores had reached
  /// memory.
  template <class Write>
  [[gnu::always_inline]] void push(std::int64_t stamp, ChunkPool& pool, Write write) {
    if (tail_ == nullptr) {
      first_ = tail_ = pool.take();
    } else if (index_ == Chunk::kPackets) {
      tail_->next = pool.take();
      tail_ = tail_->next;
      index_ = 0;
    }
    Packet& packet = tail_->packets[index_++];
    write(packet);
    packet.stamp = stamp;
    // The consumer had this memory last; by the next push to this link it is back.
    fetch_lines<1, true>(&tail_->packets[std::min(index_ + 1, Chunk::kPackets - 1)]);
    pushed_.store(pushed_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// Asks for the memory of the next packet to come.
  [[gnu::always_inline]] void fetch() const {
    if (tail_ == nullptr) return;
    fetch_lines<1, true>(&tail_->packets[std::min(index_, Chunk::kPackets - 1)]);
  }
  [[nodiscard]] std::uint32_t pushed() const { return pushed_.load(std::memory_order_acquire); }

 private:
  friend class LaneConsumer;
  Chunk* tail_ = nullptr;
  Chunk* first_ = nullptr;  ///< where the consumer finds the first chunk ever used
  std::uint32_t index_ = 0;
  std::atomic<std::uint32_t> pushed_{0};
};

class LaneConsumer {
 public:
  /// Cache lines of two packets: about what comes in a window.
  static constexpr std::uint32_t kFetched = 4;

  /// The next packet on the wire, or null. Valid until `pop`.
  [[nodiscard]] const Packet* front(const LaneProducer& producer) {
    if (popped_ == known_) {
      known_ = producer.pushed();
      if (popped_ == known_) return nullptr;
    }
    if (head_ == nullptr) [[unlikely]]
      head_ = producer.first_;
    // A used-up chunk stays until the next one is known to exist.
    if (index_ == Chunk::kPackets) {
      spent_ = head_;
      head_ = head_->next;
      index_ = 0;
    }
    return &head_->packets[index_];
  }
  void pop(ChunkPool& pool) {
    ++index_;
    ++popped_;
    if (spent_ != nullptr) {
      pool.give_back(spent_);
      spent_ = nullptr;
    }
  }
  [[nodiscard]] std::uint32_t popped() const { return popped_; }
  /// Every packet on the wire, first to arrive first. Not while the producer runs.
  template <class Visit>
  void for_each(const LaneProducer& producer, Visit visit) const {
    const Chunk* chunk = head_ == nullptr ? producer.first_ : head_;
    std::uint32_t index = index_;
    for (std::uint32_t i = popped_; i != producer.pushed(); ++i, ++index) {
      if (index == Chunk::kPackets) {
        chunk = chunk->next;
        index = 0;
      }
      visit(chunk->packets[index]);
    }
  }
  /// Asks for the memory of the next packets, whether or not they are there yet.
  [[gnu::always_inline]] void fetch(const LaneProducer& producer) const {
    if (head_ == nullptr) return;
    const std::uint32_t here = Chunk::kPackets - index_;
    if (here < 2 * kFetched && producer.pushed() - popped_ > here) {
      fetch_lines<kFetched>(head_->next);
    }
    fetch_lines<kFetched>(&head_->packets[std::min(index_, Chunk::kPackets - 2 * kFetched)]);
  }

 private:
  Chunk* head_ = nullptr;
  Chunk* spent_ = nullptr;
  std::uint32_t index_ = 0;
  std::uint32_t popped_ = 0;
  std::uint32_t known_ = 0;
};

/// A link direction: the data lane, and an out-of-band lane for what does not cross the receiver's
/// pipeline (pauses, credits). Only packets whose transmission has begun are on a lane, so nothing
/// on it is ever revoked.
struct Link {
  alignas(64) LaneProducer data_in;
  LaneProducer control_in;
  alignas(64) LaneConsumer data_out;
  LaneConsumer control_out;

  /// Ask for the memory of the sending half, or of both.
  [[gnu::always_inline]] void fetch_sender() const { fetch_lines<1, true>(&data_in); }
  [[gnu::always_inline]] void fetch() const {
    fetch_lines<1>(&data_in);
    fetch_lines<1, true>(&data_out);
  }
  [[nodiscard]] std::uint32_t in_flight() const { return data_in.pushed() - data_out.popped(); }
};

}  // namespace weft
