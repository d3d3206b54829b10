#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weft::scenarios {

/// The name of this release for a result that the release before may have named otherwise: a
/// column, or a path of keys of summary.json as in `reuse.leaps`. Every reader of result folders
/// and of databases of sweeps asks here, so that it needs to know current names only.
[[nodiscard]] std::string current_result_name(std::string name);

/// Renames the keys of summary.json in the same way. Their order stays.
void rename_former_results(nlohmann::ordered_json& summary);

/// What to tell a user who asks for a result by its former name; empty: the name is current.
[[nodiscard]] std::string former_result_warning(const std::string& name);

}  // namespace weft::scenarios
