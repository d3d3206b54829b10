#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft {

/// Which links have something for the logical processes that they lead to: a byte per link, so that
/// a window looks at those and at no others. While a few flows have a fabric for themselves most
/// links are idle, and to look at each of them in every window costs as much as their packets do.
/// While most links are busy it is the other way round: such a window looks at all of them and
/// reads nothing.
///
/// What is sent in one window arrives in a later one (that is what a window is), so there are two
/// sets: one that is read, and one that is written for the next window. Every worker has two of its
/// own. The one it writes to is touched by no other thread; of those that are read, whoever runs
/// some logical processes takes what all workers have for these.
class ActivityBitmap {
 public:
  /// Links per word: one store each, and a word is looked through at once.
  static constexpr std::size_t kPerWord = 8;
  /// Links with nobody to tell, since they lead to where they come from, share this number.
  static constexpr std::uint32_t kNobody = 0;

  /// Words that the activity bitmap of `links` links takes. Every logical process has words of its
  /// own.
  static constexpr std::uint32_t words_for(std::size_t links) {
    return static_cast<std::uint32_t>((links + kPerWord - 1) / kPerWord);
  }
  /// Room for the numbers from 0 to before kPerWord * `words`.
  void reset(std::size_t words) {
    for (auto& set : sets_) set.assign(words, 0);
    aim();
  }
  /// The next window begins: it reads what the last one wrote, or, if not `is_read`, forgets it.
  void turn(bool is_read) {
    std::swap(sets_[0], sets_[1]);
    aim();
    is_read_ = is_read;
    if (!is_read) std::ranges::fill(sets_[0], 0);
  }
  [[nodiscard]] bool is_read() const { return is_read_; }

  /// For the window after this one.
  [[gnu::always_inline]] void set(std::uint32_t number) { next_[number] = 1; }
  /// What `other` has for this window in the words from `first` to before `last`, which nobody else
  /// touches meanwhile.
  void join(ActivityBitmap& other, std::size_t first, std::size_t last) {
    for (std::size_t word = first; word < last; ++word) {
      // Most have nothing, and a word that is not written stays in the other thread's cache.
      if (other.read(word) != 0) sets_[0][word] |= other.take(word);
    }
  }
  /// The signals of one word of this window; `for_each_in` goes through them.
  [[nodiscard]] std::uint64_t read(std::size_t word) const { return sets_[0][word]; }
  [[nodiscard]] std::uint64_t take(std::size_t word) { return std::exchange(sets_[0][word], 0); }

  /// Calls visit(i) for the i-th link of a word, ascending, where there is a signal.
  template <class Visit>
  [[gnu::always_inline]] static void for_each_in(std::uint64_t word, Visit visit) {
    static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
    for (; word != 0; word &= word - 1) {
      visit(static_cast<std::size_t>(std::countr_zero(word)) / kBitsPerByte);
    }
  }

 private:
  static constexpr std::size_t kBitsPerByte = 8;

  void aim() { next_ = reinterpret_cast<unsigned char*>(sets_[1].data()); }

  unsigned char* next_ = nullptr;  ///< the bytes of sets_[1]
  bool is_read_ = true;
  std::array<std::vector<std::uint64_t>, 2> sets_;
};

}  // namespace weft
