#pragma once

#include <cstddef>
#include <filesystem>

#include "tools/report/json.hpp"

namespace weft::report {

/// What ranks did when, from the file that `--timeline` writes, or from timeline.json: tracks with
/// at most `max` slices together. Where there are more, short ones side by side become one of each
/// kind, as long as these are together, that says how many it stands for; a quarter is kept for
/// critical paths. Of the arrows of messages the longest are kept. Memory is in proportion to
/// `max` and to what is under way. Empty without such a file.
[[nodiscard]] Json timeline_json(const std::filesystem::path& folder, std::size_t max);

}  // namespace weft::report
