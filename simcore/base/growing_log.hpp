#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

/// A list that only grows at its end, by a block as large as all before it, and by blocks of 64
/// from the 128th entry on: nothing that is there ever moves.
template <class T>
class GrowingLog {
  static_assert(std::is_trivially_destructible_v<T>, "blocks are given back as raw memory");

 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t i) { return blocks_[block_of(i)].get()[place_of(i)]; }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    return blocks_[block_of(i)].get()[place_of(i)];
  }
  void push_back(T value) {
    if (block_of(size_) == blocks_.size()) {
      const std::size_t entries = std::clamp(size_, kFirst, kLargest);
      blocks_.emplace_back(std::allocator<T>().allocate(entries), Free{entries});
    }
    std::construct_at(&(*this)[size_], std::move(value));
    ++size_;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < size_; ++i) visit((*this)[i]);
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    std::size_t entries = 0;
    for (const auto& block : blocks_) entries += block.get_deleter().entries;
    return entries * sizeof(T);
  }

 private:
  /// Entries of the first block, and of the largest ones. Those before block k > 0 number
  /// kFirst * 2^(k-1), as long as blocks grow.
  static constexpr std::size_t kFirst = 16;
  static constexpr std::size_t kLargest = 64;
  static constexpr std::size_t kGrowing = std::bit_width(kLargest / kFirst) + 1;  ///< blocks

  static std::size_t block_of(std::size_t i) {
    if (i >= 2 * kLargest) return kGrowing + i / kLargest - 2;
    return static_cast<std::size_t>(std::bit_width(i / kFirst));
  }
  static std::size_t place_of(std::size_t i) {
    if (i >= 2 * kLargest) return i % kLargest;
    return i < kFirst ? i : i - kFirst * std::bit_floor(i / kFirst);
  }

  struct Free {
    std::size_t entries = 0;
    void operator()(T* block) const { std::allocator<T>().deallocate(block, entries); }
  };

  std::vector<std::unique_ptr<T, Free>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace weft
