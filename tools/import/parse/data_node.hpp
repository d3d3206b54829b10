#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/source/input_file.hpp"

namespace weft::import {

/// A value of a JSON or YAML text, with its place.
struct DataNode {
  enum class Kind : unsigned char { kNull, kBool, kNumber, kText, kList, kMap };

  Kind kind = Kind::kNull;
  std::string text{};             ///< a scalar as it is written, without quotes
  std::vector<DataNode> items{};  ///< of a list; values of a map
  std::vector<std::string> keys{};
  int line = 0;
  int column = 0;

  [[nodiscard]] bool is_map() const { return kind == Kind::kMap; }
  [[nodiscard]] bool is_list() const { return kind == Kind::kList; }
  [[nodiscard]] bool is_scalar() const { return !is_map() && !is_list() && kind != Kind::kNull; }
  /// The value of a key; null: it is not there, or this is no map.
  [[nodiscard]] const DataNode* find(std::string_view key) const;
  /// The scalar of a key; nothing: it is not there, or no scalar.
  [[nodiscard]] std::optional<std::string_view> scalar(std::string_view key) const;
  [[nodiscard]] SourceLocation where(const InputFile& file, std::string key = {}) const;
};

/// Values of one text; far above what describes 10,000 servers, and a few GiB at most.
inline constexpr std::size_t kMaxDataNodes = 4'000'000;
inline constexpr std::size_t kMaxDataDepth = 64;

/// The first error says where the text ends being JSON: too deep, cut, a key twice.
[[nodiscard]] Result<DataNode> parse_json_text(const InputFile& file);

/// One YAML document. Anchors, aliases and tags are refused: they stand for values elsewhere.
[[nodiscard]] Result<DataNode> parse_yaml_text(const InputFile& file);

/// Whether a text may be JSON: it begins with `{` or `[`.
[[nodiscard]] bool looks_like_json(const InputFile& file);

}  // namespace weft::import
