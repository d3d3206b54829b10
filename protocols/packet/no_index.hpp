#pragma once

#include <cstdint>
#include <limits>

namespace weft::protocols {

/// Stands where an index would if there were something to point at.
inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

}  // namespace weft::protocols
