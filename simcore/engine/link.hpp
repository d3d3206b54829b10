#pragma once

#include <atomic>
#include <cstdint>

#include "simcore/engine/chunk.hpp"
#include "simcore/engine/prefetch.hpp"

namespace weft {

/// One queue of a link direction: a FIFO of packets on the wire, ordered by arrival time. One
/// logical process produces, one consumes; they may run on different threads. The count of pushed
/// packets is published with release order, so whoever sees it sees the packets and the chunk links
/// too.
///
/// The two halves lie on different cache lines (see Link).
class LinkQueueProducer {
 public:
  /// A packet that arrives at this time. `write(Packet&)` gives everything else of it in its place:
  /// made elsewhere field by field, it could be copied only once those small stores had reached
  /// memory.
  template <class Write>
  [[gnu::always_inline]] void push(Picoseconds arrival, ChunkPool& pool, Write write) {
    if (Chunk::is_end(next_)) [[unlikely]]
      extend(pool);
    Packet& packet = *next_++;
    write(packet);
    packet.stamp = arrival.count();
    // The consumer had this memory last; by the next push to this link it is back.
    fetch_lines<1, true>(next_ + 1);
    pushed_.store(pushed_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// Asks for the memory of the next packet to come.
  [[gnu::always_inline]] void fetch() const { fetch_lines<1, true>(next_); }
  [[nodiscard]] std::uint32_t pushed() const { return pushed_.load(std::memory_order_acquire); }

 private:
  friend class LinkQueueConsumer;
  [[gnu::noinline]] void extend(ChunkPool& pool) {
    Chunk* const chunk = pool.take();
    if (first_ == nullptr) {
      first_ = chunk;
    } else {
      Chunk::of(next_)->next = chunk;
    }
    next_ = chunk->packets;
  }

  Packet* next_ = Chunk::none();
  Chunk* first_ = nullptr;  ///< where the consumer finds the first chunk ever used
  std::atomic<std::uint32_t> pushed_{0};
};

class LinkQueueConsumer {
 public:
  /// Cache lines of two packets: about what comes in a window.
  static constexpr std::uint32_t kFetched = 4;

  /// The next packet on the wire, or null. Valid until something is taken.
  [[nodiscard]] const Packet* front(const LinkQueueProducer& producer) const {
    return popped_ == producer.pushed() ? nullptr : place(producer);
  }
  /// Takes packets that arrive before `end` off the wire, one after the other, and calls
  /// visit(const Packet&) with each where it lies.
  template <class Visit>
  [[gnu::always_inline]] void take_until(Picoseconds end, const LinkQueueProducer& producer,
                                         ChunkPool& pool, Visit visit) {
    const std::uint32_t known = producer.pushed();
    std::uint32_t popped = popped_;
    Packet* at = next_;
    while (popped != known) {
      if (Chunk::is_end(at)) [[unlikely]] {
        next_ = at;
        at = move_on(producer, pool);
      }
      if (at->stamp >= end.count()) break;
      visit(static_cast<const Packet&>(*at));
      ++at;
      ++popped;
    }
    next_ = at;
    popped_ = popped;
  }
  /// Takes the next packet off the wire; there must be one.
  [[nodiscard]] Packet take(const LinkQueueProducer& producer, ChunkPool& pool) {
    if (Chunk::is_end(next_)) [[unlikely]]
      move_on(producer, pool);
    ++popped_;
    return *next_++;
  }
  [[nodiscard]] std::uint32_t popped() const { return popped_; }
  /// Every packet on the wire, first to arrive first. Not while the producer runs.
  template <class Visit>
  void for_each(const LinkQueueProducer& producer, Visit visit) const {
    if (popped_ == producer.pushed()) return;
    Packet* at = place(producer);
    for (std::uint32_t i = popped_; i != producer.pushed(); ++i, ++at) {
      if (Chunk::is_end(at)) at = Chunk::of(at)->next->packets;
      visit(*at);
    }
  }
  /// Asks for the memory of the next packets, whether or not they are there yet.
  [[gnu::always_inline]] void fetch(const LinkQueueProducer& producer) const {
    const auto here =
        static_cast<std::uint32_t>(Chunk::of(next_)->packets + Chunk::kPackets - next_);
    if (here < 2 * kFetched && next_ != Chunk::none() && producer.pushed() - popped_ > here) {
      fetch_lines<kFetched>(Chunk::of(next_)->next);
    }
    fetch_lines<kFetched>(next_);
  }

 private:
  /// The place of the next packet, which must be on the wire.
  [[nodiscard]] Packet* place(const LinkQueueProducer& producer) const {
    if (!Chunk::is_end(next_)) [[likely]]
      return next_;
    return next_ == Chunk::none() ? producer.first_->packets : Chunk::of(next_)->next->packets;
  }
  /// From a used-up chunk to the next one, which must exist.
  [[gnu::noinline]] Packet* move_on(const LinkQueueProducer& producer, ChunkPool& pool) {
    Packet* const before = next_;
    next_ = place(producer);
    if (before != Chunk::none()) pool.give_back(Chunk::of(before));
    return next_;
  }

  Packet* next_ = Chunk::none();  ///< a used-up chunk stays until the next one is needed
  std::uint32_t popped_ = 0;
};

/// A link direction: the data queue, and an out-of-band control queue for what does not cross the
/// receiver's pipeline (pauses, credits). Only packets whose transmission has begun are in a queue,
/// so nothing on it is ever revoked.
struct Link {
  alignas(64) LinkQueueProducer data_in;
  LinkQueueProducer control_in;
  /// The number by which the logical process at its end is told that something comes
  /// (ActivityBitmap).
  std::uint32_t activity_index = 0;
  alignas(64) LinkQueueConsumer data_out;
  LinkQueueConsumer control_out;

  /// Ask for the memory of the sending half, or of both.
  [[gnu::always_inline]] void fetch_sender() const { fetch_lines<1, true>(&data_in); }
  [[gnu::always_inline]] void fetch() const {
    fetch_lines<1>(&data_in);
    fetch_lines<1, true>(&data_out);
  }
  [[nodiscard]] std::uint32_t in_flight() const { return data_in.pushed() - data_out.popped(); }
};

}  // namespace weft
