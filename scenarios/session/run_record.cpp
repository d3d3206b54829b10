#include "scenarios/session/run_record.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "scenarios/columns/bytes.hpp"
#include "scenarios/output/result_writer.hpp"
#include "scenarios/output/summary.hpp"
#include "scenarios/text/csv_stream.hpp"
#include "scenarios/text/json_text.hpp"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;

/// What bytes begin with; its number changes with what follows.
constexpr std::string_view kMagic = "weft run record 1\n";
/// As in `weft run`, messages.csv is packed beyond this.
constexpr std::size_t kRowsUnpacked = 1'000'000;

/// Calls `visit` with every member, in the order of bytes.
template <class Record, class Visit>
void for_each_member(Record& r, Visit visit) {
  visit(r.scenario);
  visit(r.engine);
  visit(r.version);
  visit(r.seed);
  visit(r.outcome);
  visit(r.is_success);
  visit(r.is_interrupted);
  visit(r.explanation);
  visit(r.warnings);
  visit(r.simulated_ps);
  visit(r.wall_seconds);
  visit(r.threads);
  visit(r.packet_hops);
  visit(r.digest);
  visit(r.scenario_sha256);
  visit(r.summary_json);
  visit(r.summary_text);
  visit(r.resolved_yaml);
  visit(r.folder);
}

template <class Column, class Visit>
void for_each_column_member(Column& c, Visit visit) {
  visit(c.name);
  visit(c.csv_name);
  visit(c.unit);
  visit(c.meaning);
  visit(c.held);
  visit(c.may_be_missing);
  visit(c.spelling);
  visit(c.flags);
  visit(c.integers);
  visit(c.quotients);
  visit(c.codes);
  visit(c.words);
  visit(c.missing);
}

bool write_table(const fs::path& folder, const ColumnTable& table) {
  std::string text;
  table.append_header(text);
  text.pop_back();  // the end of the line
  std::string name = table.file;
  if (table.rows > kRowsUnpacked) name += kPacked;
  CsvStream out(folder / name, text);
  for (std::size_t row = 0; row < table.rows; ++row) {
    text.clear();
    table.append_row(text, row);
    out.add("{}", text);
  }
  out.finish();
  return !out.has_failed();
}

/// Whether the arrays of a table that was sent are as long as it says, and codes name words.
bool is_whole(const ColumnTable& table) {
  return std::ranges::all_of(table.columns, [&](const ColumnData& c) {
    const std::size_t size = c.held == Held::kFlag       ? c.flags.size()
                             : c.held == Held::kQuotient ? c.quotients.size()
                             : c.held == Held::kText     ? c.codes.size()
                                                         : c.integers.size();
    const bool has_words = std::ranges::all_of(
        c.codes, [&](std::int32_t code) { return code >= -1 && code < std::ssize(c.words); });
    return size == table.rows && (c.missing.empty() || c.missing.size() == table.rows) && has_words;
  });
}

}  // namespace

const ColumnTable* RunRecord::table(std::string_view name) const {
  const auto found = std::ranges::find(tables, name, &ColumnTable::name);
  return found == tables.end() ? nullptr : &*found;
}

RunRecord record_of(const Results& results, std::string resolved_yaml,
                    std::vector<ColumnTable> tables) {
  RunRecord r;
  r.scenario = results.scenario;
  r.engine = results.engine;
  r.version = results.version;
  r.seed = results.seed;
  r.outcome = outcome_name(results.outcome);
  r.is_success = is_success(results.outcome);
  r.is_interrupted = results.outcome == Outcome::kInterrupted;
  r.explanation = results.explanation;
  r.warnings = results.warnings;
  r.simulated_ps = results.simulated.count();
  r.wall_seconds = results.wall_seconds;
  r.threads = results.threads;
  r.packet_hops = results.totals.packet_hops;
  r.digest = results.digest();
  r.scenario_sha256 = results.scenario_sha256;
  r.summary_json = json_text(summary_json(results)) + "\n";
  r.summary_text = summary_text(results);
  r.resolved_yaml = std::move(resolved_yaml);
  r.tables = std::move(tables);
  return r;
}

Result<fs::path> write_record(const RunRecord& record, const fs::path& folder,
                              const ResultFolder::Continues& continues) {
  auto target = ResultFolder::create(folder);
  if (!target) return target.errors();
  const auto write_tables = [&](const fs::path& partial) {
    return std::ranges::all_of(record.tables, [&](const ColumnTable& table) {
      return table.file.empty() || write_table(partial, table);
    });
  };
  return publish_results(target.value(), folder,
                         {.summary = record.summary_json,
                          .resolved_scenario = record.resolved_yaml,
                          .is_interrupted = record.is_interrupted,
                          .write_tables = write_tables,
                          .continues = continues});
}

std::string bytes_of(const RunRecord& record) {
  std::string bytes(kMagic);
  ByteWriter out(bytes);
  for_each_member(record, [&](const auto& member) { out.add(member); });
  out.add(static_cast<std::uint64_t>(record.tables.size()));
  for (const ColumnTable& table : record.tables) {
    out.add(table.name);
    out.add(table.file);
    out.add(table.holds);
    out.add(static_cast<std::uint64_t>(table.rows));
    out.add(static_cast<std::uint64_t>(table.columns.size()));
    for (const ColumnData& column : table.columns) {
      for_each_column_member(column, [&](const auto& member) { out.add(member); });
    }
  }
  return bytes;
}

Result<RunRecord> record_from_bytes(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    return Error{.message = "these are no results, or those of another version of weft"};
  }
  RunRecord record;
  ByteReader in(bytes.substr(kMagic.size()));
  for_each_member(record, [&](auto& member) { in.read(member); });
  std::uint64_t tables = 0;
  in.read(tables);
  while (tables-- > 0 && !in.has_failed()) {
    ColumnTable table;
    in.read(table.name);
    in.read(table.file);
    in.read(table.holds);
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    in.read(rows);
    in.read(columns);
    table.rows = rows;
    while (columns-- > 0 && !in.has_failed()) {
      for_each_column_member(table.columns.emplace_back(), [&](auto& member) { in.read(member); });
    }
    if (!is_whole(table)) return Error{.message = "these results are damaged"};
    record.tables.push_back(std::move(table));
  }
  if (in.has_failed() || !in.is_at_end()) return Error{.message = "these results are damaged"};
  return record;
}

}  // namespace weft::scenarios
