#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/parse/reading.hpp"

namespace weft::import {

/// The cells of the first line that is neither empty nor a comment (`#`), split at commas,
/// semicolons or tabs: enough to recognise a table by.
[[nodiscard]] std::vector<std::string> first_cells(const InputFile& file);

/// A table with a line of column names, read row by row.
class CsvTable {
 public:
  /// `needed` and `known` columns; a needed one that is missing is an error, an unknown one has a
  /// warning. False: there is nothing to read.
  CsvTable(Reading& reading, std::vector<std::string> needed, std::vector<std::string> known);
  [[nodiscard]] bool read_head();
  /// Moves to the next row; false: there is none. Rows of a wrong length are errors, and skipped.
  [[nodiscard]] bool next();

  [[nodiscard]] bool has(std::string_view column) const;
  /// The cell of a column; empty: there is no such column.
  [[nodiscard]] std::string_view cell(std::string_view column) const;
  /// Of the row, or of one of its cells.
  [[nodiscard]] SourceLocation where() const;
  [[nodiscard]] SourceLocation where(std::string_view column) const;
  /// The number of the row: that of its line.
  [[nodiscard]] std::size_t row() const { return line_; }

 private:
  [[nodiscard]] std::size_t index(std::string_view column) const;
  [[nodiscard]] bool split(std::size_t line);

  struct Cell {
    std::string text;
    int column = 1;
  };

  Reading& reading_;
  std::vector<std::string> needed_;
  std::vector<std::string> known_;
  std::vector<std::string> names_;
  std::vector<Cell> cells_;
  std::size_t line_ = 0;
};

}  // namespace weft::import
