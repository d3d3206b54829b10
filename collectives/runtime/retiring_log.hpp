#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace weft::collectives {

/// A list that grows at its end and forgets from its beginning. Entries keep their numbers: those
/// from `first()` to `size()` are there. It takes little more memory than these need.
template <class T>
class RetiringLog {
 public:
  /// How many entries were ever added.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The first one that is not forgotten.
  [[nodiscard]] std::size_t first() const { return first_; }
  [[nodiscard]] bool empty() const { return first_ == size_; }
  [[nodiscard]] T& operator[](std::size_t i) {
    return (*blocks_[i / kBlock - forgotten_blocks_])[i % kBlock];
  }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    return (*blocks_[i / kBlock - forgotten_blocks_])[i % kBlock];
  }
  [[nodiscard]] T& back() { return (*this)[size_ - 1]; }
  [[nodiscard]] const T& back() const { return (*this)[size_ - 1]; }

  void push_back(T value) {
    if (size_ / kBlock - forgotten_blocks_ == blocks_.size()) {
      blocks_.push_back(std::make_unique<Block>());
    }
    (*this)[size_] = std::move(value);
    ++size_;
  }
  /// Forgets all entries before this one, which may be the next to be added.
  void forget_before(std::size_t i) {
    first_ = std::max(first_, std::min(i, size_));
    const std::size_t blocks = first_ / kBlock - forgotten_blocks_;
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(blocks));
    forgotten_blocks_ += blocks;
  }
  /// Of a list whose entries are `before` up to some place and not from there on: that place.
  template <class Before>
  [[nodiscard]] std::size_t partition_point(Before before) const {
    std::size_t low = first_;
    std::size_t high = size_;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (before((*this)[middle])) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  static constexpr std::size_t kBlock = 8;
  using Block = std::array<T, kBlock>;

  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t forgotten_blocks_ = 0;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weft::collectives
