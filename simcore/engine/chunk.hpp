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

/// A piece of a packet FIFO: 15 packets in eight cache lines.
struct alignas(64) Chunk {
  static constexpr std::uint32_t kPackets = 15;
  Packet packets[kPackets];  ///< first, so that none straddles two cache lines
  Chunk* next = nullptr;
};
static_assert(sizeof(Chunk) <= 512);

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
  void refill() {
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
  void put_aside() {
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

  static constexpr std::size_t kSmallSlabs = 8;
  static constexpr std::size_t kBatchesPerSlab = 16;
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

/// A FIFO of packets owned by one cell: an egress queue. Holds no chunk while empty.
class PacketQueue {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint32_t size() const { return count_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] const Packet& front() const { return head_->packets[head_index_]; }
  /// Every packet that waits, oldest first.
  template <class Visit>
  void for_each(Visit visit) const {
    for_first(count_, visit);
  }
  /// The oldest packets that wait, at most `most`.
  template <class Visit>
  void for_first(std::uint32_t most, Visit visit) const {
    std::uint32_t index = head_index_;
    const Chunk* chunk = head_;
    for (std::uint32_t i = 0; i < std::min(most, count_); ++i, ++index) {
      if (index == Chunk::kPackets) {
        chunk = chunk->next;
        index = 0;
      }
      visit(chunk->packets[index]);
    }
  }

  /// Returns where it lies, so that its copy can be changed: changing the packet first makes the
  /// copy wait until small stores have reached memory.
  [[gnu::always_inline]] Packet& push(const Packet& packet, ChunkPool& pool) {
    if (tail_ == nullptr) {
      head_ = tail_ = pool.take();
      head_index_ = tail_index_ = 0;
    } else if (tail_index_ == Chunk::kPackets) {
      tail_->next = pool.take();
      tail_ = tail_->next;
      tail_index_ = 0;
    }
    Packet& copy = tail_->packets[tail_index_++];
    copy = packet;
    ++count_;
    bytes_ += packet.size;
    return copy;
  }

  /// Asks for the memory of the oldest packet and of the next one to come.
  [[gnu::always_inline]] void fetch() const {
    if (head_ == nullptr) return;
    fetch_lines<1>(&head_->packets[head_index_]);
    fetch_lines<1, true>(&tail_->packets[tail_index_]);
  }
  Packet pop(ChunkPool& pool) {
    assert(count_ > 0);
    const Packet packet = head_->packets[head_index_++];
    fetch_lines<1>(&head_->packets[std::min<std::uint32_t>(head_index_ + 1U, Chunk::kPackets - 1)]);
    --count_;
    bytes_ -= packet.size;
    if (count_ == 0) {
      pool.give_back(head_);
      head_ = tail_ = nullptr;
    } else if (head_index_ == Chunk::kPackets) {
      Chunk* done = head_;
      head_ = head_->next;
      head_index_ = 0;
      pool.give_back(done);
    }
    return packet;
  }

 private:
  Chunk* head_ = nullptr;
  Chunk* tail_ = nullptr;
  std::int64_t bytes_ = 0;
  std::uint32_t count_ = 0;
  std::uint16_t head_index_ = 0;
  std::uint16_t tail_index_ = 0;
};

}  // namespace weft
