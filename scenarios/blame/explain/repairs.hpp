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

/// What mends a degradation, with its name: `replace the NIC of h3, which holds its switch paused`;
/// without a name where it has none. Empty: it is no failure.
[[nodiscard]] std::string mending_text(const std::string& without, const RunFacts& facts);

/// The one list of them: `weft explain` and pages have the same.
[[nodiscard]] std::vector<Repair> repairs_of(const RunFacts& facts);

}  // namespace weft::scenarios
