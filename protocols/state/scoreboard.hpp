#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::protocols {

/// What a sender knows to have arrived beyond the first packet that is missing: a ring of bits by
/// sequence number, which takes memory once something arrives out of order, as much as what is
/// under way then needs. `unacked` is always the oldest packet that is not known to have arrived;
/// the board holds nothing before it. Sequence numbers do not wrap.
///
/// For transports that repair single losses: a receiver keeps what it has in a ReorderBuffer, its
/// selective acknowledgements bring that here, and `next_hole` says what is missing.
class Scoreboard {
 public:
  /// Packet `sequence` >= `unacked` has arrived. False: that was known.
  bool add(std::uint32_t unacked, std::uint32_t sequence) {
    if (sequence / kBits - unacked / kBits >= words_.size()) grow(unacked, sequence);
    std::uint64_t& word = words_[place(sequence)];
    const std::uint64_t bit = std::uint64_t{1} << (sequence % kBits);
    if ((word & bit) != 0) return false;
    word |= bit;
    end_ = std::max(end_, sequence + 1);
    ++count_;
    return true;
  }
  /// Everything before `to` has arrived, not only before `unacked`. Returns how many of the packets
  /// between them the board had, which is no news.
  std::uint32_t advance(std::uint32_t unacked, std::uint32_t to) {
    std::uint32_t had = 0;
    if (count_ == 0) return had;
    visit(unacked, std::min(to, end_), [&](std::size_t at, std::uint64_t mask, std::uint32_t) {
      had += static_cast<std::uint32_t>(std::popcount(words_[at] & mask));
      words_[at] &= ~mask;
      return true;
    });
    count_ -= had;
    return had;
  }

  /// The first packet of [from, to) that is not known to have arrived; `to` if all are.
  /// `from` >= `unacked`.
  [[nodiscard]] std::uint32_t next_hole(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t known = std::min(to, end());
    if (from >= known) return std::min(from, to);
    std::uint32_t hole = known;
    visit(from, known, [&](std::size_t at, std::uint64_t mask, std::uint32_t first) {
      const std::uint64_t missing = ~words_[at] & mask;
      if (missing == 0) return true;
      hole = first + static_cast<std::uint32_t>(std::countr_zero(missing));
      return false;
    });
    return hole;
  }
  /// How many packets of [from, to) are known to have arrived. `from` >= `unacked`.
  [[nodiscard]] std::uint32_t count(std::uint32_t from, std::uint32_t to) const {
    std::uint32_t had = 0;
    if (count_ == 0) return had;
    visit(from, std::min(to, end_), [&](std::size_t at, std::uint64_t mask, std::uint32_t) {
      had += static_cast<std::uint32_t>(std::popcount(words_[at] & mask));
      return true;
    });
    return had;
  }
  /// Of all packets; the oldest one that is missing is before them all.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// The number after the highest packet that is known to have arrived; 0 if none is.
  [[nodiscard]] std::uint32_t end() const { return count_ == 0 ? 0 : end_; }
  [[nodiscard]] std::size_t memory_bytes() const { return words_.capacity() * sizeof(words_[0]); }

 private:
  static constexpr std::uint32_t kBits = 64;

  [[nodiscard]] std::size_t place(std::uint32_t sequence) const {
    return (sequence / kBits) & (words_.size() - 1);
  }
  /// Calls `use(place, mask, first)` for the words of [from, to), with the bits that are of it and
  /// the sequence number of the word's lowest bit, until it returns false.
  template <class Use>
  void visit(std::uint32_t from, std::uint32_t to, Use use) const {
    while (from < to) {
      const std::uint32_t first = from / kBits * kBits;
      const std::uint32_t last = std::min(to - first, kBits);
      const std::uint64_t below = last == kBits ? 0 : ~std::uint64_t{0} << last;
      const std::uint64_t mask = (~std::uint64_t{0} << (from - first)) & ~below;
      if (!use(place(from), mask, first)) return;
      if (to - first <= kBits) return;
      from = first + kBits;
    }
  }
  /// Makes room for everything from the word of `unacked` to `sequence`.
  [[gnu::noinline]] void grow(std::uint32_t unacked, std::uint32_t sequence) {
    const std::uint32_t first = unacked / kBits;
    std::vector<std::uint64_t> old(
        std::bit_ceil(std::size_t{sequence / kBits} - first + std::size_t{1}));
    old.swap(words_);
    for (std::size_t k = 0; k < old.size(); ++k) {
      words_[(first + k) & (words_.size() - 1)] = old[(first + k) & (old.size() - 1)];
    }
  }

  std::vector<std::uint64_t> words_;  ///< a power of two of them
  std::uint32_t end_ = 0;
  std::uint32_t count_ = 0;
};

/// A set of sequence numbers from `first` on, which never goes back: a ring of bits that grows with
/// what it spans. Sequence numbers do not wrap.
class SequenceSet {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint32_t size() const { return count_; }
  [[nodiscard]] bool has(std::uint32_t sequence) const {
    return sequence >= lowest_ && sequence < end_ && (word(sequence) >> (sequence % 64) & 1U) != 0;
  }
  /// The lowest one; there must be one.
  [[nodiscard]] std::uint32_t lowest() const { return lowest_; }
  /// `first`: none before it will be added any more.
  void add(std::uint32_t first, std::uint32_t sequence) {
    if (has(sequence)) return;
    if (count_ == 0) {
      lowest_ = sequence;
      end_ = sequence + 1;
    }
    const std::uint32_t low = std::min(first, lowest_);
    if (std::max(sequence, end_ - 1) / 64 - low / 64 >= words_.size()) grow(low, sequence);
    word(sequence) |= std::uint64_t{1} << (sequence % 64);
    lowest_ = std::min(lowest_, sequence);
    end_ = std::max(end_, sequence + 1);
    ++count_;
  }
  /// False: it was not in it.
  bool remove(std::uint32_t sequence) {
    if (!has(sequence)) return false;
    word(sequence) &= ~(std::uint64_t{1} << (sequence % 64));
    --count_;
    if (sequence == lowest_ && count_ > 0) seek();
    if (count_ == 0) lowest_ = end_ = 0;
    return true;
  }
  [[nodiscard]] std::size_t memory_bytes() const { return words_.capacity() * sizeof(words_[0]); }

 private:
  [[nodiscard]] std::uint64_t& word(std::uint32_t sequence) {
    return words_[sequence / 64 & (words_.size() - 1)];
  }
  [[nodiscard]] std::uint64_t word(std::uint32_t sequence) const {
    return words_[sequence / 64 & (words_.size() - 1)];
  }
  void seek() {
    std::uint64_t bits = word(lowest_) >> (lowest_ % 64);
    while (bits == 0) {
      lowest_ = (lowest_ / 64 + 1) * 64;
      bits = word(lowest_);
    }
    lowest_ += static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  [[gnu::noinline]] void grow(std::uint32_t low, std::uint32_t sequence) {
    const std::uint32_t first = low / 64;
    const std::uint32_t last = std::max(sequence, end_ - 1) / 64;
    std::vector<std::uint64_t> old(std::bit_ceil(std::size_t{last} - first + std::size_t{1}));
    old.swap(words_);
    if (old.empty()) return;
    for (std::uint32_t at = lowest_ / 64; at <= (end_ - 1) / 64; ++at) {
      words_[at & (words_.size() - 1)] = old[at & (old.size() - 1)];
    }
  }

  std::vector<std::uint64_t> words_;  ///< a power of two of them
  std::uint32_t lowest_ = 0;
  std::uint32_t end_ = 0;  ///< after the highest
  std::uint32_t count_ = 0;
};

}  // namespace weft::protocols
