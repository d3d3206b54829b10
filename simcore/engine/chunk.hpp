#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
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

/// Chunks for one thread. Taking and giving back cost a pointer swap; memory is fetched in slabs
/// and never returned before the pool dies, so the steady state allocates nothing. A chunk may be
/// given back to another thread's pool than it came from, hence slabs outlive every user of the
/// pools.
class ChunkPool {
 public:
  Chunk* take() {
    if (free_ == nullptr) [[unlikely]]
      grow();
    Chunk* chunk = free_;
    free_ = chunk->next;
    chunk->next = nullptr;
    return chunk;
  }
  void give_back(Chunk* chunk) {
    chunk->next = free_;
    free_ = chunk;
  }
  [[nodiscard]] std::size_t allocated_bytes() const {
    return slabs_.size() * kChunksPerSlab * sizeof(Chunk);
  }

 private:
  static constexpr std::size_t kChunksPerSlab = 256;
  void grow() {
    slabs_.push_back(std::make_unique<Chunk[]>(kChunksPerSlab));
    Chunk* slab = slabs_.back().get();
    for (std::size_t i = kChunksPerSlab; i-- > 0;) give_back(&slab[i]);
  }

  Chunk* free_ = nullptr;
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
    std::uint32_t index = head_index_;
    const Chunk* chunk = head_;
    for (std::uint32_t i = 0; i < count_; ++i, ++index) {
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
