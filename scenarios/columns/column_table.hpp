#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "scenarios/results/value.hpp"

/// Tables of results by column, as programs take them: a value after the other in memory.
namespace weft::scenarios {

/// A column, as it is declared, and its values in the one array that is for their kind.
struct ColumnData {
  std::string name;      ///< a time is in picoseconds, and its name says so: `start_ps`
  std::string csv_name;  ///< in files, where times are in seconds: `start_s`
  std::string unit;      ///< `ps`, `s`, `bytes`, `bytes/s`, `bit/s` ...; empty: none
  std::string meaning;
  Held held = Held::kInteger;
  bool may_be_missing = false;
  Quotient::Spelling spelling = Quotient::Spelling::kRatio;  ///< of quotients, in files

  std::vector<std::uint8_t> flags;
  std::vector<std::int64_t> integers;  ///< kInteger, and kTime in picoseconds
  std::vector<double> quotients;       ///< NaN: there is none
  std::vector<std::int32_t> codes;     ///< of texts: index into `words`; -1: there is none
  std::vector<std::string> words;      ///< each once, by first occurrence
  /// Of flags, integers and times: 1 where there is none. Empty: there is one everywhere.
  std::vector<std::uint8_t> missing;

  [[nodiscard]] bool is_missing(std::size_t row) const;
  /// What stands there.
  [[nodiscard]] Value value(std::size_t row) const;
};

struct ColumnTable {
  std::string name;   ///< `jobs`
  std::string file;   ///< `jobs.csv`; empty: no file has it
  std::string holds;  ///< what a row is, as in `a job`
  std::size_t rows = 0;
  std::vector<ColumnData> columns;

  /// As a CSV file has them: the bytes that `weft run` writes.
  void append_header(std::string& text) const;
  void append_row(std::string& text, std::size_t row) const;
};

/// Appends values to a column that is declared.
class ColumnWriter {
 public:
  /// It must outlive this.
  explicit ColumnWriter(ColumnData& column) : column_(column) {}
  void add(const Value& value);

 private:
  void add_missing();
  void add_word(const std::string& word);
  [[nodiscard]] std::size_t size() const;

  ColumnData& column_;
  std::unordered_map<std::string, std::int32_t> codes_;  ///< of words
};

}  // namespace weft::scenarios
