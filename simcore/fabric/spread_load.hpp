#pragma once

#include <optional>
#include <span>

#include "simcore/fabric/zero_load.hpp"

namespace weft {

/// The zero-load time of a message whose packets take parallel links in turn, stage by stage.
/// Nothing if the window makes the sender wait. A lower bound where a short last packet could meet
/// others before the last step.
///
/// Takes time for some packets per link, not for every packet: from then on, the times of packets
/// repeat with a period.
[[nodiscard]] std::optional<ZeroLoad> spread_load(Bytes size, const Framing& framing,
                                                  std::span<const PathHop> forward,
                                                  std::span<const PathHop> reverse);

}  // namespace weft
