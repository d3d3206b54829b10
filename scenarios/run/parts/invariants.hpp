#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace weft::scenarios {

/// Ends the process if there are sentences about laws that do not hold: a defect of weft, not a
/// result.
inline void require_invariants(const std::vector<std::string>& violations) {
  if (violations.empty()) return;
  for (const std::string& sentence : violations) {
    std::fprintf(stderr, "weft: broken invariant: %s\n", sentence.c_str());
  }
  std::abort();
}

}  // namespace weft::scenarios
