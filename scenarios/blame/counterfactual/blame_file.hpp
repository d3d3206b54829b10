#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// A row of blame.csv.
struct BlameEntry {
  std::string job;
  std::uint32_t iteration = 0;
  std::string cause;
  std::string culprit_kind;
  std::string culprit;
  std::string port;  ///< empty: at none
  Picoseconds time;
};

/// The blame.csv of a folder that `weft run` wrote. Errors name the file and the line, or the
/// command that writes one.
[[nodiscard]] Result<std::vector<BlameEntry>> read_blame(const std::filesystem::path& folder);

/// What the run in such a folder warned of, such as hashes that polarise; empty if its summary
/// cannot be read.
[[nodiscard]] std::vector<std::string> read_warnings(const std::filesystem::path& folder);

}  // namespace weft::scenarios
