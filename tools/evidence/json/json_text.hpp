#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "simcore/base/result.hpp"
#include "tools/import/source/input_file.hpp"

namespace weft::evidence {

using nlohmann::json;

/// Deeper nesting has no log; of it parsers and their data run out of stack and memory.
inline constexpr std::size_t kMaxJsonDepth = 64;
/// Larger files are read without holding all of them as a tree, or not at all.
inline constexpr std::size_t kMaxJsonTree = std::size_t{64} << 20U;

/// The tree of a whole file, after its depth and size were checked. Errors name line and column.
[[nodiscard]] Result<json> parse_json(const import::InputFile& file);

/// The tree of one line of a file that has an object on each; nothing: the problem says why.
[[nodiscard]] std::optional<json> parse_json_line(std::string_view line, std::string& problem);

/// A parser's complaint without its own name and number: `unexpected end of input`.
[[nodiscard]] std::string json_problem(std::string_view what);

/// Whether a text begins with a brace or a bracket.
[[nodiscard]] bool begins_as_json(std::string_view text);

/// The member as a text, a whole number or a number; empty or zero where it is missing or of
/// another kind.
[[nodiscard]] std::string json_text(const json& object, std::string_view key);
[[nodiscard]] std::int64_t json_whole(const json& object, std::string_view key);
[[nodiscard]] double json_number(const json& object, std::string_view key);

}  // namespace weft::evidence
