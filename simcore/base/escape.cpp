#include "simcore/base/escape.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace weft {
namespace {

/// The code point of a valid sequence of `length` bytes.
char32_t code_point(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence.front());
  if (sequence.size() == 1) return first;
  char32_t point = first & (0xFFU >> (sequence.size() + 1));
  for (const char c : sequence.substr(1))
    point = point << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return point;
}

struct Range {
  char32_t first;
  char32_t last;
};

constexpr std::array<Range, 11> kUnsafe{{
    {0x00, 0x1F},        // C0
    {0x7F, 0x9F},        // DEL, C1
    {0x061C, 0x061C},    // Arabic letter mark
    {0x200E, 0x200F},    // left-to-right and right-to-left mark
    {0x2028, 0x202E},    // line and paragraph separator, embeddings and overrides
    {0x2060, 0x206F},    // invisible operators, isolates, deprecated format characters
    {0xFDD0, 0xFDEF},    // non-characters
    {0xFEFF, 0xFEFF},    // byte-order mark
    {0xFFF9, 0xFFFB},    // interlinear annotations
    {0xFFFE, 0xFFFF},    // non-characters
    {0xE0000, 0xE007F},  // tags
}};

bool is_unsafe(char32_t point) {
  for (const Range& range : kUnsafe) {
    if (point >= range.first && point <= range.last) return true;
  }
  return point > 0xFFFF && (point & 0xFFFEU) == 0xFFFE;
}

std::string escape_of(char32_t point) {
  std::array<char, 16> text{};
  const char* format = point < 0x100 ? "\\x%02x" : point < 0x10000 ? "\\u%04x" : "\\U%08x";
  std::snprintf(text.data(), text.size(), format, static_cast<unsigned>(point));
  return text.data();
}

std::string escaped_but(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] >= 0x20 && text[i] < 0x7F) {  // most there is
      result += text[i++];
      continue;
    }
    const std::size_t length = utf8_length(text, i);
    const std::string_view sequence = text.substr(i, length == 0 ? 1 : length);
    i += sequence.size();
    if (length == 0) {
      result += escape_of(static_cast<unsigned char>(sequence.front()));
      continue;
    }
    const char32_t point = code_point(sequence);
    const bool is_kept = length == 1 && kept.find(sequence.front()) != std::string_view::npos;
    if (is_unsafe(point) && !is_kept) {
      result += escape_of(point);
    } else {
      result += sequence;
    }
  }
  return result;
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto at = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = at(i);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  }
  if (length == 0 || i + length > text.size()) return 0;
  if (at(i + 1) < low || at(i + 1) > high) return 0;
  for (std::size_t k = i + 2; k < i + length; ++k) {
    if ((at(k) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

std::string escaped(std::string_view text) { return escaped_but(text, {}); }

std::string escaped_lines(std::string_view text) { return escaped_but(text, "\n\t"); }

std::string xml_escaped(std::string_view text) {
  std::string shielded;
  for (const char c : text) shielded += c == '\\' ? std::string("\\x5c") : std::string(1, c);
  std::string xml;
  for (const char c : escaped(shielded)) {
    switch (c) {
      case '&':
        xml += "&amp;";
        break;
      case '<':
        xml += "&lt;";
        break;
      case '>':
        xml += "&gt;";
        break;
      case '"':
        xml += "&quot;";
        break;
      case '\'':
        xml += "&apos;";
        break;
      default:
        xml += c;
    }
  }
  return xml;
}

}  // namespace weft
