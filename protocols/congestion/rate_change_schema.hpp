#pragma once

#include <vector>

#include "protocols/congestion/control.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {

/// The values of `rate_change`, the key that controls which pace by a rate have in common.
[[nodiscard]] inline std::vector<schema::Enumerator<RateChange>> rate_changes() {
  return {{RateChange::kNextPacket, "next-packet", "it keeps its time"},
          {RateChange::kWaitingPacket, "waiting-packet",
           "it moves by the difference of a packet's times at both rates"}};
}
inline constexpr const char* kRateChangeDoc =
    "what a change of the rate does to the packet that waits for its time";

}  // namespace weft::protocols::congestion
