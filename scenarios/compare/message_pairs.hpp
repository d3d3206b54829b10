#pragma once

#include <cstddef>

#include "scenarios/compare/comparison.hpp"

namespace weft::scenarios {

/// Finds the messages that both runs completed, and names at most `limit` that differ most.
void pair_messages(const RunFolder& first, const RunFolder& second, std::size_t limit,
                   Comparison& comparison);

}  // namespace weft::scenarios
