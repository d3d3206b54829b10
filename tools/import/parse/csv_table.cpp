#include "tools/import/parse/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "simcore/text/csv_row.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

bool is_comment_row(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.empty() || text.starts_with('#');
}

}  // namespace

std::vector<std::string> first_cells(const InputFile& file) {
  std::vector<std::string> cells;
  const auto& lines = file.lines();
  const auto line = std::ranges::find_if_not(lines, is_comment_row);
  if (line == lines.end()) return cells;
  const std::string_view text = line->substr(0, 4096);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",;\t", at), text.size());
    std::string_view cell = trimmed(text.substr(at, end - at));
    if (cell.size() > 1 && cell.starts_with('"') && cell.ends_with('"')) {
      cell = cell.substr(1, cell.size() - 2);
    }
    cells.emplace_back(cell);
    at = end + 1;
  }
  return cells;
}

CsvTable::CsvTable(Reading& reading, std::vector<std::string> needed,
                   std::vector<std::string> known)
    : reading_(reading), needed_(std::move(needed)), known_(std::move(known)) {
  known_.insert(known_.end(), needed_.begin(), needed_.end());
}

bool CsvTable::split(std::size_t line) {
  CsvRow row;
  cells_.clear();
  if (!row.read(reading_.file.lines()[line - 1])) {
    reading_.error({.file = reading_.file.name(),
                    .line = static_cast<int>(line),
                    .column = row.problem_column()},
                   row.problem());
    return false;
  }
  for (const CsvRow::Cell& cell : row.cells())
    cells_.push_back({std::string(cell.text), cell.column});
  return true;
}

bool CsvTable::read_head() {
  const auto& lines = reading_.file.lines();
  line_ = 1;
  while (line_ <= lines.size() && is_comment_row(lines[line_ - 1])) ++line_;
  if (line_ > lines.size()) {
    reading_.error({}, "holds no row");
    return false;
  }
  if (!split(line_)) return false;
  for (const Cell& cell : cells_) names_.push_back(cell.text);
  for (const char separator : {';', '\t'}) {
    if (names_.size() > 1 || names_.front().find(separator) == std::string::npos) continue;
    reading_.error(reading_.file.line(line_),
                   fmt::format("one column: are fields separated by `{}`? Commas are read",
                               separator == ';' ? ";" : "\\t"));
    return false;
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string& name = names_[i];
    if (std::ranges::find(known_, name) == known_.end()) {
      reading_.unknown("column", name, where(name), known_);
    }
    if (std::ranges::count(names_, name) > 1 && index(name) == i) {
      reading_.error(where(name), fmt::format("column {} stands twice", backquoted(name)));
    }
  }
  for (const std::string& name : needed_) {
    if (has(name)) continue;
    reading_.error(reading_.file.line(line_),
                   fmt::format("no column {} (have: {}{})", backquoted(name), listing(names_),
                               did_you_mean(name, names_)));
  }
  reading_.check_last_line();
  return !reading_.has_errors();
}

bool CsvTable::next() {
  const auto& lines = reading_.file.lines();
  for (++line_; line_ <= lines.size(); ++line_) {
    if (is_comment_row(lines[line_ - 1]) || !split(line_)) continue;
    if (cells_.size() == names_.size()) return true;
    reading_.error(reading_.file.line(line_),
                   fmt::format("row {} has {}, and the head has {}", line_,
                               counted(cells_.size(), "cell"), counted(names_.size(), "column")));
  }
  return false;
}

std::size_t CsvTable::index(std::string_view column) const {
  return static_cast<std::size_t>(std::ranges::find(names_, column) - names_.begin());
}

bool CsvTable::has(std::string_view column) const { return index(column) < names_.size(); }

std::string_view CsvTable::cell(std::string_view column) const {
  const std::size_t at = index(column);
  return at < cells_.size() ? std::string_view(cells_[at].text) : std::string_view();
}

SourceLocation CsvTable::where() const { return reading_.file.line(line_); }

SourceLocation CsvTable::where(std::string_view column) const {
  SourceLocation place = where();
  const std::size_t at = index(column);
  if (at < cells_.size()) place.column = cells_[at].column;
  place.key = column.size() <= 60 ? std::string(column) : std::string();
  return place;
}

}  // namespace weft::import
