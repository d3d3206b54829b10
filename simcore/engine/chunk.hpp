#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

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
  [[nodiscard]] std::size_t allocated_bytes() const {
    return slabs_.size() * kBatch * sizeof(Chunk);
  }

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
  Chunk* grow() {
    slabs_.push_back(std::make_unique<Chunk[]>(kBatch));
    Chunk* slab = slabs_.back().get();
    for (std::size_t i = 0; i + 1 < kBatch; ++i) slab[i].next = &slab[i + 1];
    return slab;
  }

  Chunk* free_ = nullptr;
  std::size_t count_ = 0;      ///< of `free_`, at most a batch
  std::vector<Chunk*> aside_;  ///< full batches
  ChunkDepot* depot_ = nullptr;
  std::vector<std::unique_ptr<Chunk[]>> slabs_;
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

  void push(const Packet& packet, ChunkPool& pool) {
    if (tail_ == nullptr) {
      head_ = tail_ = pool.take();
      head_index_ = tail_index_ = 0;
    } else if (tail_index_ == Chunk::kPackets) {
      tail_->next = pool.take();
      tail_ = tail_->next;
      tail_index_ = 0;
    }
    tail_->packets[tail_index_++] = packet;
    ++count_;
    bytes_ += packet.size;
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
