#pragma once

#include <string>
#include <vector>

#include "scenarios/explain/blame_file.hpp"

namespace weft::cli {

/// `weft explain --verify`: runs the scenario of a folder again without each of the worst causes
/// that can be taken out, at most `most` of them, and says what that saves beside what they are
/// blamed for. Returns the exit code.
[[nodiscard]] int verify_blame(const std::string& folder,
                               const std::vector<scenarios::BlameEntry>& blame, std::size_t most);

}  // namespace weft::cli
