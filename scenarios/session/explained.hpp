#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "scenarios/session/run_record.hpp"
#include "simcore/base/result.hpp"

/// Blame in words, of records as of folders. Errors: nobody asked the run for it.
namespace weft::scenarios {

[[nodiscard]] Result<std::string> explained(const RunRecord& record, std::size_t lines);
[[nodiscard]] Result<std::string> explained_difference(const RunRecord& first,
                                                       const RunRecord& second, std::size_t lines);
[[nodiscard]] Result<std::string> explained_folder(const std::filesystem::path& folder,
                                                   std::size_t lines);

}  // namespace weft::scenarios
