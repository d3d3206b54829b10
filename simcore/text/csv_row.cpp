#include "simcore/text/csv_row.hpp"

#include <algorithm>
#include <cstddef>

namespace weft {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

bool CsvRow::read(std::string_view line) {
  cells_.clear();
  unquoted_.clear();
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t begin = std::min(line.find_first_not_of(kBlanks, at), line.size());
    if (begin < line.size() && line[begin] == '"') {
      at = begin;
      if (!read_quoted(line, at)) return false;
      continue;
    }
    const std::size_t end = std::min(line.find(',', at), line.size());
    const std::string_view text = trimmed(line.substr(at, end - at));
    if (const std::size_t quote = text.find('"'); quote != std::string_view::npos) {
      return fail(begin + quote,
                  "a quote stands within a cell; a cell with quotes is quoted whole");
    }
    cells_.push_back({text, static_cast<int>(at) + 1});
    at = end + 1;
  }
  return true;
}

/// From the quote at `at` to behind the comma after the cell.
bool CsvRow::read_quoted(std::string_view line, std::size_t& at) {
  const std::size_t begin = at + 1;
  std::size_t end = begin;
  bool has_doubled = false;
  for (;; end += 2) {
    end = line.find('"', end);
    if (end == std::string_view::npos) return fail(at, "a quoted cell has no end on its line");
    if (end + 1 >= line.size() || line[end + 1] != '"') break;
    has_doubled = true;
  }
  Cell cell{line.substr(begin, end - begin), static_cast<int>(at) + 1};
  if (has_doubled) {
    std::string& text = unquoted_.emplace_back();
    for (std::size_t i = 0; i < cell.text.size(); ++i) {
      text += cell.text[i];
      if (cell.text[i] == '"') ++i;
    }
    cell.text = text;
  }
  cells_.push_back(cell);
  const std::size_t next = std::min(line.find_first_not_of(kBlanks, end + 1), line.size());
  if (next < line.size() && line[next] != ',') {
    return fail(next, "something stands between the end of a quoted cell and the next comma");
  }
  at = next + 1;
  return true;
}

bool CsvRow::fail(std::size_t at, const char* problem) {
  problem_ = problem;
  problem_column_ = static_cast<int>(at) + 1;
  return false;
}

}  // namespace weft
