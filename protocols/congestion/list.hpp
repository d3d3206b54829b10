#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/cubic/cubic.hpp"
#include "protocols/congestion/dcqcn/dcqcn.hpp"
#include "protocols/congestion/dctcp/dctcp.hpp"
#include "protocols/congestion/hpcc/hpcc.hpp"
#include "protocols/congestion/new_reno/new_reno.hpp"
#include "protocols/congestion/none/no_control.hpp"
#include "protocols/congestion/nscc/nscc.hpp"
#include "protocols/congestion/powertcp/powertcp.hpp"
#include "protocols/congestion/rccc/rccc.hpp"
#include "protocols/congestion/specs.hpp"
#include "protocols/congestion/swift/swift.hpp"
#include "protocols/congestion/timely/timely.hpp"

namespace weft::protocols::congestion {

/// The algorithms of some controls, numbered in this order.
template <CongestionControl... C>
struct ControlList {
  static constexpr std::size_t kCount = sizeof...(C);
  using Config = std::variant<typename C::Config...>;
  /// `Of<C>` of each.
  template <template <class> class Of>
  using Each = std::tuple<Of<C>...>;

  /// Calls `visit.template operator()<C>()` for each, in order.
  template <class Visit>
  static void for_each(Visit visit) {
    (visit.template operator()<C>(), ...);
  }
};

/// Of every specification of `specs.hpp`, in its order. The engine instantiates them.
using Controls =
    ControlList<NoControl, Dcqcn, Swift, Timely, Dctcp, Hpcc, PowerTcp, NewReno, Cubic, Rccc, Nscc>;
static_assert(std::is_same_v<Controls::Config, ControlSpecs::Config>);

}  // namespace weft::protocols::congestion
