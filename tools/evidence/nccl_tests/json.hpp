#pragma once

#include <string_view>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/evidence/nccl_tests/tables.hpp"

namespace weft::evidence {

/// Whether a text is meant as JSON: it begins with a brace.
[[nodiscard]] bool is_json(std::string_view text);

/// The table of a file that nccl-tests wrote with `-J` (from 2.17.3 on). Errors name file and line
/// of what is cut, or of another form.
[[nodiscard]] Result<std::vector<MeasuredTable>> read_nccl_tests_json(
    const import::InputFile& file);

}  // namespace weft::evidence
