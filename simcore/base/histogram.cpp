#include "simcore/base/histogram.hpp"

#include <cmath>

#include "simcore/base/check.hpp"

namespace weft {

void Histogram::merge(const Histogram& other, std::uint64_t times) {
  if (times == 0) return;
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += times * other.buckets_[i];
  count_ += times * other.count_;
  sum_ += times * other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

void Histogram::repeat_since(const Histogram& before, std::uint64_t times) {
  for (std::size_t i = 0; i < kBuckets; ++i) {
    buckets_[i] += times * (buckets_[i] - before.buckets_[i]);
  }
  count_ += times * (count_ - before.count_);
  sum_ += times * (sum_ - before.sum_);
}

void Histogram::add_to(Digest& digest) const {
  digest.add(count_);
  digest.add(static_cast<std::uint64_t>(sum_));
  digest.add(min());
  digest.add(max());
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if (buckets_[i] == 0) continue;
    digest.add(i);
    digest.add(buckets_[i]);
  }
}

double Histogram::mean() const {
  return is_empty() ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

std::int64_t Histogram::quantile(double p) const {
  WEFT_CHECK(p >= 0.0 && p <= 1.0, "a quantile is a share");
  if (is_empty()) return 0;
  constexpr std::uint64_t kParts = 1'000'000'000;
  const auto parts = static_cast<std::uint64_t>(std::llround(p * static_cast<double>(kParts)));
  const auto rank =
      static_cast<std::uint64_t>((static_cast<WideUnsigned>(count_) * parts + kParts - 1) / kParts);
  if (rank <= 1) return min_;
  if (rank >= count_) return max_;

  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while ((seen += buckets_[bucket]) < rank) ++bucket;
  return std::clamp(middle_of(bucket), min_, max_);
}

std::int64_t Histogram::middle_of(std::size_t bucket) {
  if (bucket < 2 * kSubBuckets) return static_cast<std::int64_t>(bucket);
  const std::size_t shift = (bucket >> kSubBits) - 1;
  const std::uint64_t lower = std::uint64_t{(bucket & (kSubBuckets - 1)) | kSubBuckets} << shift;
  const std::uint64_t width = std::uint64_t{1} << shift;
  return static_cast<std::int64_t>(lower + (width - 1) / 2);
}

}  // namespace weft
