#include "tools/import/cables/generic_csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/import/parse/cable_list.hpp"
#include "tools/import/parse/csv_table.hpp"
#include "tools/import/parse/quantities.hpp"

namespace weft::import {
namespace {

template <class T>
std::optional<Stated<T>> stated_or_error(Reading& reading, const OrProblem<T>& value,
                                         const SourceLocation& where) {
  if (const T* const good = std::get_if<T>(&value)) return Stated<T>{*good, where};
  reading.error(where, std::get<std::string>(value));
  return std::nullopt;
}

void read_generic_row(Reading& reading, const CsvTable& table, CableList& cables) {
  Cable cable;
  cable.where = table.where();
  bool is_named = true;
  const auto name = [&](std::string_view column, std::string& into) {
    const auto found = reading.name(
        table.cell(column), fmt::format("{} of row {}", column, table.row()), table.where(column));
    is_named = is_named && found.has_value();
    into = found.value_or("");
  };
  name("from", cable.a.device);
  name("from_port", cable.a.port);
  name("to", cable.b.device);
  name("to_port", cable.b.port);
  if (const std::string_view text = table.cell("rate"); !text.empty()) {
    cable.rate = stated_or_error(reading, parse_port_rate(text), table.where("rate"));
  }
  if (const std::string_view text = table.cell("length"); !text.empty()) {
    cable.length = stated_or_error(reading, parse_cable_length(text), table.where("length"));
  }
  if (const std::string_view text = table.cell("medium"); !text.empty()) {
    static const std::vector<std::string> known{"copper", "fibre"};
    const std::string medium(text == "fiber" ? "fibre" : text);
    if (std::ranges::find(known, medium) != known.end()) {
      cable.medium = Stated<std::string>{medium, table.where("medium")};
    } else {
      reading.error(table.where("medium"),
                    fmt::format("{}: copper or fibre expected{}", backquoted(text),
                                did_you_mean(text, known)));
    }
  }
  if (is_named) cables.add(std::move(cable));
}

}  // namespace

std::optional<std::string_view> recognise_generic_csv(const InputFile& file) {
  const std::vector<std::string> cells = first_cells(file);
  const auto has = [&cells](std::string_view name) {
    return std::ranges::find(cells, name) != cells.end();
  };
  if (!has("from") || !has("to") || (!has("from_port") && !has("to_port"))) return std::nullopt;
  return "its columns `from`, `from_port`, `to` and `to_port`";
}

void read_generic_csv(const InputFile& file, Description& description) {
  Reading reading(file, description);
  CsvTable table(reading, {kGenericCsvNeeded.begin(), kGenericCsvNeeded.end()},
                 {kGenericCsvKnown.begin(), kGenericCsvKnown.end()});
  CableList cables(reading, "row");
  if (table.read_head()) {
    while (table.next()) read_generic_row(reading, table, cables);
    if (cables.size() == 0 && !reading.has_errors()) reading.error({}, "holds no cable");
  }
  reading.finish("cables CSV", counted(cables.size(), "cable"));
}

}  // namespace weft::import
