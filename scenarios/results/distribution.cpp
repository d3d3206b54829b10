#include "scenarios/results/distribution.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

static_assert(std::numeric_limits<double>::is_iec559);

/// Sign, exponent and 12 bits of the fraction are the number of a bucket.
constexpr unsigned kIgnoredBits = 40;

std::uint64_t bucket_of(double value) {
  constexpr double kMin = 1e-15;  // there are too many powers of two between it and 0
  return std::bit_cast<std::uint64_t>(std::max(value, kMin)) >> kIgnoredBits;
}

double middle_of(std::uint64_t bucket) {
  return std::bit_cast<double>((bucket << kIgnoredBits) | (std::uint64_t{1} << (kIgnoredBits - 1)));
}

constexpr std::array<std::uint64_t, 4> kPerMille{500, 950, 990, 999};

std::uint64_t rank_of(std::uint64_t count, std::uint64_t per_mille) {
  return std::max<std::uint64_t>((count * per_mille + 999) / 1000, 1);
}

}  // namespace

void Distribution::add(double value, std::uint64_t times) {
  WEFT_CHECK(value >= 0, "a distribution is of quantities");
  if (times == 0) return;
  count_ += times;
  max_ = std::max(max_, value);
  if (count_ <= kExact) {
    values_.insert(values_.end(), times, value);
    return;
  }
  for (const double kept : values_) put_in_bucket(kept);
  if (!values_.empty()) values_ = {};
  put_in_bucket(value, times);
}

void Distribution::put_in_bucket(double value, std::uint64_t times) {
  const std::uint64_t bucket = bucket_of(value);
  if (buckets_.empty()) first_bucket_ = bucket;
  if (bucket < first_bucket_) {
    buckets_.insert(buckets_.begin(), first_bucket_ - bucket, 0);
    first_bucket_ = bucket;
  }
  if (bucket - first_bucket_ >= buckets_.size()) buckets_.resize(bucket - first_bucket_ + 1);
  buckets_[bucket - first_bucket_] += times;
}

Percentiles Distribution::percentiles() const {
  if (count_ == 0) return {};
  std::array<double, kPerMille.size()> found{};
  if (buckets_.empty()) {
    // Each is found in what the one before has left unordered.
    std::vector<double> values = values_;
    auto from = values.begin();
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto place =
          values.begin() + static_cast<std::ptrdiff_t>(rank_of(count_, kPerMille[i]) - 1);
      if (place >= from) std::nth_element(from, place, values.end());
      from = place;
      found[i] = *place;
    }
  } else {
    std::uint64_t seen = 0;
    std::size_t bucket = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::uint64_t rank = rank_of(count_, kPerMille[i]);
      while (seen + buckets_[bucket] < rank) seen += buckets_[bucket++];
      found[i] = std::min(middle_of(first_bucket_ + bucket), max_);
    }
  }
  return {found[0], found[1], found[2], found[3], max_};
}

}  // namespace weft::scenarios
