#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "simcore/base/digest.hpp"

namespace weft {

/// A log-linear histogram of non-negative 64-bit integers (latencies in picoseconds, sizes in
/// bytes).
///
/// Values below 128 have a bucket each; above, every power of two is split into 64 buckets of equal
/// width. A quantile is reported as the middle of its bucket, so it is off by less than half a
/// bucket: 1/128 of the true value (0.78 %). Count, minimum, maximum and sum are exact. The table
/// is fixed (29 KiB, inside the object): `add` neither allocates nor branches. Merging adds
/// integers, so neither the order of merges nor how values were spread over histograms changes
/// anything.
class Histogram {
 public:
  /// Records one value >= 0.
  void add(std::int64_t value) {
    assert(value >= 0 && "histograms hold non-negative values");
    ++buckets_[bucket_of(static_cast<std::uint64_t>(value))];
    ++count_;
    sum_ += static_cast<std::uint64_t>(value);
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }
  /// Adds everything that `other` has recorded, multiplied by `times`.
  void merge(const Histogram& other, std::uint64_t times = 1);
  /// Records once more, `times` times, everything that came after the state `before`.
  void repeat_since(const Histogram& before, std::uint64_t times);
  void clear() { *this = Histogram(); }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  /// The least and the greatest recorded value, exactly; 0 if empty.
  [[nodiscard]] std::int64_t min() const { return is_empty() ? 0 : min_; }
  [[nodiscard]] std::int64_t max() const { return max_; }
  /// The arithmetic mean of an exact sum; 0 if empty.
  [[nodiscard]] double mean() const;

  /// The nearest-rank quantile: the ceil(p * count)-th smallest value, within 0.78 %. Exact where
  /// that is the smallest or the greatest one, and never outside min() .. max(). `p` is within
  /// 0 .. 1 and taken to nine decimal places, so that 0.99 of 100 values is the 99th, not the 100th
  /// by a rounding error. 0 if empty.
  [[nodiscard]] std::int64_t quantile(double p) const;
  [[nodiscard]] std::int64_t p50() const { return quantile(0.5); }
  [[nodiscard]] std::int64_t p99() const { return quantile(0.99); }
  [[nodiscard]] std::int64_t p999() const { return quantile(0.999); }

  /// Calls `visit(first, last, count)` for every bucket that holds anything, rising: that many
  /// values lie from `first` to `last`.
  template <class Visit>
  void for_each_bucket(Visit visit) const {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      if (buckets_[i] == 0) continue;
      const std::size_t shift = i < 2 * kSubBuckets ? 0 : (i >> kSubBits) - 1;
      const std::uint64_t first = (i - (shift << kSubBits)) << shift;
      const std::uint64_t last = first + (std::uint64_t{1} << shift) - 1;
      visit(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last), buckets_[i]);
    }
  }
  /// Adds count, sum, extremes and the buckets that hold anything.
  void add_to(Digest& digest) const;

  bool operator==(const Histogram&) const = default;

 private:
  __extension__ using WideUnsigned = unsigned __int128;

  /// A bucket is named by its shift (how many low bits it ignores) and the 7 bits that remain, of
  /// which the highest is set unless the shift is 0.
  static constexpr unsigned kSubBits = 6;
  static constexpr std::size_t kSubBuckets = std::size_t{1} << kSubBits;
  static constexpr std::size_t kMaxShift = 63 - (kSubBits + 1);
  static constexpr std::size_t kBuckets = (kMaxShift + 2) * kSubBuckets;

  [[nodiscard]] static constexpr std::size_t bucket_of(std::uint64_t value) {
    const auto width = static_cast<unsigned>(std::bit_width(value | kSubBuckets));
    const unsigned shift = width - (kSubBits + 1);
    return (std::size_t{shift} << kSubBits) + (value >> shift);
  }
  [[nodiscard]] static std::int64_t middle_of(std::size_t bucket);

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  WideUnsigned sum_ = 0;
  std::int64_t min_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_ = 0;
};

}  // namespace weft
