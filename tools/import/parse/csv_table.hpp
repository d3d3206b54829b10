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

/// A table with a line of column names, read row by row. Its fields are separated by the one of
/// comma, semicolon and tab that its head has most of.
class CsvTable {
 public:
  /// The column that a title stands for, where people title it otherwise; empty: none.
  using Titles = std::string (*)(std::string_view title);

  /// `needed` and `known` columns; a needed one that is missing is an error, an unknown one has a
  /// warning.
  CsvTable(Reading& reading, std::vector<std::string> needed, std::vector<std::string> known,
           Titles titles = nullptr);
  /// False: there is nothing to read.
  [[nodiscard]] bool read_head();
  /// Moves to the next row; false: there is none. Rows of a wrong length are errors, and skipped;
  /// rows without a value are skipped. Cells beyond the titles are to be empty.
  [[nodiscard]] bool next();

  [[nodiscard]] bool has(std::string_view column) const;
  /// As the file titles the column; empty: there is no such column.
  [[nodiscard]] std::string_view title(std::string_view column) const;
  /// The cell of a column; empty: there is no such column.
  [[nodiscard]] std::string_view cell(std::string_view column) const;
  /// Of the row, or of one of its cells.
  [[nodiscard]] SourceLocation where() const;
  [[nodiscard]] SourceLocation where(std::string_view column) const;
  /// The number of the row: that of its line.
  [[nodiscard]] std::size_t row() const { return line_; }
  [[nodiscard]] char separator() const { return separator_; }

 private:
  [[nodiscard]] std::size_t index(std::string_view column) const;
  [[nodiscard]] bool split(std::size_t line);
  void name_columns();
  void check_columns();
  [[nodiscard]] bool has_row_length();

  struct Cell {
    std::string text;
    int column = 1;
  };

  Reading& reading_;
  std::vector<std::string> needed_;
  std::vector<std::string> known_;
  Titles title_reader_;
  std::vector<std::string> names_;   ///< of columns, up to the last that has one
  std::vector<std::string> titles_;  ///< as they stand in the file
  std::size_t width_ = 0;            ///< of the head, with columns that have no title
  std::vector<Cell> cells_;
  std::size_t line_ = 0;
  char separator_ = ',';
};

/// What is wrong with the cells of a table: said once for each column and reason, with their
/// number, since it is often wrong in all rows.
class CellRemarks {
 public:
  explicit CellRemarks(Reading& reading) : reading_(reading) {}

  void add(Severity severity, std::string_view column, SourceLocation where, std::string text);
  /// To be called once, before it is asked whether there are errors.
  void say();

 private:
  struct Said {
    Severity severity;
    std::string column;
    std::string text;
    SourceLocation where;
    std::size_t cells = 0;
  };

  Reading& reading_;
  std::vector<Said> said_;
};

}  // namespace weft::import
