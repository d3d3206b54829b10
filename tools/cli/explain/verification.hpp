#pragma once

#include <string>
#include <vector>

#include "scenarios/blame/explain/blame_file.hpp"
#include "scenarios/blame/explain/slow_links.hpp"

namespace weft::cli {

/// `weft explain --verify`: runs the scenario of a folder again without its slow links, if it has
/// any, and without each of the worst causes that can be taken out, at most `max` of them, and
/// says what that saves beside what they are blamed for, and why it does not. Returns the exit
/// code.
[[nodiscard]] int verify_blame(const std::string& folder,
                               const std::vector<scenarios::BlameEntry>& blame,
                               const std::vector<scenarios::SlowLink>& slow_links, std::size_t max);

}  // namespace weft::cli
