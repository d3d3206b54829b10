#pragma once

#include <string>
#include <vector>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/blame/explain/run_facts.hpp"
#include "tools/report/data/table_reader.hpp"

namespace weft::report {

/// Who is to blame for the time of each job: in whole, by iteration, and in the sentences of
/// `weft explain`; with its advice, which is all that the page has.
[[nodiscard]] Json blame_json(const std::vector<scenarios::BlameEntry>& blame,
                              const scenarios::RunFacts& facts = {});

/// In the sentences of `weft explain A B`: how much longer a run took than another, and through
/// whom.
[[nodiscard]] std::string blame_difference(const std::vector<scenarios::BlameEntry>& first,
                                           const std::vector<scenarios::BlameEntry>& second);

}  // namespace weft::report
