#pragma once

#include <string>
#include <vector>

namespace weft::testing {

/// The words of scenario and sweep files.
struct Dictionary {
  std::vector<std::string> keys;
  std::vector<std::string> values;  ///< choices, parts, numbers with units, and what no key takes
  std::vector<std::string> paths;   ///< `fabric.ecn.kmin`, `jobs[0].size`
};

[[nodiscard]] const Dictionary& dictionary();

}  // namespace weft::testing
