#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "simcore/schema/schema.hpp"

/// How members of plain structs become fields of their description.
namespace weft::schema {

/// Largest quantity that a scenario may state, so that sums of a few cannot overflow.
inline constexpr std::int64_t kMaxQuantity = std::numeric_limits<std::int64_t>::max() / 4;

template <class T>
struct OptionalTraits {
  using Value = T;
  static constexpr bool kIsOptional = false;
};
template <class T>
struct OptionalTraits<std::optional<T>> {
  using Value = T;
  static constexpr bool kIsOptional = true;
};

template <class T>
concept IsQuantity = requires(T q) {
  { q.count() } -> std::same_as<std::int64_t>;
};

/// One value of an enumeration, and how it is spelled.
template <class E>
struct Enumerator {
  E value;
  std::string spelling;
  std::string doc;
};

/// One value of an enumeration that stands for many values of the struct T around it: `apply` sets
/// all of them.
template <class T, class E>
struct Preset {
  E value;
  std::string name;
  std::string source;
  std::function<void(T&)> apply;
};

/// How a value of type V travels through a Scalar.
template <class V>
struct ScalarTraits {
  static Scalar pack(const V& value) {
    if constexpr (IsQuantity<V>) {
      return value.count();
    } else if constexpr (std::unsigned_integral<V> && !std::same_as<V, bool>) {
      return static_cast<std::uint64_t>(value);
    } else {
      return value;
    }
  }
  static V unpack(const Scalar& scalar) {
    if constexpr (IsQuantity<V>) {
      return V(std::get<std::int64_t>(scalar));
    } else if constexpr (std::unsigned_integral<V> && !std::same_as<V, bool>) {
      return static_cast<V>(std::get<std::uint64_t>(scalar));
    } else {
      return std::get<V>(scalar);
    }
  }
};

/// Members are reached through a mutable reference; nothing is written through this one.
template <class T, class Access>
const auto& read_member(const Access& access, const void* owner) {
  return std::invoke(access, *static_cast<T*>(const_cast<void*>(owner)));
}

/// Reads and writes a member of a T that travels as one Scalar, or a std::optional of one.
template <class T, class Member, class Access>
void bind_scalar(Field& f, Access access) {
  using Traits = OptionalTraits<Member>;
  using Value = typename Traits::Value;
  f.get = [access](const void* owner) -> std::optional<Scalar> {
    const Member& member = read_member<T>(access, owner);
    if constexpr (Traits::kIsOptional) {
      if (!member) return std::nullopt;
      return ScalarTraits<Value>::pack(*member);
    } else {
      return ScalarTraits<Value>::pack(member);
    }
  };
  f.set = [access](void* owner, const std::optional<Scalar>& value) {
    Member& member = std::invoke(access, *static_cast<T*>(owner));
    if (value) {
      member = ScalarTraits<Value>::unpack(*value);
    } else if constexpr (Traits::kIsOptional) {
      member.reset();
    }
  };
}

/// A choice of a T travels as the index of its value.
template <class T, class E, class Access>
void bind_choice(Field& f, Access access, std::vector<E> values) {
  static_assert(std::is_enum_v<typename OptionalTraits<E>::Value>);
  f.get = [access, values](const void* owner) -> std::optional<Scalar> {
    const auto found = std::ranges::find(values, read_member<T>(access, owner));
    assert(found != values.end());
    return std::int64_t{found - values.begin()};
  };
  f.set = [access, values](void* owner, const std::optional<Scalar>& value) {
    std::invoke(access, *static_cast<T*>(owner)) =
        values[static_cast<std::size_t>(std::get<std::int64_t>(*value))];
  };
}

/// The kind of a field whose values are of this type, with the widest limits.
template <class Value>
void set_kind(Field& f) {
  if constexpr (IsQuantity<Value>) {
    f.kind = Kind::kQuantity;
    f.dimension = &dimension_of<Value>();
    f.maximum = kMaxQuantity;
  } else if constexpr (std::same_as<Value, double>) {
    f.kind = Kind::kFraction;
  } else if constexpr (std::same_as<Value, bool>) {
    f.kind = Kind::kBoolean;
  } else if constexpr (std::same_as<Value, std::string>) {
    f.kind = Kind::kText;
  } else {
    static_assert(std::unsigned_integral<Value>);
    f.kind = Kind::kInteger;
    f.integer_maximum = std::numeric_limits<Value>::max();
  }
}

}  // namespace weft::schema
