#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

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
  const char* spelling;
  const char* doc;
};

/// One value of an enumeration that stands for many values of the struct T around it: `apply(T&)`
/// sets all of them.
template <class T, class E>
struct Preset {
  template <class Apply>
  Preset(E stands_for, std::string_view spelling, std::string_view from, Apply change)
      : value(stands_for),
        name(spelling),
        source(from),
        apply([change](void* owner) { change(*static_cast<T*>(owner)); }) {}

  E value;
  std::string name;
  std::string source;
  Callback<void(void*)> apply;
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

/// Of an enumerator, or of a std::optional of one: nothing where it is absent.
template <class E>
[[nodiscard]] std::optional<std::int64_t> number_of(const E& enumerator) {
  static_assert(std::is_enum_v<typename OptionalTraits<E>::Value>);
  if constexpr (OptionalTraits<E>::kIsOptional) {
    if (!enumerator) return std::nullopt;
    return static_cast<std::int64_t>(*enumerator);
  } else {
    return static_cast<std::int64_t>(enumerator);
  }
}

/// Members are reached through a mutable reference; nothing is written through this one.
template <class T, class Access>
const auto& read_member(const Access& access, const void* owner) {
  return std::invoke(access, *static_cast<T*>(const_cast<void*>(owner)));
}

/// From a T to the member behind `access`.
template <class T, class Access>
[[nodiscard]] Callback<void*(void*)> path_to_member(Access access) {
  return [access](void* owner) -> void* { return &std::invoke(access, *static_cast<T*>(owner)); };
}

/// Members of this type that travel as one Scalar, or a std::optional of one.
template <class Member>
inline constexpr MemberAccess kScalarAccess{
    .get = [](const void* from) -> std::optional<Scalar> {
      using Traits = OptionalTraits<Member>;
      const Member& member = *static_cast<const Member*>(from);
      if constexpr (Traits::kIsOptional) {
        if (!member) return std::nullopt;
        return ScalarTraits<typename Traits::Value>::pack(*member);
      } else {
        return ScalarTraits<Member>::pack(member);
      }
    },
    .set =
        [](void* to, const std::optional<Scalar>& value) {
          using Traits = OptionalTraits<Member>;
          Member& member = *static_cast<Member*>(to);
          if (value) {
            member = ScalarTraits<typename Traits::Value>::unpack(*value);
          } else if constexpr (Traits::kIsOptional) {
            member.reset();
          }
        },
};

/// Members that are enumerators, or a std::optional of one, travel as their number.
template <class Member>
inline constexpr MemberAccess kChoiceAccess{
    .get = [](const void* from) -> std::optional<Scalar> {
      const auto number = number_of(*static_cast<const Member*>(from));
      return number ? std::optional<Scalar>(*number) : std::nullopt;
    },
    .set =
        [](void* to, const std::optional<Scalar>& value) {
          Member& member = *static_cast<Member*>(to);
          if (value) {
            using Value = typename OptionalTraits<Member>::Value;
            member = static_cast<Value>(std::get<std::int64_t>(*value));
          } else if constexpr (OptionalTraits<Member>::kIsOptional) {
            member.reset();
          }
        },
};

/// Members that are structs, or a std::optional of one.
template <class Member>
inline constexpr MemberAccess kObjectAccess{
    .open = [](void* from) -> void* {
      if constexpr (OptionalTraits<Member>::kIsOptional) {
        Member& member = *static_cast<Member*>(from);
        if (!member) member = typename Member::value_type();
        return &*member;
      } else {
        return from;
      }
    },
    .view = [](const void* from) -> const void* {
      if constexpr (OptionalTraits<Member>::kIsOptional) {
        const Member& member = *static_cast<const Member*>(from);
        return member ? &*member : nullptr;
      } else {
        return from;
      }
    },
};

/// Members that are a std::vector of structs.
template <class Member>
inline constexpr MemberAccess kObjectsAccess{
    .size = [](const void* from) { return static_cast<const Member*>(from)->size(); },
    .append = [](void* from) -> void* { return &static_cast<Member*>(from)->emplace_back(); },
    .element = [](const void* from, std::size_t i) -> const void* {
      return &(*static_cast<const Member*>(from))[i];
    },
};

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
