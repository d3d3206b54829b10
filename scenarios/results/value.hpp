#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "simcore/base/digest.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// A number that follows from others, and how a CSV file spells it.
struct Quotient {
  enum class Spelling : std::uint8_t {
    kRatio,  ///< six decimals
    kRate,   ///< six digits
    kMean,   ///< one decimal
  };
  double value = 0;
  Spelling spelling = Spelling::kRatio;
};

[[nodiscard]] inline Quotient ratio(double value) { return {value, Quotient::Spelling::kRatio}; }
[[nodiscard]] inline Quotient mean(double value) { return {value, Quotient::Spelling::kMean}; }
[[nodiscard]] inline std::optional<Quotient> per_second(const std::optional<double>& value) {
  if (!value) return {};
  return Quotient{*value, Quotient::Spelling::kRate};
}
/// A time that follows from others: six digits.
[[nodiscard]] inline std::optional<Quotient> derived_seconds(const std::optional<double>& value) {
  if (!value) return {};
  return Quotient{*value, Quotient::Spelling::kRate};
}
/// Money that follows from a price: six digits.
[[nodiscard]] inline std::optional<Quotient> derived_dollars(const std::optional<double>& value) {
  return per_second(value);
}
template <class T>
[[nodiscard]] std::optional<T> only_if(bool is_there, T value) {
  if (!is_there) return {};
  return value;
}

/// What stands in a cell of a result table.
class Value {
 public:
  Value() = default;  ///< there is none
  Value(bool value) : held_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T value) : held_(static_cast<std::int64_t>(value)) {}
  Value(Picoseconds value) : held_(value) {}
  Value(Bytes value) : held_(value.count()) {}
  Value(BitsPerSecond value) : held_(value.count()) {}
  Value(std::string value) : held_(std::move(value)) {}
  Value(const char* value) : held_(std::string(value)) {}
  Value(Quotient value) : held_(value) {}
  template <class T>
  Value(const std::optional<T>& value) {
    if (value) *this = Value(*value);
  }

  /// Calls `visit` with what it holds; std::monostate: there is none.
  template <class Visit>
  decltype(auto) visit(Visit&& visit) const {
    return std::visit(std::forward<Visit>(visit), held_);
  }
  /// As a field of a CSV file: times in seconds, exact to the picosecond.
  void append_to(std::string& text) const;
  /// Adds what it is and its value. Not those of quotients: their last digits are the compiler's,
  /// and what they are made of is in the table or in another one.
  void add_to(Digest& digest) const;
  /// Times in seconds; null where there is none.
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, Picoseconds, std::string, Quotient> held_;
};

/// What the values of a column are, and so how its cells are read back.
enum class Kind : std::uint8_t {
  kText,
  kInteger,  ///< a count, bytes, or bits per second; of a flag 0 or 1
  kDecimal,  ///< a time in seconds, or a quotient
};

/// Of what a Value is made from.
template <class T>
inline constexpr Kind kKindOf =
    std::is_constructible_v<std::string, T> ? Kind::kText : Kind::kInteger;
template <>
inline constexpr Kind kKindOf<Picoseconds> = Kind::kDecimal;
template <>
inline constexpr Kind kKindOf<Quotient> = Kind::kDecimal;
template <class T>
inline constexpr Kind kKindOf<std::optional<T>> = kKindOf<T>;

/// What values hold, as they lie in memory.
enum class Held : std::uint8_t {
  kFlag,
  kInteger,
  kTime,      ///< picoseconds
  kQuotient,  ///< a double
  kText,
};

/// Of what a Value is made from.
template <class T>
inline constexpr Held kHeldOf =
    std::is_constructible_v<std::string, T> ? Held::kText : Held::kInteger;
template <>
inline constexpr Held kHeldOf<bool> = Held::kFlag;
template <>
inline constexpr Held kHeldOf<Picoseconds> = Held::kTime;
template <>
inline constexpr Held kHeldOf<Quotient> = Held::kQuotient;
template <class T>
inline constexpr Held kHeldOf<std::optional<T>> = kHeldOf<T>;

/// Whether there may be none.
template <class T>
inline constexpr bool kMayBeMissing = false;
template <class T>
inline constexpr bool kMayBeMissing<std::optional<T>> = true;

/// The unit that a name says in its last word, as `time_s`, `fct_seconds` or `queue_bytes` do:
/// `s`, `bytes`, `bytes/s`, `bit/s`, or nothing for a name, a count or a ratio.
[[nodiscard]] const char* unit_of(std::string_view name);

}  // namespace weft::scenarios
