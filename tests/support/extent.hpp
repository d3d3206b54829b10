#pragma once

#include <cmath>
#include <cstdlib>

namespace weft::testing {

/// Whether tests run all of their cases. The label `fast` runs a sample of some, and the label
/// `full` the same tests again with all (weft_tests_in_full in tests/CMakeLists.txt).
inline bool at_full_extent() { return std::getenv("WEFT_FULL_EXTENT") != nullptr; }

/// A number of cases: `fast` of them, or all.
template <class Number>
[[nodiscard]] Number cases(Number fast, Number all) {
  return at_full_extent() ? all : fast;
}

/// About one in `n` of the cases of nested loops: those whose multiple of the golden ratio has a
/// fraction below 1/n. Such multiples lie evenly (Knuth, TAOCP 3, 6.4), so that each value of a
/// short loop soon has a turn, and in other company each time.
class Sample {
 public:
  explicit Sample(double n) : share_(at_full_extent() ? 1 : 1 / n) {}
  /// Whether the next case is one of them; the first one is.
  [[nodiscard]] bool takes() {
    const double multiple = kGoldenRatio * next_++;
    return multiple - std::floor(multiple) < share_;
  }

 private:
  static constexpr double kGoldenRatio = 1.6180339887498949;
  double share_;
  int next_ = 0;
};

}  // namespace weft::testing
