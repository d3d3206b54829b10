#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <variant>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/dcqcn/dcqcn.hpp"
#include "protocols/congestion/nscc/nscc.hpp"
#include "protocols/congestion/rccc/rccc.hpp"
#include "protocols/congestion/specs.hpp"

namespace weft::protocols::congestion {

/// The algorithms of some controls, numbered in this order.
template <CongestionControl... C>
struct ControlList {
  static constexpr std::size_t kCount = sizeof...(C);
  using Config = std::variant<typename C::Config...>;
  /// `Of<C>` of each.
  template <template <class> class Of>
  using Each = std::tuple<Of<C>...>;

  template <class Other>
  [[nodiscard]] static constexpr bool has() {
    return (std::is_same_v<C, Other> || ...);
  }
  template <std::size_t I>
  using Nth = std::tuple_element_t<I, std::tuple<C...>>;

  /// Calls `visit.template operator()<C>()` for each, in order.
  template <class Visit>
  static constexpr void for_each(Visit visit) {
    (visit.template operator()<C>(), ...);
  }
};

/// Those that packet paths are compiled with: controls that count bytes, and those whose receivers
/// grant credit, into whose states they look; and the default one, which a call per packet made 5 %
/// slower. Others are called (`control_states.cpp`), so that editing one of them recompiles no
/// path.
using PathControls = ControlList<Dcqcn, Rccc, Nscc>;

/// The number of a control in `ControlSpecs`.
template <class C, std::size_t I = 0>
[[nodiscard]] constexpr std::size_t number_of() {
  using Config = std::variant_alternative_t<I, ControlSpecs::Config>;
  if constexpr (std::is_same_v<Config, typename C::Config>) {
    return I;
  } else {
    return number_of<C, I + 1>();
  }
}

}  // namespace weft::protocols::congestion
