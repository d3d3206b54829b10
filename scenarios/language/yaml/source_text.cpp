#include "scenarios/language/yaml/source_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "scenarios/text/text_file.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios::language {
namespace {

constexpr std::size_t kMaxOpenBrackets = 1'000;
/// yaml-cpp holds back the tokens of a line that may still turn out to be a key.
constexpr std::size_t kMaxLineBytes = 100'000;

/// The place of a byte: columns count bytes, as editors do for plain ASCII.
SourceLocation place(std::string_view text, std::size_t offset, const std::string& file) {
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < offset; ++i) {
    if (text[i] != '\n') continue;
    ++line;
    line_start = i + 1;
  }
  return {file, line, static_cast<int>(offset - line_start) + 1, {}};
}

std::string hex(unsigned char byte) {
  std::array<char, 8> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "0x%02x", static_cast<unsigned>(byte));
  return buffer.data();
}

std::optional<Error> find_binary(std::string_view text, const std::string& file) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_control = byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t';
    const std::size_t length = is_control ? 0 : utf8_length(text, i);
    if (length == 0) {
      return Error{
          "is not text in UTF-8: found the byte " + hex(byte) + "; a scenario is a YAML file",
          place(text, i, file)};
    }
    i += length;
  }
  return std::nullopt;
}

std::optional<Error> find_tab(std::string_view text, const std::string& file) {
  bool is_indentation = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\t' && is_indentation) {
      return Error{"found a tab in the indentation; YAML is indented with spaces",
                   place(text, i, file)};
    }
    is_indentation = text[i] == '\n' || (is_indentation && text[i] == ' ');
  }
  return std::nullopt;
}

/// Counts brackets wherever they stand, also in comments: that many are a mistake anywhere.
std::optional<Error> find_deep_brackets(std::string_view text, const std::string& file) {
  std::size_t open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '{') ++open;
    if ((text[i] == ']' || text[i] == '}') && open > 0) --open;
    if (open > kMaxOpenBrackets) {
      return Error{"more than " + std::to_string(kMaxOpenBrackets) +
                       " brackets are open here; a scenario nests a few levels deep",
                   place(text, i, file)};
    }
  }
  return std::nullopt;
}

std::optional<Error> find_long_line(std::string_view text, const std::string& file) {
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_start = i + 1;
    if (i - line_start >= kMaxLineBytes && text[i] != '\n') {
      return Error{"the line is longer than " + std::to_string(kMaxLineBytes) + " bytes",
                   place(text, i, file)};
    }
  }
  return std::nullopt;
}

/// Of `a, b`.
std::vector<std::string> keys_of_list(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(", "), list.size());
    words.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 2, list.size()));
  }
  return words;
}

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& path, std::size_t limit) {
  return path == kStandardInput ? read_standard_input(limit) : read_whole(path, limit);
}

Errors check_text(std::string_view text, const std::string& file) {
  for (const auto check : {find_binary, find_tab, find_deep_brackets, find_long_line}) {
    if (std::optional<Error> error = check(text, file)) return {std::move(*error)};
  }
  return {};
}

std::string comment_of_line(std::string_view text, int line) {
  for (int i = 1; i < line && !text.empty(); ++i) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  if (line < 1) return {};
  text = text.substr(0, text.find('\n'));
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t')) {
      text.remove_prefix(i + 1);
      const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
      const std::size_t end = text.find_last_not_of(" \t\r");
      return end == std::string_view::npos ? "" : std::string(text.substr(begin, end + 1 - begin));
    }
  }
  return {};
}

DefaultLines default_lines(std::string_view text) {
  constexpr std::string_view kComment = " # default";
  DefaultLines lines;
  if (!text.starts_with(kResolvedHeader)) return lines;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t at = line.find(kComment);
    if (at == std::string_view::npos) continue;
    std::string_view source = line.substr(at + kComment.size());
    if (!source.empty() && !source.starts_with(": ")) continue;
    source.remove_prefix(std::min(source.size(), std::size_t{2}));
    DefaultLine& said = lines[number];
    const bool is_element = line.substr(line.find_first_not_of(' ')).starts_with("- {");
    if (is_element) {
      said.keys = keys_of_list(source);
    } else {
      said.source = source;
    }
  }
  return lines;
}

}  // namespace weft::scenarios::language
