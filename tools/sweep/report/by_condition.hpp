#pragma once

#include <string>

#include "tools/sweep/report/table.hpp"

namespace weft::sweep {

/// For people: what is best at each size, error rate or time of a fault, where points differ in
/// these; for nobody chooses them. Empty: they do not.
[[nodiscard]] std::string by_condition_text(const Table& table, const Objective& objective);

}  // namespace weft::sweep
