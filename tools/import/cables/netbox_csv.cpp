#include <fmt/format.h>

#include <algorithm>

#include "simcore/text/quoted.hpp"
#include "tools/import/cables/netbox.hpp"
#include "tools/import/cables/netbox_words.hpp"
#include "tools/import/parse/csv_table.hpp"

namespace weft::import {
namespace {

bool holds_cell(const InputFile& file, std::string_view wanted) {
  const std::vector<std::string> cells = first_cells(file);
  return std::ranges::find(cells, wanted) != cells.end();
}

void read_netbox_rows(Reading& reading, CsvTable& table, bool is_export) {
  NetboxCables cables(reading, "row");
  while (table.next()) {
    NetboxCable cable;
    cable.device_a = table.cell(is_export ? "Device A" : "side_a_device");
    cable.device_b = table.cell(is_export ? "Device B" : "side_b_device");
    cable.port_a = table.cell(is_export ? "Termination A" : "side_a_name");
    cable.port_b = table.cell(is_export ? "Termination B" : "side_b_name");
    cable.kind_a = table.cell("side_a_type");
    cable.kind_b = table.cell("side_b_type");
    cable.type = table.cell(is_export ? "Type" : "type");
    cable.status = table.cell(is_export ? "Status" : "status");
    cable.length = table.cell(is_export ? "Length" : "length");
    cable.length_unit = table.cell("length_unit");
    cable.unit_is_apart = !is_export;
    cable.what = fmt::format("row {}", table.row());
    cable.where = table.where();
    if (cable.port_a.find(',') != std::string_view::npos ||
        cable.port_b.find(',') != std::string_view::npos) {
      reading.error(cable.where, fmt::format("{} ends in several ports: one row per pair of ports "
                                             "is read",
                                             cable.what));
      continue;
    }
    cables.add(cable);
  }
  reading.finish(is_export ? "NetBox table of cables" : "NetBox cables CSV", cables.finish());
}

}  // namespace

std::optional<std::string_view> recognise_netbox_csv(const InputFile& file) {
  if (!holds_cell(file, "side_a_device") && !holds_cell(file, "side_b_device")) return std::nullopt;
  return "its column `side_a_device`";
}

void read_netbox_csv(const InputFile& file, Description& description) {
  Reading reading(file, description);
  CsvTable table(reading, {kNetboxCsvNeeded.begin(), kNetboxCsvNeeded.end()},
                 {kNetboxCsvKnown.begin(), kNetboxCsvKnown.end()});
  if (table.read_head()) {
    read_netbox_rows(reading, table, false);
  } else {
    reading.finish("NetBox cables CSV", "");
  }
}

std::optional<std::string_view> recognise_netbox_table(const InputFile& file) {
  if (!holds_cell(file, "Termination A") && !holds_cell(file, "Termination B")) return std::nullopt;
  return "its column `Termination A`";
}

void read_netbox_table(const InputFile& file, Description& description) {
  Reading reading(file, description);
  CsvTable table(reading, {kNetboxTableNeeded.begin(), kNetboxTableNeeded.end()},
                 {kNetboxTableKnown.begin(), kNetboxTableKnown.end()});
  if (table.read_head()) {
    read_netbox_rows(reading, table, true);
  } else {
    reading.finish("NetBox table of cables", "");
  }
}

}  // namespace weft::import
