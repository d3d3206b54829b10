#pragma once

#include <string>
#include <vector>

#include "scenarios/results/record.hpp"
#include "scenarios/results/table.hpp"

/// What results say about themselves.
namespace weft::scenarios {

struct TableReference {
  std::string file;
  std::string holds;
  std::vector<FieldReference> fields;

  template <class Row>
  explicit TableReference(const Table<Row>& table) : file(table.file), holds(table.holds) {
    for (const Column<Row>& c : table.columns) {
      fields.push_back({c.name, unit_of(c.name), c.meaning});
    }
  }
};

/// Every file and what its columns mean, in the order of the files' names.
[[nodiscard]] std::vector<TableReference> result_reference();
/// The same as text, for people, and then what the fields of summary.json mean.
[[nodiscard]] std::string result_reference_text();

}  // namespace weft::scenarios
