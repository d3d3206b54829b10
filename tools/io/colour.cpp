#include "tools/io/colour.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace weft {
namespace {

constexpr std::string_view kEnd = "\033[0m";
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kRed = "\033[1;31m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kYellow = "\033[33m";

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWords{{
    {"warning:", kYellow},
    {"note:", kGreen},
    {"error:", kRed},
    {"weft:", kRed},
}};

std::string in(std::string_view colour, std::string_view text) {
  return std::string(colour) + std::string(text) + std::string(kEnd);
}

/// The first words of a line, if they are a sign of something.
std::string marked(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  for (const auto& [word, colour] : kWords) {
    if (!line.substr(indent).starts_with(word)) continue;
    return std::string(line.substr(0, indent)) + in(colour, word) +
           std::string(line.substr(indent + word.size()));
  }
  return std::string(line);
}

void mark_suggestion(std::string& line) {
  constexpr std::string_view kStart = "did you mean `";
  const std::size_t at = line.find(kStart);
  if (at == std::string::npos) return;
  const std::size_t end = line.find("`?", at + kStart.size());
  if (end == std::string::npos) return;
  line.insert(end + 2, kEnd);
  line.insert(at, kGreen);
}

/// Columns stand two blanks apart at least.
bool is_row(std::string_view line) {
  const std::size_t text = line.find_first_not_of(' ');
  return text != std::string_view::npos && line.find("  ", text) != std::string_view::npos;
}

}  // namespace

bool has_colours(int descriptor) {
  const char* no = std::getenv("NO_COLOR");
  if (no != nullptr && *no != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::string_view(term) == "dumb") return false;
  return ::isatty(descriptor) == 1;
}

std::string coloured(std::string_view text) {
  const bool has_end = text.ends_with('\n');
  std::string out;
  bool begins_paragraph = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view next = text.substr(0, text.find('\n'));
    // The first row of a table says what its columns are.
    const bool is_heading = begins_paragraph && is_row(line) && is_row(next);
    std::string shown = is_heading ? in(kBold, line) : marked(line);
    mark_suggestion(shown);
    out += shown;
    out += '\n';
    begins_paragraph = line.empty();
  }
  if (!has_end && !out.empty()) out.pop_back();
  return out;
}

}  // namespace weft
