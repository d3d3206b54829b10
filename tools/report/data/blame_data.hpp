#pragma once

#include <string>
#include <vector>

#include "scenarios/blame/explain/blame_file.hpp"
#include "scenarios/blame/explain/slow_links.hpp"
#include "tools/report/data/table_reader.hpp"

namespace weft::report {

/// Who is to blame for the time of each job: in whole, by iteration, and in the sentences of
/// `weft explain`, which know of slow links; with what to try against each cause.
[[nodiscard]] Json blame_json(const std::vector<scenarios::BlameEntry>& blame,
                              const std::vector<scenarios::SlowLink>& slow_links = {});

/// In the sentences of `weft explain A B`: how much longer a run took than another, and through
/// whom.
[[nodiscard]] std::string blame_difference(const std::vector<scenarios::BlameEntry>& first,
                                           const std::vector<scenarios::BlameEntry>& second);

}  // namespace weft::report
