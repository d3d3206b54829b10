#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/cli/collective/measured.hpp"

namespace weft::cli {

/// Whether a text is meant as JSON: it begins with a brace.
[[nodiscard]] bool is_json(std::string_view text);

/// The table of a file that nccl-tests wrote with `-J` (from 2.17.3 on). Errors name file and line:
/// what is cut, and rows that do not check against themselves.
[[nodiscard]] Result<std::vector<MeasuredTable>> parse_nccl_tests_json(std::string_view text,
                                                                       const std::string& file);

}  // namespace weft::cli
