#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "simcore/base/result.hpp"

namespace weft::scenarios::language {

/// Files beyond this are not scenarios; yaml-cpp takes up to a quarter of a second per MiB of
/// brackets.
inline constexpr std::size_t kMaxScenarioBytes = std::size_t{4} << 20U;
inline constexpr std::size_t kMaxCsvBytes = std::size_t{256} << 20U;

/// The path that means standard input.
inline constexpr const char* kStandardInput = "-";

/// The content of a regular file, or of standard input, of at most `limit` bytes. The error points
/// at the file.
[[nodiscard]] Result<std::string> read_text_file(const std::filesystem::path& path,
                                                 std::size_t limit);

/// What makes `text` unfit for a YAML parser, with places in `file`: bytes that are not UTF-8 text,
/// tabs that indent, brackets nested beyond reason. Found before parsing because parsers report
/// such input badly or in time that grows faster than its length.
[[nodiscard]] Errors check_text(std::string_view text, const std::string& file);

}  // namespace weft::scenarios::language
