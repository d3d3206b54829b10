#include "scenarios/results/reference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/results/results.hpp"
#include "scenarios/results/summary/summary_record.hpp"
#include "scenarios/results/tables/messages_table.hpp"

namespace weft::scenarios {
namespace {

void append_fields(std::string& text, const std::vector<FieldReference>& fields,
                   std::size_t width) {
  for (const FieldReference& f : fields) {
    std::string line = fmt::format("  {:<{}} {:<8} {}", f.name, width, f.unit, f.meaning);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
}

}  // namespace

std::vector<TableReference> result_reference() {
  std::vector<TableReference> all{TableReference(MessagesTable::declaration())};
  ResultTables::for_each([&all](const auto& table) { all.emplace_back(table); });
  std::ranges::sort(all, {}, &TableReference::file);
  return all;
}

std::string result_reference_text() {
  std::string text;
  for (const TableReference& table : result_reference()) {
    text += table.file + ": a row is " + table.holds + "\n";
    append_fields(text, table.fields, 18);
    text += '\n';
  }
  text += "summary.json: its fields, [] of each item of a list\n";
  append_fields(text, summary_record().reference(), 44);
  return text;
}

}  // namespace weft::scenarios
