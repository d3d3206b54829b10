#pragma once

#include <cstdint>
#include <limits>

namespace weft::collectives {

/// `Execution::in_flight`: as many messages as a buffer of the protocol holds.
inline constexpr std::uint32_t kAsBuffer = std::numeric_limits<std::uint32_t>::max();

}  // namespace weft::collectives
