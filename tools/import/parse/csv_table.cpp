#include "tools/import/parse/csv_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "simcore/text/csv_row.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

constexpr char kNoComma = '\x01';

/// What a line has most of, outside of quotes; where it has none, a comma.
char separator_of(std::string_view line) {
  constexpr std::string_view kSeparators = ",;\t";
  std::array<std::size_t, kSeparators.size()> counts{};
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') is_quoted = !is_quoted;
    const std::size_t at = kSeparators.find(c);
    if (at != std::string_view::npos && !is_quoted) ++counts.at(at);
  }
  return kSeparators[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

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
                   std::vector<std::string> known, Titles titles)
    : reading_(reading),
      needed_(std::move(needed)),
      known_(std::move(known)),
      title_reader_(titles) {
  known_.insert(known_.end(), needed_.begin(), needed_.end());
}

bool CsvTable::split(std::size_t line) {
  CsvRow row;
  cells_.clear();
  // Rows are split at commas: the separator takes their place, and they that of a character which
  // no text has.
  std::string text(reading_.file.lines()[line - 1]);
  if (separator_ != ',') {
    if (text.find(kNoComma) != std::string::npos) {
      reading_.error(reading_.file.line(line), "holds characters that are not shown");
      return false;
    }
    std::ranges::replace(text, ',', kNoComma);
    std::ranges::replace(text, separator_, ',');
  }
  if (!row.read(text)) {
    reading_.error({.file = reading_.file.name(),
                    .line = static_cast<int>(line),
                    .column = row.problem_column()},
                   row.problem());
    return false;
  }
  for (const CsvRow::Cell& cell : row.cells()) {
    cells_.push_back({std::string(cell.text), cell.column});
    std::string& own = cells_.back().text;
    if (separator_ == ',') continue;
    std::ranges::replace(own, ',', separator_);  // within quotes
    std::ranges::replace(own, kNoComma, ',');
  }
  return true;
}

void CsvTable::name_columns() {
  width_ = cells_.size();
  while (!cells_.empty() && cells_.back().text.empty()) cells_.pop_back();
  for (const Cell& cell : cells_) titles_.push_back(cell.text);
  names_ = titles_;
  if (title_reader_ == nullptr) return;
  const auto is_known = [this](const std::string& name) {
    return std::ranges::find(known_, name) != known_.end();
  };
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (is_known(titles_[i])) continue;
    const std::string column = title_reader_(titles_[i]);
    if (column.empty()) continue;
    if (!has(column)) {
      names_[i] = column;
      continue;
    }
    // The column of that very name comes first; which of two others is meant nobody knows.
    const std::string text = fmt::format("columns {} and {} are both {}", backquoted(title(column)),
                                         backquoted(titles_[i]), backquoted(column));
    SourceLocation place = where();
    place.column = cells_[i].column;
    if (title(column) != column && std::ranges::find(needed_, column) != needed_.end()) {
      reading_.error(place, text);
    } else {
      reading_.warning(place, text + ": the second is ignored");
    }
    names_[i].clear();
  }
}

void CsvTable::check_columns() {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string& name = names_[i];
    if (name.empty()) continue;  // said, or without a title
    if (std::ranges::find(known_, name) == known_.end()) {
      reading_.unknown("column", name, where(name), known_);
    }
    if (std::ranges::count(names_, name) > 1 && index(name) == i) {
      reading_.error(where(name), fmt::format("column {} stands twice", backquoted(name)));
    }
  }
  if (std::ranges::find(titles_, "") != titles_.end()) {
    reading_.warning(where(), "a column without a title, ignored");
  }
  std::vector<std::string> missing;
  for (const std::string& name : needed_) {
    if (!has(name)) missing.push_back(name);
  }
  if (title_reader_ != nullptr && !missing.empty()) {
    reading_.error(where(), fmt::format("no column is {}; columns found: {}; expected for example "
                                        "{}",
                                        fmt::join(missing, " or "), listing(titles_),
                                        fmt::join(needed_, ", ")));
    return;
  }
  for (const std::string& name : missing) {
    reading_.error(where(), fmt::format("no column {} (have: {}{})", backquoted(name),
                                        listing(names_), did_you_mean(name, names_)));
  }
}

bool CsvTable::read_head() {
  const auto& lines = reading_.file.lines();
  line_ = 1;
  while (line_ <= lines.size() && is_comment_row(lines[line_ - 1])) ++line_;
  if (line_ > lines.size()) {
    reading_.error({}, "holds no row");
    return false;
  }
  separator_ = separator_of(lines[line_ - 1]);
  if (!split(line_)) return false;
  name_columns();
  check_columns();
  reading_.check_last_line();
  return !reading_.has_errors();
}

bool CsvTable::has_row_length() {
  const std::size_t cells = cells_.size();
  // Tabs at the end of a line are taken for blanks.
  if (separator_ == '\t' && cells < names_.size()) cells_.resize(names_.size());
  if (cells_.size() >= names_.size() && cells_.size() <= width_) return true;
  return cells_.size() > width_ &&
         std::all_of(cells_.begin() + static_cast<std::ptrdiff_t>(width_), cells_.end(),
                     [](const Cell& cell) { return cell.text.empty(); });
}

bool CsvTable::next() {
  const auto& lines = reading_.file.lines();
  for (++line_; line_ <= lines.size(); ++line_) {
    if (is_comment_row(lines[line_ - 1]) || !split(line_)) continue;
    if (std::ranges::all_of(cells_, [](const Cell& cell) { return cell.text.empty(); })) continue;
    const std::size_t cells = cells_.size();
    if (has_row_length()) return true;
    reading_.error(reading_.file.line(line_),
                   fmt::format("row {} has {}, and the head has {}", line_, counted(cells, "cell"),
                               counted(names_.size(), "column")));
  }
  return false;
}

std::size_t CsvTable::index(std::string_view column) const {
  return static_cast<std::size_t>(std::ranges::find(names_, column) - names_.begin());
}

bool CsvTable::has(std::string_view column) const { return index(column) < names_.size(); }

std::string_view CsvTable::title(std::string_view column) const {
  return has(column) ? std::string_view(titles_[index(column)]) : std::string_view();
}

std::string_view CsvTable::cell(std::string_view column) const {
  const std::size_t at = index(column);
  return at < cells_.size() ? std::string_view(cells_[at].text) : std::string_view();
}

SourceLocation CsvTable::where() const { return reading_.file.line(line_); }

SourceLocation CsvTable::where(std::string_view column) const {
  SourceLocation place = where();
  const std::size_t at = index(column);
  if (at < cells_.size()) place.column = cells_[at].column;
  const std::string_view titled = has(column) ? title(column) : column;
  place.key = titled.size() <= 60 ? std::string(titled) : std::string();
  return place;
}

void CellRemarks::add(Severity severity, std::string_view column, SourceLocation where,
                      std::string text) {
  /// Of one column: whoever mends these knows what is wrong with the rest.
  constexpr std::size_t kMaxReasons = 4;
  std::size_t reasons = 0;
  Said* last = nullptr;
  for (Said& said : said_) {
    if (said.severity != severity || said.column != column) continue;
    last = &said;
    if (said.text == text) break;
    ++reasons;
  }
  if (last != nullptr && (last->text == text || reasons >= kMaxReasons)) {
    ++last->cells;
    return;
  }
  said_.push_back({severity, std::string(column), std::move(text), std::move(where), 1});
}

void CellRemarks::say() {
  for (Said& said : said_) {
    if (said.cells > 1) {
      said.text += fmt::format(" (and {} of this column)", counted(said.cells - 1, "more cell"));
    }
    if (said.severity == Severity::kError) reading_.error(said.where, said.text);
    if (said.severity == Severity::kWarning) reading_.warning(said.where, said.text);
  }
}

}  // namespace weft::import
