#pragma once

#include <cstdint>

/// How large fabrics may be.
namespace weft {

inline constexpr std::uint64_t kMaxHosts = 262'144;
/// Ports of one switch: next hops are 16-bit numbers.
inline constexpr std::uint64_t kMaxRadix = 65'535;
/// Between two nodes, where one key says how many.
inline constexpr std::uint64_t kMaxParallelLinks = 1'024;

}  // namespace weft
