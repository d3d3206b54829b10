#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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

/// The comment at the end of a line, without its `#` and blanks; empty: there is none. A `#` within
/// quotes begins none.
[[nodiscard]] std::string comment_of_line(std::string_view text, int line);

/// How the first line of a resolved scenario begins.
inline constexpr std::string_view kResolvedHeader = "# Resolved by weft ";

/// What the comment of a line says of defaults.
struct DefaultLine {
  std::string source;             ///< where the value comes from; may be empty
  std::vector<std::string> keys;  ///< of an element in one line: those that are defaults
};

/// Of a resolved scenario, by line: the defaults that it writes out. Empty for other texts.
using DefaultLines = std::map<int, DefaultLine>;
[[nodiscard]] DefaultLines default_lines(std::string_view text);

}  // namespace weft::scenarios::language
