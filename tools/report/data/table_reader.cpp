#include "tools/report/data/table_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "scenarios/results/summary/former_names.hpp"
#include "scenarios/text/zstd_stream.hpp"

namespace weft::report {

TableReader::TableReader(const std::filesystem::path& file) : file_(file) {
  if (!scenarios::has_text(file)) return;
  in_.emplace(file);
  if (!in_->next()) {
    fail(in_->problem().empty() ? "cannot be read or is empty" : in_->problem());
    return;
  }
  const std::string first(without_byte_order_mark(in_->line()));
  if (!row_.read(first)) {
    fail(row_.problem());
    return;
  }
  for (const CsvRow::Cell& cell : row_.cells()) {
    header_.push_back(scenarios::current_result_name(std::string(cell.text)));
  }
}

std::size_t TableReader::column(std::string_view name) {
  const auto found = std::ranges::find(header_, name);
  if (found == header_.end() && is_there()) fail("has no column " + std::string(name));
  return static_cast<std::size_t>(found - header_.begin());
}

bool TableReader::next() {
  if (!is_there() || !errors_.empty()) return false;
  if (!in_->next()) {
    if (!in_->problem().empty()) fail(in_->problem());
    return false;
  }
  if (row_.read(in_->line()) && row_.cells().size() == header_.size()) return true;
  fail("is not a row of this table");
  return false;
}

std::string_view TableReader::text(std::size_t column) const { return row_.cells()[column].text; }

std::optional<double> TableReader::number(std::size_t column) const {
  const std::string_view cell = text(column);
  double value = 0;
  const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool is_number = error == std::errc() && stop == cell.data() + cell.size();
  return is_number && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

void TableReader::fail(std::string message) {
  errors_.push_back({.message = std::move(message),
                     .where = {.file = file_.string(), .line = std::max(1, in_->number())}});
}

Json short_number(double value) {
  constexpr double kWhole = 9e15;
  if (!std::isfinite(value)) return {};
  if (value == std::floor(value) && std::abs(value) < kWhole) {
    return static_cast<std::int64_t>(value);
  }
  constexpr int kDigits = 9;
  const double scale = std::pow(10.0, kDigits - 1 - std::floor(std::log10(std::abs(value))));
  const double rounded = std::isfinite(scale) ? std::round(value * scale) / scale : value;
  return rounded;
}

Json short_number(std::optional<double> value) { return value ? short_number(*value) : Json(); }

}  // namespace weft::report
