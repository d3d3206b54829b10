#pragma once

#include <vector>

#include "scenarios/explain/blame_file.hpp"
#include "tools/report/data/table_reader.hpp"

namespace weft::report {

/// Who is to blame for the time of each job: in whole, by iteration, and in the sentences of
/// `weft explain`.
[[nodiscard]] Json blame_json(const std::vector<scenarios::BlameEntry>& blame);

}  // namespace weft::report
