#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "protocols/packet/ids.hpp"
#include "simcore/base/units.hpp"

/// What each field of the state is for, declared once, beside the field. Snapshots, the skipping of
/// steady states, the reset of statistics, the audit and the count of memory follow from that.
///
/// A struct of the state has a member `fields(f)`, which names every field with its role, in any
/// order; `visit_fields` checks that none is missing. The roles are the functions of `Fields`.
/// Whoever visits a state defines functions of these names for the roles that concern it.
namespace weft::protocols {

/// Why a field differs only where others do, while everything recurs.
namespace implied_by {
inline constexpr auto kPackets = "where each packet is, and when ports are free, implies it";
inline constexpr auto kCredits = "credits are conserved: packets, ports and events imply it";
inline constexpr auto kMessages = "no message begins or ends within a recurrence";
inline constexpr auto kNoLoss = "no packet is lost where anything recurs";
}  // namespace implied_by

namespace field_count_detail {
/// Stands for a value of any field.
struct Anything {
  template <class T>
  constexpr operator T() const;  // NOLINT(google-explicit-constructor): an initializer of anything
};
template <class Struct, std::size_t... I>
constexpr bool takes(std::index_sequence<I...> /*count*/) {
  return requires { Struct{(static_cast<void>(I), Anything{})...}; };
}
/// The largest number of initializers: with fewer, some field may lack one that it needs.
template <class Struct, std::size_t AtMost = 64>
constexpr std::size_t count() {
  if constexpr (takes<Struct>(std::make_index_sequence<AtMost>{})) {
    return AtMost;
  } else {
    return count<Struct, AtMost - 1>();
  }
}
}  // namespace field_count_detail

/// The fields of an aggregate; a base class counts as one.
template <class Struct>
inline constexpr std::size_t kFieldCount = field_count_detail::count<Struct>();

/// What a number says: quantities and ids by their values, flags as 0 and 1.
template <class Value>
[[nodiscard]] constexpr std::uint64_t field_word(const Value& value) {
  if constexpr (requires { value.count(); }) {
    return static_cast<std::uint64_t>(value.count());
  } else if constexpr (requires { value.value(); }) {
    return static_cast<std::uint64_t>(value.value());
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

/// The declaration of the fields of `Struct`, `Number` of which have been named, for the visitor
/// `V`. Each role but `derived` and `constant` calls what `V` has for it, if anything.
template <class Struct, class V, std::size_t Number = 0, bool IsImplied = false>
class Fields {
 public:
  explicit Fields(V& visitor) : v_(visitor) {}

  /// Decides what follows, as it is.
  template <class T>
  auto same(const T& field) {
    return same_by(field, field_word(field));
  }
  /// Matters by `value` alone, which follows from it and others.
  template <class T>
  auto same_by(const T& /*field*/, std::uint64_t value) {
    if constexpr (requires { v_.same(value); }) {
      if (begin()) v_.same(value);
    }
    return next();
  }
  /// The next field is compared, but differs only where what `why` says does.
  auto implied(const char* /*why*/) { return Fields<Struct, V, Number, true>(v_); }
  /// An amount that is held: decides what follows, is never negative, and nothing once all is over.
  template <class T>
  auto account(const T& field) {
    if constexpr (requires { v_.account(field); }) v_.account(field);
    return same(field);
  }
  /// A time, which matters by its distance from now.
  auto time(Picoseconds& field) {
    if constexpr (requires { v_.time(field); }) {
      if (begin()) v_.time(field);
    }
    return next();
  }
  /// The same while `is_meant`; else it means nothing.
  auto time_if(Picoseconds& field, bool is_meant) {
    if constexpr (requires { v_.time(field); }) {
      if (begin() && is_meant) v_.time(field);
    }
    return next();
  }
  /// A time that does not matter any more once it is past.
  auto future_time_or_past(Picoseconds& field) {
    if constexpr (requires { v_.future_time_or_past(field); }) {
      if (begin()) v_.future_time_or_past(field);
    }
    return next();
  }
  /// The time up to which something was counted: decides nothing, and must not be left behind.
  auto counted_until(Picoseconds& field) {
    if constexpr (requires { v_.translate_only(field); }) v_.translate_only(field);
    return next();
  }
  /// A packet's number on a queue pair.
  auto sequence(std::uint32_t& field, QueuePairId qp) {
    if constexpr (requires { v_.sequence(field, qp); }) {
      if (begin()) v_.sequence(field, qp);
    }
    return next();
  }
  /// Whatever `visit(visitor)` makes of it.
  template <class T, class Visit>
  auto visited(const T& /*field*/, Visit visit) {
    if (begin()) visit(v_);
    return next();
  }
  /// Counted from the beginning of the measurement; grows by as much in each recurrence.
  template <class T>
  auto counter(T& field) {
    if constexpr (requires { v_.counter(field); }) v_.counter(field);
    return next();
  }
  /// Counted from the beginning of the run, since its value numbers things.
  template <class T>
  auto ordinal(T& field) {
    if constexpr (requires { v_.ordinal(field); }) v_.ordinal(field);
    return next();
  }
  /// The largest that something was since the measurement began; at present it is `now`.
  template <class T>
  auto peak(T& field, const T& now) {
    if constexpr (requires { v_.peak(field, now); }) v_.peak(field, now);
    return next();
  }
  /// What an ordinal was when the measurement began.
  template <class T>
  auto base_of(T& field, const T& ordinal) {
    return peak(field, ordinal);
  }
  /// A log of what happened since the measurement began.
  template <class T>
  auto log(T& field) {
    if constexpr (requires { v_.log(field); }) v_.log(field);
    return next();
  }
  /// How far an acknowledged message is: snapshots check that apart (StateSnapshot::Progress).
  template <class T>
  auto progress(const T& /*field*/) {
    return next();
  }
  /// Changes only where a message begins or ends, which no recurrence passes over.
  template <class T>
  auto of_message(const T& /*field*/) {
    return next();
  }
  /// Does not change while anything can recur.
  template <class T>
  auto constant(const T& /*field*/) {
    return next();
  }
  /// Decides nothing, because of what `why` says.
  template <class T>
  auto derived(const T& /*field*/, const char* /*why*/) {
    return next();
  }

 private:
  /// Whether the visitor wants this field: one that tells fields apart is told which it is.
  [[nodiscard]] bool begin() {
    if constexpr (requires { v_.template wants<Struct>(Number, IsImplied); }) {
      return v_.template wants<Struct>(Number, IsImplied);
    } else {
      return true;
    }
  }
  auto next() { return Fields<Struct, V, Number + 1>(v_); }

  V& v_;
};

/// For structs whose fields are visited with others: here they are not.
inline constexpr auto kVisitsNothing = [](auto& /*visitor*/) {};

/// `fields`: a declaration that has named its fields. Does not compile where one is missing.
template <class Struct, class V, std::size_t Named>
void require_all(const Fields<Struct, V, Named, false>& /*fields*/) {
  static_assert(Named == kFieldCount<Struct>, "a field has no role");
}

/// Visits every field of a struct of the state.
template <class Struct, class V, class... Context>
void visit_fields(Struct& state, V& visitor, const Context&... context) {
  require_all(state.Struct::fields(Fields<Struct, V>(visitor), context...));
}

}  // namespace weft::protocols
