#include "tools/import/switches/json_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::import {
namespace {

bool is_json_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_json_digit(char c) { return '0' <= c && c <= '9'; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto add = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0U | (code >> 6U));
    add(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    add(0xE0U | (code >> 12U));
    add(0x80U | ((code >> 6U) & 0x3FU));
    add(0x80U | (code & 0x3FU));
  } else {
    add(0xF0U | (code >> 18U));
    add(0x80U | ((code >> 12U) & 0x3FU));
    add(0x80U | ((code >> 6U) & 0x3FU));
    add(0x80U | (code & 0x3FU));
  }
}

/// Recursive descent; the depth is bounded, so the stack is.
class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  std::optional<JsonValue> parse() {
    JsonValue value;
    pass_blanks();
    if (!read_value(value, 0)) return std::nullopt;
    pass_blanks();
    if (at_ < text_.size()) {
      fail("the text ends before this; is it two files in one?");
      return std::nullopt;
    }
    return value;
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::size_t problem_offset() const { return problem_offset_; }

 private:
  bool fail_at(std::size_t offset, std::string problem) {
    problem_ = std::move(problem);
    problem_offset_ = offset;
    return false;
  }
  bool fail(std::string problem) { return fail_at(at_, std::move(problem)); }
  bool expected(std::string_view what) {
    if (at_ >= text_.size()) {
      return fail(
          fmt::format("the file ends here, {} is expected: it was cut; copy it again", what));
    }
    return fail(fmt::format("{} is expected, found {}", what, backquoted(text_.substr(at_, 1))));
  }
  void pass_blanks() {
    while (at_ < text_.size() && is_json_blank(text_[at_])) ++at_;
  }
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool read_value(JsonValue& value, int depth) {
    value.offset = at_;
    if (depth > kMaxJsonDepth) {
      return fail(
          fmt::format("nested deeper than {} levels, which no such file is", kMaxJsonDepth));
    }
    if (++values_ > kMaxJsonValues) {
      return fail(fmt::format("more than {} values, which no such file has", kMaxJsonValues));
    }
    switch (next()) {
      case '{':
        return read_object(value, depth);
      case '[':
        return read_array(value, depth);
      case '"':
        value.kind = JsonValue::Kind::kString;
        return read_string(value.text);
      default:
        return read_plain(value);
    }
  }

  bool read_object(JsonValue& value, int depth) {
    value.kind = JsonValue::Kind::kObject;
    ++at_;
    pass_blanks();
    if (next() == '}') return ++at_, true;
    while (true) {
      pass_blanks();
      JsonMember member{.key = {}, .key_offset = at_, .value = {}};
      if (next() == '}') return fail("a key is expected, found `}`: remove the comma before it");
      if (next() != '"') return expected("a key in quotes");
      if (!read_string(member.key)) return false;
      pass_blanks();
      if (next() != ':') return expected("`:`");
      ++at_;
      pass_blanks();
      if (!read_value(member.value, depth + 1)) return false;
      value.members.push_back(std::move(member));
      pass_blanks();
      if (next() == '}') break;
      if (next() != ',') return expected("`,` or `}`");
      ++at_;
    }
    ++at_;
    return each_key_once(value);
  }

  bool each_key_once(const JsonValue& object) {
    std::vector<const JsonMember*> sorted;
    for (const JsonMember& member : object.members) sorted.push_back(&member);
    std::ranges::stable_sort(sorted, {},
                             [](const JsonMember* m) { return std::string_view(m->key); });
    const auto twice = std::ranges::adjacent_find(
        sorted, [](const JsonMember* a, const JsonMember* b) { return a->key == b->key; });
    if (twice == sorted.end()) return true;
    return fail_at((*std::next(twice))->key_offset,
                   fmt::format("the key {} stands twice in one object: which value counts?",
                               backquoted((*twice)->key)));
  }

  bool read_array(JsonValue& value, int depth) {
    value.kind = JsonValue::Kind::kArray;
    ++at_;
    pass_blanks();
    if (next() == ']') return ++at_, true;
    while (true) {
      pass_blanks();
      if (next() == ']') return fail("a value is expected, found `]`: remove the comma before it");
      value.items.emplace_back();
      if (!read_value(value.items.back(), depth + 1)) return false;
      pass_blanks();
      if (next() == ']') return ++at_, true;
      if (next() != ',') return expected("`,` or `]`");
      ++at_;
    }
  }

  bool read_string(std::string& out) {
    const std::size_t begin = at_++;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') return ++at_, true;
      if (c == '\\') {
        if (!read_escape(out)) return false;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        return fail_at(c == '\n' ? begin : at_, c == '\n' ? "this text has no closing quote"
                                                          : "a control character inside of a text");
      } else {
        const std::size_t bytes = utf8_length(text_, at_);
        if (bytes == 0) return fail("a byte that is not UTF-8");
        out.append(text_.substr(at_, bytes));
        at_ += bytes;
      }
    }
    return fail("the file ends inside of a text: it was cut; copy it again");
  }

  bool read_escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    ++at_;
    if (const std::size_t found = kLetters.find(next());
        at_ < text_.size() && found != std::string_view::npos) {
      out.push_back(kMeanings[found]);
      ++at_;
      return true;
    }
    if (next() != 'u') return fail("an escape that JSON does not have");
    std::uint32_t code = 0;
    if (!read_hex(code)) return false;
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      std::uint32_t low = 0;
      ++at_;
      if (!read_hex(low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return fail("half of a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    } else if (code >= 0xD800 && code <= 0xDFFF) {
      return fail("half of a surrogate pair");
    }
    append_utf8(out, code);
    return true;
  }

  /// At the `u` of an escape.
  bool read_hex(std::uint32_t& code) {
    ++at_;
    for (int i = 0; i < 4; ++i, ++at_) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const char c = next();
      const std::size_t digit = kHex.find('A' <= c && c <= 'F' ? static_cast<char>(c + 32) : c);
      if (at_ >= text_.size() || digit == std::string_view::npos) {
        return expected("four hexadecimal digits");
      }
      code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  bool read_plain(JsonValue& value) {
    for (const auto& [word, kind] : {std::pair{"true", JsonValue::Kind::kBoolean},
                                     std::pair{"false", JsonValue::Kind::kBoolean},
                                     std::pair{"null", JsonValue::Kind::kNull}}) {
      if (text_.substr(at_).starts_with(word)) {
        value.kind = kind;
        value.text = word;
        at_ += value.text.size();
        return true;
      }
    }
    return read_number(value);
  }

  bool read_number(JsonValue& value) {
    const std::size_t begin = at_;
    const auto digits = [this] {
      const std::size_t from = at_;
      while (is_json_digit(next())) ++at_;
      return at_ > from;
    };
    if (next() == '-') ++at_;
    const std::size_t first = at_;
    if (!digits()) return expected("a value");
    if (text_[first] == '0' && at_ > first + 1)
      return fail_at(begin, "a number that begins with 0");
    if (next() == '.') {
      ++at_;
      if (!digits()) return expected("a digit");
    }
    if (next() == 'e' || next() == 'E') {
      ++at_;
      if (next() == '+' || next() == '-') ++at_;
      if (!digits()) return expected("a digit");
    }
    value.kind = JsonValue::Kind::kNumber;
    value.text = std::string(text_.substr(begin, at_ - begin));
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  std::string problem_;
  std::size_t problem_offset_ = 0;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  const auto found = std::ranges::find(members, key, &JsonMember::key);
  return found == members.end() ? nullptr : &found->value;
}

LineStarts::LineStarts(std::string_view text) {
  starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts_.push_back(i + 1);
  }
}

void LineStarts::locate(std::size_t offset, SourceLocation& where) const {
  const auto after = std::ranges::upper_bound(starts_, offset);
  where.line = static_cast<int>(after - starts_.begin());
  where.column = static_cast<int>(offset - *std::prev(after)) + 1;
}

Result<JsonValue> parse_json(const InputFile& file) {
  JsonParser parser(file.text());
  if (std::optional<JsonValue> value = parser.parse()) return *std::move(value);
  return Error{.message = "is no JSON: " + parser.problem(),
               .where = file.at(parser.problem_offset())};
}

}  // namespace weft::import
