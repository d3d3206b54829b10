#include "scenarios/results/reference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/results/results.hpp"
#include "scenarios/results/tables/messages_table.hpp"

namespace weft::scenarios {

std::vector<TableReference> result_reference() {
  std::vector<TableReference> all{TableReference(MessagesTable::declaration())};
  ResultTables::for_each([&all](const auto& table) { all.emplace_back(table); });
  std::ranges::sort(all, {}, &TableReference::file);
  return all;
}

std::string result_reference_text() {
  std::string text;
  for (const TableReference& table : result_reference()) {
    if (!text.empty()) text += '\n';
    text += table.file + ": a row is " + table.holds + "\n";
    for (const TableReference::Field& f : table.fields) {
      std::string line = fmt::format("  {:<18} {:<8} {}", f.name, f.unit, f.meaning);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace weft::scenarios
