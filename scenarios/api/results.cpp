#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "scenarios/api/conversions.hpp"
#include "scenarios/api/weft.hpp"
#include "scenarios/columns/result_columns.hpp"
#include "scenarios/compare/comparison.hpp"
#include "scenarios/session/explained.hpp"
#include "scenarios/text/json_text.hpp"

namespace weft::api {
namespace {

/// Of what is asked of results or of folders.
template <class T>
Result<T> result_of(weft::Result<T> result) {
  if (!result) return errors_of(result.errors());
  return std::move(result).value();
}

}  // namespace

std::string Error::to_string() const {
  return weft::Error{message, {file, line, column, key}}.to_string();
}

bool Column::is_missing(std::size_t row) const {
  if (type == ColumnType::kNumber) return std::isnan(numbers[row]);
  if (type == ColumnType::kText) return codes[row] < 0;
  return !missing.empty() && missing[row] != 0;
}

std::string_view Column::text(std::size_t row) const {
  return codes[row] < 0 ? std::string_view() : words[static_cast<std::size_t>(codes[row])];
}

const Column* Table::column(std::string_view wanted) const {
  const auto found = std::ranges::find(columns, wanted, &Column::name);
  return found == columns.end() ? nullptr : &*found;
}

std::vector<Table> declared_tables() {
  // Views of columns without rows: nothing is viewed.
  std::vector<Table> all;
  for (const scenarios::ColumnTable& table : scenarios::declared_tables()) {
    all.push_back(table_of(table));
  }
  for (Table& table : all) {
    for (Column& column : table.columns) {
      column.flags = {};
      column.integers = {};
      column.numbers = {};
      column.codes = {};
      column.words = {};
      column.missing = {};
    }
  }
  return all;
}

const std::string& Results::scenario() const { return state_->record.scenario; }
const std::string& Results::engine() const { return state_->record.engine; }
const std::string& Results::outcome() const { return state_->record.outcome; }
bool Results::is_success() const { return state_->record.is_success; }
const std::vector<std::string>& Results::explanation() const { return state_->record.explanation; }
const std::vector<std::string>& Results::warnings() const { return state_->record.warnings; }
std::uint64_t Results::seed() const { return state_->record.seed; }
std::int64_t Results::simulated_ps() const { return state_->record.simulated_ps; }
double Results::wall_seconds() const { return state_->record.wall_seconds; }
std::uint32_t Results::threads() const { return state_->record.threads; }
std::uint64_t Results::packet_hops() const { return state_->record.packet_hops; }
const std::string& Results::digest() const { return state_->record.digest; }
const std::string& Results::scenario_digest() const { return state_->record.scenario_sha256; }
const std::string& Results::resolved_yaml() const { return state_->record.resolved_yaml; }
const std::string& Results::summary() const { return state_->record.summary_text; }
const std::string& Results::summary_json() const { return state_->record.summary_json; }
const std::vector<Table>& Results::tables() const { return state_->tables; }
const std::string& Results::folder() const { return state_->record.folder; }

const Table* Results::table(std::string_view name) const {
  const auto found = std::ranges::find(state_->tables, name, &Table::name);
  return found == state_->tables.end() ? nullptr : &*found;
}

Result<std::string> Results::explain(std::size_t lines) const {
  return guarded<std::string>(
      [&] { return result_of(scenarios::explained(state_->record, lines)); });
}

Result<std::string> Results::write(const std::string& folder) const {
  return guarded<std::string>([&]() -> Result<std::string> {
    const auto written = scenarios::write_record(state_->record, folder);
    if (!written) return errors_of(written.errors(), ErrorKind::kRun);
    return written.value().string();
  });
}

std::string Results::to_bytes() const { return scenarios::bytes_of(state_->record); }

Result<Results> Results::from_bytes(std::string_view bytes) {
  return guarded<Results>([&]() -> Result<Results> {
    auto record = scenarios::record_from_bytes(bytes);
    if (!record) return errors_of(record.errors());
    return Access::results_of(std::move(record).value());
  });
}

Result<std::string> explain_difference(const Results& first, const Results& second,
                                       std::size_t lines) {
  return guarded<std::string>([&] {
    return result_of(scenarios::explained_difference(Access::state_of(first).record,
                                                     Access::state_of(second).record, lines));
  });
}

Result<std::string> explain_folder(const std::string& folder, std::size_t lines) {
  return guarded<std::string>(
      [&] { return result_of(scenarios::explained_folder(folder, lines)); });
}

Result<Comparison> compare_folders(const std::vector<std::string>& folders) {
  return guarded<Comparison>([&]() -> Result<Comparison> {
    if (folders.size() < 2) return Errors{{.message = "two folders at least are compared"}};
    std::vector<scenarios::ComparedRun> runs;
    Errors errors;
    for (const std::string& folder : folders) {
      auto run = scenarios::read_compared_run(folder);
      if (run) {
        runs.push_back(std::move(run).value());
        continue;
      }
      for (Error& error : errors_of(run.errors())) errors.push_back(std::move(error));
    }
    if (!errors.empty()) return errors;
    const scenarios::Comparison comparison = scenarios::compare_runs(runs);
    return Comparison{
        .text = scenarios::comparison_text(runs, comparison),
        .json = scenarios::json_text(scenarios::comparison_json(runs, comparison)) + "\n",
        .has_differences = comparison.has_differences()};
  });
}

}  // namespace weft::api
