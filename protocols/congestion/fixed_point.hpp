#pragma once

#include <cmath>
#include <cstdint>

#include "simcore/base/units.hpp"

/// Shares and factors as the engine computes with them: integers in units of a power of two.
namespace weft::protocols::congestion {

/// a b / c without overflow, rounded towards 0.
[[nodiscard]] constexpr std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(static_cast<Wide>(a) * b / c);
}

/// A share, a factor, or an amount that is no whole number: an integer in units of 2^-Bits. Sums
/// are exact; products and quotients take 128 bits and are rounded towards 0, to units of what is
/// on the left.
template <int Bits>
class Fixed {
 public:
  constexpr Fixed() = default;
  /// A given number of units.
  [[nodiscard]] static constexpr Fixed from_raw(std::int64_t raw) {
    Fixed made;
    made.raw_ = raw;
    return made;
  }
  [[nodiscard]] static constexpr Fixed whole(std::int64_t n) { return from_raw(n << Bits); }
  [[nodiscard]] static constexpr Fixed one() { return whole(1); }
  /// The least that is more than nothing.
  [[nodiscard]] static constexpr Fixed unit() { return from_raw(1); }
  [[nodiscard]] static Fixed nearest(double value) {
    return from_raw(std::llround(std::ldexp(value, Bits)));
  }
  /// a / b.
  [[nodiscard]] static constexpr Fixed ratio(std::int64_t a, std::int64_t b) {
    return from_raw(scaled(a, one().raw_, b));
  }
  template <class Tag>
  [[nodiscard]] static constexpr Fixed ratio(Quantity<Tag> a, Quantity<Tag> b) {
    return ratio(a.count(), b.count());
  }
  template <int Other>
  [[nodiscard]] static constexpr Fixed ratio(Fixed<Other> a, Fixed<Other> b) {
    return ratio(a.raw(), b.raw());
  }

  [[nodiscard]] constexpr std::int64_t raw() const { return raw_; }
  /// The largest whole number that is no more, and the least that is no less.
  [[nodiscard]] constexpr std::int64_t floor() const { return raw_ >> Bits; }
  [[nodiscard]] constexpr std::int64_t ceil() const { return -(-raw_ >> Bits); }
  /// The same in finer units.
  template <int Finer>
  [[nodiscard]] constexpr Fixed<Finer> in() const {
    static_assert(Finer >= Bits);
    return Fixed<Finer>::from_raw(raw_ << (Finer - Bits));
  }
  /// For statistics and display only.
  [[nodiscard]] constexpr double to_double() const {
    return static_cast<double>(raw_) / static_cast<double>(one().raw_);
  }

  constexpr auto operator<=>(const Fixed&) const = default;
  constexpr Fixed& operator+=(Fixed other) {
    raw_ += other.raw_;
    return *this;
  }
  constexpr Fixed& operator-=(Fixed other) {
    raw_ -= other.raw_;
    return *this;
  }
  friend constexpr Fixed operator+(Fixed a, Fixed b) { return a += b; }
  friend constexpr Fixed operator-(Fixed a, Fixed b) { return a -= b; }
  friend constexpr Fixed operator*(Fixed a, std::int64_t n) { return from_raw(a.raw_ * n); }
  friend constexpr Fixed operator*(std::int64_t n, Fixed a) { return a * n; }
  friend constexpr Fixed operator/(Fixed a, std::int64_t n) { return from_raw(a.raw_ / n); }
  /// Doubled `times` times.
  friend constexpr Fixed operator<<(Fixed a, std::uint32_t times) {
    return from_raw(a.raw_ << times);
  }

 private:
  std::int64_t raw_ = 0;
};

template <int A, int B>
[[nodiscard]] constexpr Fixed<A> operator*(Fixed<A> a, Fixed<B> b) {
  return Fixed<A>::from_raw(scaled(a.raw(), b.raw(), Fixed<B>::one().raw()));
}
template <int A, int B>
[[nodiscard]] constexpr Fixed<A> operator/(Fixed<A> a, Fixed<B> b) {
  return Fixed<A>::from_raw(scaled(a.raw(), Fixed<B>::one().raw(), b.raw()));
}
template <class Tag, int B>
[[nodiscard]] constexpr Quantity<Tag> operator*(Quantity<Tag> a, Fixed<B> b) {
  return Quantity<Tag>(scaled(a.count(), b.raw(), Fixed<B>::one().raw()));
}
template <class Tag, int B>
[[nodiscard]] constexpr Quantity<Tag> operator/(Quantity<Tag> a, Fixed<B> b) {
  return Quantity<Tag>(scaled(a.count(), Fixed<B>::one().raw(), b.raw()));
}

/// a b / c, rounded once.
template <int A, int B>
[[nodiscard]] constexpr Fixed<A> scaled(Fixed<A> a, Fixed<B> b, Fixed<B> c) {
  return Fixed<A>::from_raw(scaled(a.raw(), b.raw(), c.raw()));
}
template <int A, class Tag>
[[nodiscard]] constexpr Fixed<A> scaled(Fixed<A> a, Quantity<Tag> b, Quantity<Tag> c) {
  return Fixed<A>::from_raw(scaled(a.raw(), b.count(), c.count()));
}
template <class Tag, int B>
[[nodiscard]] constexpr Quantity<Tag> scaled(Quantity<Tag> a, Fixed<B> b, Fixed<B> c) {
  return Quantity<Tag>(scaled(a.count(), b.raw(), c.raw()));
}
template <class TagA, class TagB>
[[nodiscard]] constexpr Quantity<TagA> scaled(Quantity<TagA> a, Quantity<TagB> b,
                                              Quantity<TagB> c) {
  return Quantity<TagA>(scaled(a.count(), b.count(), c.count()));
}

/// What `bytes` are of what a link of `rate` carries in `time`.
template <class Load>
[[nodiscard]] constexpr Load load_of(Bytes bytes, Picoseconds time, BitsPerSecond rate) {
  __extension__ using Wide = __int128;
  const Wide sent = static_cast<Wide>(bytes.count()) * 8 * kPicosecondsPerSecond;
  const Wide carried = static_cast<Wide>(rate.count()) * time.count();
  return Load::from_raw(static_cast<std::int64_t>(sent * Load::one().raw() / carried));
}

/// Whether a count of packets that runs on and wraps is past `mark`.
[[nodiscard]] constexpr bool is_past(std::uint32_t count, std::uint32_t mark) {
  return static_cast<std::int32_t>(count - mark) > 0;
}

}  // namespace weft::protocols::congestion
