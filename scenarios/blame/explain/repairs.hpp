#pragma once

#include <string>
#include <vector>

#include "scenarios/blame/explain/run_facts.hpp"

namespace weft::scenarios {

/// What is to be mended though it may cost no job time, and so have no blame: failures that cost
/// packets, and late ranks that zero-load times have in them.
struct Repair {
  std::string without;  ///< one of kDegradations
  std::string advice;
  std::string because;
};

/// The one list of them: `weft explain` and pages have the same.
[[nodiscard]] std::vector<Repair> repairs_of(const RunFacts& facts);

}  // namespace weft::scenarios
