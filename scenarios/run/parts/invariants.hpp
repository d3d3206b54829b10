#pragma once

#include <string>
#include <vector>

#include "simcore/base/check.hpp"

namespace weft::scenarios {

/// Throws if there are sentences about laws that do not hold: a defect of weft, not a result.
inline void require_invariants(const std::vector<std::string>& violations) {
  if (violations.empty()) return;
  std::string all;
  for (const std::string& sentence : violations) {
    all += (all.empty() ? "broken invariant: " : "; ") + sentence;
  }
  throw BrokenInvariant(all);
}

}  // namespace weft::scenarios
