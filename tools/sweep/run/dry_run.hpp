#pragma once

#include <cstddef>
#include <functional>

#include "tools/sweep/language/sweep.hpp"
#include "tools/sweep/plan/points.hpp"

namespace weft::sweep {

/// Lists the points of a sweep on standard output, and how long they will take with that many
/// processes: a few of them are run to find out. Writes no files.
void dry_run(const Sweep& sweep, const Plan& plan, std::size_t processes,
             const std::function<bool()>& is_interrupted);

}  // namespace weft::sweep
