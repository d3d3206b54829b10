#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/text/text_file.hpp"
#include "simcore/base/result.hpp"
#include "simcore/text/csv_row.hpp"
#include "tools/report/json.hpp"

namespace weft::report {

/// A table of a results folder, row by row: memory does not grow with the file.
class TableReader {
 public:
  /// A file that is not there has no rows and no errors. It may be packed (`.zst`).
  explicit TableReader(const std::filesystem::path& file);

  [[nodiscard]] bool is_there() const { return in_.has_value(); }
  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
  /// Where a column stands; adds an error if it is not there.
  [[nodiscard]] std::size_t column(std::string_view name);
  /// False at the end, and at a line that is no row, which is an error.
  [[nodiscard]] bool next();
  [[nodiscard]] std::string_view text(std::size_t column) const;
  /// Nothing: the cell is empty, or no number.
  [[nodiscard]] std::optional<double> number(std::size_t column) const;
  [[nodiscard]] double number_or_zero(std::size_t column) const {
    return number(column).value_or(0);
  }
  [[nodiscard]] const Errors& errors() const { return errors_; }

 private:
  void fail(std::string message);

  std::filesystem::path file_;
  std::optional<scenarios::LineReader> in_;  ///< nothing: there is no such file
  CsvRow row_;
  std::vector<std::string> header_;
  Errors errors_;
};

/// A number as short as JSON has it: whole ones without a point, others with nine digits.
[[nodiscard]] Json short_number(double value);
[[nodiscard]] Json short_number(std::optional<double> value);

}  // namespace weft::report
