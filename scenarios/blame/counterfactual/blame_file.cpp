#include "scenarios/blame/counterfactual/blame_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>

#include "scenarios/results/tables/blame/blame_table.hpp"
#include "scenarios/text/text_file.hpp"
#include "simcore/text/csv_row.hpp"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 7> kColumns{"job",     "iteration", "cause", "culprit_kind",
                                              "culprit", "time_s",    "port"};

Error file_error(const fs::path& file, std::string message, int line = 0) {
  return {.message = std::move(message), .where = {.file = file.string(), .line = line}};
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() && !text.empty();
}

/// Decimal seconds with at most twelve digits after the point.
std::optional<Picoseconds> exact_time(std::string_view text) {
  constexpr std::size_t kDigits = 12;
  const std::size_t point = text.find('.');
  std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
  if (fraction.size() > kDigits) return {};
  fraction.resize(kDigits, '0');
  std::int64_t whole = 0;
  std::int64_t parts = 0;
  if (!read_number(text.substr(0, point), whole) || !read_number<std::int64_t>(fraction, parts)) {
    return {};
  }
  constexpr std::int64_t kMaxSeconds = 9'000'000;
  if (whole < 0 || whole > kMaxSeconds || parts < 0) return {};
  return Picoseconds(whole * kPicosecondsPerSecond + parts);
}

/// Where the columns stand, in the order of `kColumns`; the name of one that is not there.
std::string find_columns(const CsvRow& header, std::array<std::size_t, kColumns.size()>& places) {
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto& cells = header.cells();
    const auto cell = std::ranges::find(cells, std::string_view(kColumns[i]), &CsvRow::Cell::text);
    if (cell == cells.end()) return kColumns[i];
    places[i] = static_cast<std::size_t>(cell - cells.begin());
  }
  return {};
}

}  // namespace

Result<std::vector<BlameEntry>> read_blame(const fs::path& folder) {
  const fs::path file = folder / BlameTable::declaration().file;
  std::error_code ignored;
  if (!fs::exists(folder / "summary.json", ignored)) {
    return Errors{file_error(folder, "is no folder that `weft run` wrote")};
  }
  LineReader in(file);
  if (!in.next()) {
    if (fs::exists(file, ignored) && !in.problem().empty()) {
      return Errors{file_error(file, in.problem())};
    }
    return Errors{file_error(folder, "says nothing of blame: `weft run SCENARIO --blame --out " +
                                         folder.string() + "` finds out")};
  }
  CsvRow row;
  std::array<std::size_t, kColumns.size()> places{};
  const std::string header(without_byte_order_mark(in.line()));
  if (!row.read(header)) return Errors{file_error(file, row.problem(), 1)};
  if (const std::string missing = find_columns(row, places); !missing.empty()) {
    return Errors{file_error(file, "has no column " + missing, 1)};
  }
  const std::size_t width = row.cells().size();
  std::vector<BlameEntry> entries;
  while (in.next()) {
    BlameEntry entry;
    if (!row.read(in.line()) || row.cells().size() != width) {
      return Errors{file_error(file, "is not a row of blame.csv", in.number())};
    }
    const auto cell = [&](std::size_t column) { return row.cells()[places[column]].text; };
    const auto time = exact_time(cell(5));
    if (!read_number(cell(1), entry.iteration) || !time) {
      return Errors{file_error(file, "is not a row of blame.csv", in.number())};
    }
    entry.job = cell(0);
    entry.cause = cell(2);
    entry.culprit_kind = cell(3);
    entry.culprit = cell(4);
    entry.time = *time;
    entry.port = cell(6);
    entries.push_back(std::move(entry));
  }
  if (!in.problem().empty()) return Errors{file_error(file, in.problem(), in.number())};
  return entries;
}

std::vector<std::string> read_warnings(const fs::path& folder) {
  std::ifstream in(folder / "summary.json", std::ios::binary);
  const auto summary = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  std::vector<std::string> warnings;
  if (!summary.is_object() || !summary.contains("warnings")) return warnings;
  for (const auto& warning : summary["warnings"]) {
    if (warning.is_string()) warnings.push_back(warning.get<std::string>());
  }
  return warnings;
}

}  // namespace weft::scenarios
