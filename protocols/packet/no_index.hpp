#pragma once

#include <cstdint>
#include <limits>

namespace weft::protocols {

/// In place of an index: there is none.
inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

}  // namespace weft::protocols
