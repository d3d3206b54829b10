#pragma once

#include "tools/report/data/table_reader.hpp"

namespace weft::report {

/// Adds to summary.json what its percentiles are of, if the run was cut off, where weft did not
/// write it yet; and says the same of the distributions of messages.
void add_cut_off(Json& summary, Json& distributions);

}  // namespace weft::report
