#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// Without the byte-order mark that spreadsheets begin UTF-8 with.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

/// The cells of one line of a CSV file (RFC 4180), which may end in CR. Blanks around cells do not
/// count; quoted cells end on their line.
class CsvRow {
 public:
  struct Cell {
    std::string_view text;  ///< of the line, or of this row
    int column = 1;         ///< where it begins
  };

  /// The line must outlive the cells. False: it is no row; see `problem`.
  [[nodiscard]] bool read(std::string_view line);
  [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] int problem_column() const { return problem_column_; }

 private:
  [[nodiscard]] bool read_quoted(std::string_view line, std::size_t& at);
  [[nodiscard]] bool fail(std::size_t at, const char* problem);

  std::vector<Cell> cells_;
  std::deque<std::string> unquoted_;  ///< cells in which quotes were doubled
  std::string problem_;
  int problem_column_ = 1;
};

}  // namespace weft
