#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

/// What the tests of the mutation tool mutate. Every change but those that toy_test.py lists makes
/// a test of toy_test.cpp fail.
namespace toy {

constexpr int kSquares[] = {0, 1, 2 * 2, 3 * 3};
static_assert(kSquares[3] > 2 + 3);
enum class Colour { kRed = 1 + 1 };

template <class T>
constexpr T larger(T a, T b) {
  if (a < b) return b;
  return a;
}
static_assert(larger(1, 2) == 2);

class Counter {
 public:
  void add(int n) {
    total_ += n;
    log(n);
  }
  bool is_over(int limit) const { return total_ > limit && !entries_.empty(); }
  int total() const { return total_; }
  std::size_t entries() const { return entries_.size(); }

 private:
  void log(int n) { entries_.push_back(n); }

  int total_ = 0;
  std::vector<int> entries_;
};

inline int clamp(int n) { return std::min(n, 9); }
inline int highest_class(int bits) { return 31 - __builtin_clz(bits | 1); }
inline int lowest_class(int bits) { return __builtin_ctz(bits | 16); }
inline int next(int bits) { return highest_class(bits); }

inline int waits_forever(int n) {
  int steps = 0;
  while (n != 0) {
    n -= 1;
    ++steps;
  }
  return steps;
}

inline bool is_never_called(int n) { return n >= 3; }

}  // namespace toy
