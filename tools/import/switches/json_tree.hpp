#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/import/source/input_file.hpp"

namespace weft::import {

struct JsonMember;

/// A value of a JSON text (RFC 8259), with its place. Numbers stay as they are written, so that no
/// digit of them is lost.
struct JsonValue {
  enum class Kind : std::uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::string text;  ///< of strings, decoded; of numbers and booleans, as written
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;  ///< in the order of the file, each key once
  std::size_t offset = 0;           ///< of its first byte

  [[nodiscard]] bool is_object() const { return kind == Kind::kObject; }
  /// Null: it has no such member.
  [[nodiscard]] const JsonValue* find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  std::size_t key_offset = 0;
  JsonValue value;
};

/// Places of bytes, in logarithmic time.
class LineStarts {
 public:
  explicit LineStarts(std::string_view text);
  void locate(std::size_t offset, SourceLocation& where) const;

 private:
  std::vector<std::size_t> starts_;
};

/// Deeper texts, and those of more values, are refused: no file of a switch is like that, and they
/// would take all memory.
inline constexpr int kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonValues = 500'000;

/// The errors name line and column. A key that stands twice in an object is one: which of its
/// values counts differs from program to program.
[[nodiscard]] Result<JsonValue> parse_json(const InputFile& file);

}  // namespace weft::import
