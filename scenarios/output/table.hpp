#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::scenarios {

/// A column of a result file: declared once, where its values come from.
template <class Row>
struct Column {
  const char* name;
  const char* unit;     ///< empty: a name, a count or a ratio
  const char* meaning;  ///< for the reference of result files
  std::string (*text)(const Row& row);
};

/// A result file with a header and a line per row.
template <class Row>
struct Table {
  const char* file;
  const char* holds;  ///< what a row is, as in "a job"
  std::vector<Column<Row>> columns;

  void append_header(std::string& text) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += ',';
      text += columns[i].name;
    }
    text += '\n';
  }
  void append(std::string& text, const Row& row) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += ',';
      text += columns[i].text(row);
    }
    text += '\n';
  }
};

/// What a table says about itself.
struct TableReference {
  struct Field {
    std::string name;
    std::string unit;
    std::string meaning;
  };
  std::string file;
  std::string holds;
  std::vector<Field> fields;

  template <class Row>
  explicit TableReference(const Table<Row>& table) : file(table.file), holds(table.holds) {
    for (const Column<Row>& c : table.columns) fields.push_back({c.name, c.unit, c.meaning});
  }
};

}  // namespace weft::scenarios
