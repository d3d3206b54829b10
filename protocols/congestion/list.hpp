#pragma once

#include <cstddef>
#include <type_traits>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/cubic/cubic.hpp"
#include "protocols/congestion/dctcp/dctcp.hpp"
#include "protocols/congestion/hpcc/hpcc.hpp"
#include "protocols/congestion/new_reno/new_reno.hpp"
#include "protocols/congestion/none/no_control.hpp"
#include "protocols/congestion/path_controls.hpp"
#include "protocols/congestion/powertcp/powertcp.hpp"
#include "protocols/congestion/swift/swift.hpp"
#include "protocols/congestion/timely/timely.hpp"

namespace weft::protocols::congestion {

/// Of every specification of `specs.hpp`, in its order. `control_states.cpp` instantiates them.
using Controls =
    ControlList<NoControl, Dcqcn, Swift, Timely, Dctcp, Hpcc, PowerTcp, NewReno, Cubic, Rccc, Nscc>;
static_assert(std::is_same_v<Controls::Config, ControlSpecs::Config>);

static_assert(
    [] {
      bool holds = true;
      Controls::for_each([&]<class C>() {
        if (GrantsCredit<C> || CountsBytes<C>) holds = holds && PathControls::has<C>();
      });
      return holds;
    }(),
    "path_controls.hpp lists the controls that count bytes or grant credit");

}  // namespace weft::protocols::congestion
