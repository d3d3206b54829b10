#pragma once

#include <cstdint>
#include <vector>

#include "simcore/base/random.hpp"

namespace weft::collectives {

/// `count` different numbers below `n` (count <= n), any as likely, ascending. Draws from `counter`
/// on, as many as it takes: a few times min(count, n - count) on average.
[[nodiscard]] std::vector<std::uint32_t> draw_members(std::uint32_t count, std::uint32_t n,
                                                      const RandomStream& random,
                                                      std::uint64_t counter);

}  // namespace weft::collectives
