#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// How large messages are, by points of a cumulative distribution: of two neighbours (a, p) and
/// (b, q), a part q - p of all messages is of any size from a + 1 to b bytes, each as likely. With
/// p = 0 at 0 bytes that is the straight line between the points, in whole bytes; a first point
/// with p > 0, or two points of one size, are messages of just that size.
///
/// Integers throughout, so that draws are the same in every build.
class SizeDistribution {
 public:
  /// All messages together.
  static constexpr std::int64_t kWhole = 1'000'000'000;

  struct Point {
    Bytes size;
    std::int64_t parts = 0;  ///< of kWhole, that are no larger
    friend bool operator==(const Point&, const Point&) = default;
  };

  /// Of no messages, until it is given some.
  SizeDistribution() = default;
  /// `problem_of` finds nothing in the points.
  explicit SizeDistribution(std::vector<Point> points);
  /// What keeps points from being a distribution; empty: nothing does.
  [[nodiscard]] static std::string problem_of(std::span<const Point> points);

  [[nodiscard]] bool empty() const { return points_.empty(); }
  [[nodiscard]] std::span<const Point> points() const { return points_; }
  /// By 64 uniform bits.
  [[nodiscard]] Bytes draw(std::uint64_t bits) const;
  /// The quantile parts / kWhole of sizes; `parts` is from 1 to kWhole.
  [[nodiscard]] Bytes quantile(std::int64_t parts) const;
  /// The part of messages that are no larger.
  [[nodiscard]] double at_most(Bytes size) const;
  /// Exact, but for half a thousandth of a byte.
  [[nodiscard]] std::int64_t mean_in_thousandths() const;
  [[nodiscard]] Bytes largest() const { return points_.back().size; }

  friend bool operator==(const SizeDistribution&, const SizeDistribution&) = default;

 private:
  std::vector<Point> points_;
};

/// Reads points, one a line: bytes, and the percentage of messages that are no larger, from the
/// least size to the one with 100. Errors name `file` and line.
[[nodiscard]] Result<SizeDistribution> parse_size_distribution(std::string_view text,
                                                               const std::string& file);

}  // namespace weft::collectives
