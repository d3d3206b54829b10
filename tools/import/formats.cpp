#include "tools/import/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "simcore/base/escape.hpp"
#include "simcore/text/nearest.hpp"
#include "tools/import/cables/cable_formats.hpp"
#include "tools/import/infiniband/infiniband_formats.hpp"
#include "tools/import/parse/csv_table.hpp"
#include "tools/import/planners/planner_formats.hpp"
#include "tools/import/server/server_formats.hpp"
#include "tools/import/switches/switch_formats.hpp"

namespace weft::import {
namespace {

std::vector<Format> all_formats() {
  std::vector<Format> all;
  for (const std::span<const Format> some :
       {server_formats(), infiniband_formats(), switch_formats(), planner_formats(),
        cable_formats()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// Where the first line looks like that of a table: what would make it one of cables.
std::string columns_of_unknown(const InputFile& file) {
  constexpr std::size_t kMinColumns = 3;
  constexpr std::size_t kMaxTitle = 60;
  const std::vector<std::string> titles = first_cells(file);
  const bool is_table =
      titles.size() >= kMinColumns && std::ranges::all_of(titles, [](const std::string& title) {
        return title.size() <= kMaxTitle && escaped(title) == title &&
               title.find_first_of("<>{}[]=\"") == std::string::npos;
      });
  if (!is_table) return {};
  return fmt::format(
      "; as a table: columns found: {}; expected for example from, from_port, to, to_port",
      listing(titles));
}

}  // namespace

std::span<const Format> formats() {
  static const std::vector<Format> all = all_formats();
  return all;
}

const Format* find_format(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &Format::name);
  return found == formats().end() ? nullptr : &*found;
}

const Format* recognise(const InputFile& file) {
  const auto found = std::ranges::find_if(
      formats(), [&file](const Format& format) { return format.recognise(file).has_value(); });
  return found == formats().end() ? nullptr : &*found;
}

void read_file(const InputFile& file, const Format* format, Description& description) {
  if (format == nullptr) format = recognise(file);
  if (format == nullptr) {
    add_error(
        description.remarks, {.file = file.name()},
        "is in no form that weft knows; `weft import --formats` lists them, `--format` names one" +
            columns_of_unknown(file));
    return;
  }
  format->read(file, description);
}

}  // namespace weft::import
