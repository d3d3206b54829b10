#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/sweep/language/sweep.hpp"

namespace weft::sweep {

class Database;

/// Makes the tables of a sweep; tools/sweep/REFERENCE.md describes them.
[[nodiscard]] std::string schema_sql();

/// Makes the tables of `version`, an earlier one, those of today. What was recorded stays.
[[nodiscard]] std::string migration_sql(std::int64_t version);

/// Makes the view `result`: a row per point, a column per parameter and objective.
[[nodiscard]] std::string view_sql(const Sweep& sweep);

/// What the database computes instead of holding it, in words; empty: nothing. Somebody else may
/// have made it. Triggers count where it is to be written.
[[nodiscard]] std::string foreign_entry(Database& database, bool is_to_be_written);

/// The rows of table `sweep`.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> description_rows(const Sweep& sweep);

}  // namespace weft::sweep
