#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>

/// Physical quantities as distinct integer types: a picosecond is not a byte.
///
/// Allowed operations are the ones physics allows. The only way from bytes and a rate to a time is
/// `transmission_time`, exact and rounded up: simulators that truncate to nanoseconds run a 400
/// Gbps link several percent too fast.
namespace weft {

/// A signed 64-bit count of one unit. `Tag` keeps the units apart.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t count) : count_(count) {}

  [[nodiscard]] constexpr std::int64_t count() const { return count_; }
  [[nodiscard]] static constexpr Quantity max() {
    return Quantity(std::numeric_limits<std::int64_t>::max());
  }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, std::int64_t n) { return Quantity(a.count_ * n); }
  friend constexpr Quantity operator*(std::int64_t n, Quantity a) { return a * n; }
  friend constexpr Quantity operator/(Quantity a, std::int64_t n) { return Quantity(a.count_ / n); }
  /// How many whole `b` fit into `a`.
  friend constexpr std::int64_t operator/(Quantity a, Quantity b) { return a.count_ / b.count_; }
  friend constexpr Quantity operator%(Quantity a, Quantity b) {
    return Quantity(a.count_ % b.count_);
  }

 private:
  std::int64_t count_ = 0;
};

/// Simulated time, or a span of it. 2^63 ps are 106 days.
using Picoseconds = Quantity<struct PicosecondsTag>;
/// A size or an amount of data.
using Bytes = Quantity<struct BytesTag>;
/// A link or flow rate, always for one direction of one link.
using BitsPerSecond = Quantity<struct BitsPerSecondTag>;
/// The length of a cable.
using Millimetres = Quantity<struct MillimetresTag>;

inline constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;

/// A time >= 0 that may be missing, in the size of a time. One that is missing comes before all
/// others, so that the later of two is there where either is.
class OptionalTime {
 public:
  constexpr OptionalTime() = default;
  constexpr OptionalTime(Picoseconds time) : count_(time.count()) {}

  [[nodiscard]] constexpr bool has_value() const { return count_ >= 0; }
  constexpr explicit operator bool() const { return has_value(); }
  /// Requires has_value().
  [[nodiscard]] constexpr Picoseconds operator*() const { return Picoseconds(count_); }
  [[nodiscard]] constexpr Picoseconds value_or(Picoseconds other) const {
    return has_value() ? Picoseconds(count_) : other;
  }
  friend constexpr auto operator<=>(OptionalTime, OptionalTime) = default;
  /// Later or earlier by a span; what is missing stays so.
  friend constexpr OptionalTime operator+(OptionalTime a, Picoseconds by) {
    return a ? OptionalTime(*a + by) : a;
  }
  friend constexpr OptionalTime operator+(Picoseconds by, OptionalTime a) { return a + by; }
  friend constexpr OptionalTime operator-(OptionalTime a, Picoseconds by) {
    return a ? OptionalTime(*a - by) : a;
  }

 private:
  static constexpr std::int64_t kMissing = -1;

  std::int64_t count_ = kMissing;
};

/// The time that `bytes` occupy a link of `rate`, rounded up to a whole picosecond.
/// Requires bytes >= 0 and rate > 0.
[[nodiscard]] constexpr Picoseconds transmission_time(Bytes bytes, BitsPerSecond rate) {
  __extension__ using Wide = unsigned __int128;
  const Wide bit_picoseconds = static_cast<Wide>(bytes.count()) * 8 * kPicosecondsPerSecond;
  const auto divisor = static_cast<Wide>(rate.count());
  return Picoseconds(static_cast<std::int64_t>((bit_picoseconds + divisor - 1) / divisor));
}

/// The whole bytes that a link of `rate` carries in `time`, rounded down.
[[nodiscard]] constexpr Bytes bytes_in(Picoseconds time, BitsPerSecond rate) {
  __extension__ using Wide = unsigned __int128;
  const Wide bits = static_cast<Wide>(time.count()) * static_cast<Wide>(rate.count());
  return Bytes(static_cast<std::int64_t>(bits / (8 * static_cast<Wide>(kPicosecondsPerSecond))));
}

/// For statistics and display only; the engine computes in integers.
[[nodiscard]] constexpr double to_seconds(Picoseconds t) {
  return static_cast<double>(t.count()) * 1e-12;
}

inline namespace literals {
constexpr Picoseconds operator""_ps(unsigned long long n) {
  return Picoseconds(static_cast<std::int64_t>(n));
}
constexpr Picoseconds operator""_ns(unsigned long long n) {
  return Picoseconds(static_cast<std::int64_t>(n) * 1'000);
}
constexpr Picoseconds operator""_us(unsigned long long n) {
  return Picoseconds(static_cast<std::int64_t>(n) * 1'000'000);
}
constexpr Picoseconds operator""_ms(unsigned long long n) {
  return Picoseconds(static_cast<std::int64_t>(n) * 1'000'000'000);
}
constexpr Picoseconds operator""_s(unsigned long long n) {
  return Picoseconds(static_cast<std::int64_t>(n) * kPicosecondsPerSecond);
}
constexpr Bytes operator""_B(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n)); }
constexpr Bytes operator""_KB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1'000);
}
constexpr Bytes operator""_MB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1'000'000);
}
constexpr Bytes operator""_KiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1'024);
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1'024 * 1'024);
}
constexpr Bytes operator""_GiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1'024 * 1'024 * 1'024);
}
constexpr BitsPerSecond operator""_bps(unsigned long long n) {
  return BitsPerSecond(static_cast<std::int64_t>(n));
}
constexpr BitsPerSecond operator""_Mbps(unsigned long long n) {
  return BitsPerSecond(static_cast<std::int64_t>(n) * 1'000'000);
}
constexpr BitsPerSecond operator""_Gbps(unsigned long long n) {
  return BitsPerSecond(static_cast<std::int64_t>(n) * 1'000'000'000);
}
}  // namespace literals

}  // namespace weft
