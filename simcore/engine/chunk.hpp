#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "simcore/engine/huge_pages.hpp"
#include "simcore/engine/packet.hpp"
#include "simcore/engine/prefetch.hpp"

namespace weft {

/// A piece of a packet FIFO: seven packets in four cache lines, of which the last has half for the
/// way to the next piece; most links have fewer on the way. Aligned so that an address within it
/// tells both where it begins and whether it is used up: a FIFO's end is one pointer.
struct alignas(256) Chunk {
  static constexpr std::uint32_t kPackets = 7;
  Packet packets[kPackets];
  Chunk* next = nullptr;

  /// Whether `place` is behind the last packet of its chunk.
  [[nodiscard]] static bool is_end(const Packet* place) {
    return offset(place) == kPackets * sizeof(Packet);
  }
  /// The chunk of a place, also of the one behind the last packet.
  [[nodiscard]] static Chunk* of(Packet* place) {
    return reinterpret_cast<Chunk*>(reinterpret_cast<std::byte*>(place) - offset(place));
  }
  /// The end of a FIFO without a chunk: nothing can be put there, so that one check finds both the
  /// missing and the full one.
  [[nodiscard]] static Packet* none() { return nowhere_ + kPackets; }

 private:
  [[nodiscard]] static std::uintptr_t offset(const Packet* place) {
    return reinterpret_cast<std::uintptr_t>(place) % 256;
  }
  alignas(256) static inline Packet nowhere_[kPackets + 1];
};
static_assert(sizeof(Chunk) == 256);

/// Where the pools of several threads exchange chunks: packets that one thread makes and another
/// one consumes leave their memory behind there.
class ChunkDepot {
 public:
  /// A batch of chunks, or null if there is none.
  [[nodiscard]] Chunk* take() {
    const std::lock_guard lock(mutex_);
    if (batches_.empty()) return nullptr;
    Chunk* batch = batches_.back();
    batches_.pop_back();
    return batch;
  }
  void give(Chunk* batch) {
    const std::lock_guard lock(mutex_);
    batches_.push_back(batch);
  }

 private:
  std::mutex mutex_;
  std::vector<Chunk*> batches_;  ///< of ChunkPool::kBatch each
};

/// Chunks for one thread. Taking and giving back cost a pointer swap; memory is fetched in slabs
/// and never returned before the pool dies, so the steady state allocates nothing. A chunk may be
/// given back to another thread's pool than it came from; what a pool has too much of goes to the
/// depot, if there is one. Slabs must outlive every user of the pools.
class ChunkPool {
 public:
  static constexpr std::size_t kBatch = 256;

  void exchange_by(ChunkDepot& depot) { depot_ = &depot; }

  Chunk* take() {
    if (free_ == nullptr) [[unlikely]]
      refill();
    Chunk* chunk = free_;
    free_ = chunk->next;
    --count_;
    chunk->next = nullptr;
    return chunk;
  }
  void give_back(Chunk* chunk) {
    if (count_ == kBatch) [[unlikely]]
      put_aside();
    chunk->next = free_;
    free_ = chunk;
    ++count_;
  }
  [[nodiscard]] std::size_t allocated_bytes() const { return allocated_; }

 private:
  [[gnu::noinline]] void refill() {
    if (aside_.empty()) {
      Chunk* batch = depot_ == nullptr ? nullptr : depot_->take();
      if (batch == nullptr) batch = grow();
      aside_.push_back(batch);
    }
    free_ = aside_.back();
    aside_.pop_back();
    count_ = kBatch;
  }
  /// Two full batches are enough for one thread to swing between taking and giving back.
  [[gnu::noinline]] void put_aside() {
    if (depot_ != nullptr && aside_.size() == 2) {
      depot_->give(aside_.front());
      aside_.erase(aside_.begin());
    }
    aside_.push_back(free_);
    free_ = nullptr;
    count_ = 0;
  }
  /// A batch of new memory: slabs of one batch at first, then of a huge page.
  Chunk* grow() {
    if (fresh_ == 0) {
      const std::size_t batches = slabs_.size() < kSmallSlabs ? 1 : kBatchesPerSlab;
      const std::size_t bytes = batches * kBatch * sizeof(Chunk);
      const std::align_val_t alignment{batches == 1 ? alignof(Chunk) : bytes};
      void* memory = ::operator new(bytes, alignment);
      slabs_.emplace_back(static_cast<std::byte*>(memory), Release{alignment});
      prefer_huge_pages(memory, bytes);
      next_fresh_ = slabs_.back().get();
      fresh_ = batches;
      allocated_ += bytes;
    }
    Chunk* batch = nullptr;
    for (std::size_t i = kBatch; i-- > 0;) {
      Chunk* chunk = new (next_fresh_ + i * sizeof(Chunk)) Chunk;
      chunk->next = batch;
      batch = chunk;
    }
    next_fresh_ += kBatch * sizeof(Chunk);
    --fresh_;
    return batch;
  }

  static constexpr std::size_t kSmallSlabs = 16;
  static constexpr std::size_t kBatchesPerSlab = 32;
  struct Release {
    std::align_val_t alignment;
    void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
  };

  Chunk* free_ = nullptr;
  std::size_t count_ = 0;      ///< of `free_`, at most a batch
  std::vector<Chunk*> aside_;  ///< full batches
  ChunkDepot* depot_ = nullptr;
  std::byte* next_fresh_ = nullptr;
  std::size_t fresh_ = 0;  ///< batches of the last slab that have not been used
  std::size_t allocated_ = 0;
  std::vector<std::unique_ptr<std::byte, Release>> slabs_;
};

/// A FIFO of packets owned by one logical process: an egress queue. Holds no chunk while empty.
///
/// A packet may stand for others that follow it right away (`coalesce`) and that its owner can make
/// from it: these have no place of their own, and only `bytes` and `coalesced` know of them.
class PacketQueue {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint32_t size() const { return count_; }
  [[nodiscard]] Bytes bytes() const { return bytes_; }
  /// Packets without a place of their own.
  [[nodiscard]] std::uint32_t coalesced() const { return coalesced_; }
  /// The oldest packet; there must be one.
  [[nodiscard]] const Packet& front() const { return *head_; }
  /// The newest packet with a place; there must be one.
  [[nodiscard]] Packet& back() { return tail_[-1]; }
  /// Every packet that waits and has a place, oldest first.
  template <class Visit>
  void for_each(Visit visit) const {
    for_first(count_, visit);
  }
  /// The oldest packets that wait, at most `max`.
  template <class Visit>
  void for_first(std::uint32_t max, Visit visit) const {
    Packet* place = head_;
    for (std::uint32_t i = 0; i < std::min(max, count_); ++i, ++place) {
      if (Chunk::is_end(place)) place = Chunk::of(place)->next->packets;
      visit(*place);
    }
  }

  /// Returns where it lies, so that its copy can be changed: changing the packet first makes the
  /// copy wait until small stores have reached memory.
  [[gnu::always_inline]] Packet& push(const Packet& packet, ChunkPool& pool) {
    if (Chunk::is_end(tail_)) [[unlikely]]
      extend(pool);
    Packet& copy = *tail_++;
    copy = packet;
    ++count_;
    bytes_ += Bytes(packet.size);
    return copy;
  }

  /// Puts `packet` where the newest one was, which must have a place of its own.
  void replace_back(const Packet& packet) {
    bytes_ += Bytes(packet.size) - Bytes(back().size);
    back() = packet;
  }

  /// Asks for the memory of the oldest packet and of the next one to come.
  [[gnu::always_inline]] void fetch() const {
    fetch_lines<1>(head_);
    fetch_lines<1, true>(tail_);
  }
  /// Takes the oldest packet out; there must be one. It stays where it lies until `reclaim`, which
  /// must follow before anything else is taken or put in: it can be copied from there to where it
  /// goes.
  [[nodiscard]] const Packet& take() {
    assert(count_ > 0);
    const Packet& packet = *head_++;
    fetch_lines<1>(head_ + 1);
    --count_;
    bytes_ -= Bytes(packet.size);
    return packet;
  }
  /// Gives back the memory of the packet that was taken last, if no other one shares it.
  [[gnu::always_inline]] void reclaim(ChunkPool& pool) {
    if (count_ == 0) {
      pool.give_back(Chunk::of(head_));
      head_ = tail_ = Chunk::none();
    } else if (Chunk::is_end(head_)) [[unlikely]] {
      Chunk* const done = Chunk::of(head_);
      head_ = done->next->packets;
      pool.give_back(done);
    }
  }
  /// One more packet of this size, for which `back` stands.
  void coalesce(Bytes size) {
    ++coalesced_;
    bytes_ += size;
  }
  /// The oldest packet is taken out, and `next`, for which it stood, takes its place.
  void expand(const Packet& next) {
    assert(coalesced_ > 0);
    --coalesced_;
    bytes_ -= Bytes(head_->size);
    *head_ = next;
  }
  [[nodiscard]] Packet pop(ChunkPool& pool) {
    const Packet packet = take();
    reclaim(pool);
    return packet;
  }

 private:
  void extend(ChunkPool& pool) {
    Chunk* const chunk = pool.take();
    if (count_ == 0) {
      head_ = chunk->packets;
    } else {
      Chunk::of(tail_)->next = chunk;
    }
    tail_ = chunk->packets;
  }

  Packet* head_ = Chunk::none();
  Packet* tail_ = Chunk::none();
  Bytes bytes_;
  std::uint32_t count_ = 0;  ///< with a place
  std::uint32_t coalesced_ = 0;
};
static_assert(sizeof(PacketQueue) == 32, "half a cache line");

}  // namespace weft
