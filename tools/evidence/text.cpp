#include "tools/evidence/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "simcore/base/escape.hpp"

namespace weft::evidence {
namespace {

constexpr std::string_view kBlanks = " \t";

bool has_only(std::string_view text, std::string_view letters) {
  return !text.empty() && text.find_first_not_of(letters) == text.npos;
}

/// Whether a word is what a launcher or a container writes before a line.
bool is_prefix(std::string_view word) {
  constexpr std::string_view kDigits = "0123456789";
  if (word.ends_with(':') && has_only(word.substr(0, word.size() - 1), kDigits)) return true;
  if (word.ends_with(':')) word.remove_suffix(1);
  if (word.starts_with('[') && word.ends_with(']') && word.size() > 2) {
    return has_only(word.substr(1, word.size() - 2), "0123456789,:.-TZrank");
  }
  // 2026-11-02T09:12:41Z
  return word.size() >= 19 && word[4] == '-' && word[10] == 'T' &&
         has_only(word, "0123456789-:.TZ+");
}

}  // namespace

std::string_view without_prefix(std::string_view line) {
  constexpr std::size_t kMaxPrefix = 128;
  for (const std::string_view stream : {"<stdout>:", "<stderr>:"}) {
    const std::size_t at = line.substr(0, kMaxPrefix).find(stream);
    if (at != line.npos) line.remove_prefix(at + stream.size());
  }
  while (true) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == line.npos) return line;
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    if (!is_prefix(line.substr(begin, end - begin))) return line;
    line.remove_prefix(end);
  }
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view word_behind(const std::vector<std::string_view>& words, std::string_view name) {
  const auto at = std::ranges::find(words, name);
  return at == words.end() || at + 1 == words.end() ? std::string_view() : at[1];
}

std::string safe_name(std::string_view name) {
  constexpr std::size_t kMaxName = 120;
  if (name.size() <= kMaxName) return escaped(name);
  return escaped(name.substr(0, kMaxName)) + "...";
}

}  // namespace weft::evidence
