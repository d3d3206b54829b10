#include "collectives/traffic/size_distribution.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "simcore/base/check.hpp"

namespace weft::collectives {

namespace {

__extension__ using Wide = unsigned __int128;

/// As large as messages may be.
constexpr Bytes kLargest(1'000'000'000'000);

}  // namespace

std::string SizeDistribution::problem_of(std::span<const Point> points) {
  if (points.empty()) return "has no points";
  Point last{Bytes(-1), 0};
  for (const Point& point : points) {
    const std::string size = std::to_string(point.size.count());
    if (point.size < last.size) return "falls to " + size + " bytes; sizes rise";
    if (point.size > kLargest) {
      return "has a size of " + size + " bytes; at most " + std::to_string(kLargest.count()) +
             " are possible";
    }
    if (point.parts < last.parts || point.parts > kWhole) {
      return "is wrong at " + size + " bytes; percentages rise to 100";
    }
    if (point.size == Bytes() && point.parts > 0) return "has messages of 0 bytes";
    last = point;
  }
  return last.parts == kWhole ? "" : "does not end with 100 percent";
}

SizeDistribution::SizeDistribution(std::vector<Point> points) : points_(std::move(points)) {
  WEFT_CHECK(problem_of(points_).empty(), "points are those of a distribution");
}

Bytes SizeDistribution::draw(std::uint64_t bits) const {
  // A number below kWhole, and what follows the point in 64 bits.
  const Wide drawn = Wide{bits} * static_cast<std::uint64_t>(kWhole);
  const auto parts = static_cast<std::int64_t>(drawn >> 64U);
  const auto above = std::ranges::upper_bound(points_, parts, {}, &Point::parts);
  if (above == points_.begin()) return above->size;
  const Point& below = *(above - 1);
  const auto width = static_cast<std::uint64_t>(above->parts - below.parts);
  const auto sizes = static_cast<std::uint64_t>((above->size - below.size).count());
  if (sizes == 0) return above->size;
  const Wide within = drawn - (Wide{static_cast<std::uint64_t>(below.parts)} << 64U);
  const auto fraction = static_cast<std::uint64_t>(within / width);
  const auto offset = static_cast<std::int64_t>((Wide{fraction} * sizes) >> 64U);
  return below.size + Bytes(offset + 1);
}

Bytes SizeDistribution::quantile(std::int64_t parts) const {
  const auto above = std::ranges::lower_bound(points_, parts, {}, &Point::parts);
  if (above == points_.begin()) return above->size;
  const Point& below = *(above - 1);
  const Wide width = static_cast<std::uint64_t>(above->parts - below.parts);
  const Wide sizes = static_cast<std::uint64_t>((above->size - below.size).count());
  const Wide wanted = static_cast<std::uint64_t>(parts - below.parts);
  return below.size + Bytes(static_cast<std::int64_t>((wanted * sizes + width - 1) / width));
}

double SizeDistribution::at_most(Bytes size) const {
  const auto above = std::ranges::upper_bound(points_, size, {}, &Point::size);
  if (above == points_.begin()) return 0;
  const Point& below = *(above - 1);
  auto parts = static_cast<double>(below.parts);
  if (above != points_.end()) {
    parts += static_cast<double>((size - below.size).count()) *
             static_cast<double>(above->parts - below.parts) /
             static_cast<double>((above->size - below.size).count());
  }
  return parts / static_cast<double>(kWhole);
}

std::int64_t SizeDistribution::mean_in_thousandths() const {
  Wide twice = 0;  // of the sum over all parts
  Point below{points_.front().size, 0};
  for (const Point& point : points_) {
    const std::int64_t min = point.size == below.size ? point.size.count() : below.size.count() + 1;
    twice += Wide{static_cast<std::uint64_t>(point.parts - below.parts)} *
             static_cast<std::uint64_t>(min + point.size.count());
    below = point;
  }
  const Wide whole = Wide{2} * static_cast<std::uint64_t>(kWhole);
  return static_cast<std::int64_t>((twice * 1000 + whole / 2) / whole);
}

}  // namespace weft::collectives
