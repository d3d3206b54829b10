#include "scenarios/columns/result_columns.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scenarios/results/tables/messages_table.hpp"
#include "simcore/messages/size_class.hpp"

namespace weft::scenarios {
namespace {

/// In picoseconds where a file has seconds: `start_s` is `start_ps`.
std::string name_in_picoseconds(std::string_view name) {
  for (const std::string_view ending : {"_seconds", "_s"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return std::string(name) + "_ps";
}

template <class Row>
ColumnTable declared(const Table<Row>& table) {
  ColumnTable all;
  all.name = std::string_view(table.file).substr(0, std::string_view(table.file).find('.'));
  if (all.name != table.file) all.file = table.file;
  all.holds = table.holds;
  for (const Column<Row>& c : table.columns) {
    const bool is_time = c.held == Held::kTime;
    ColumnData column;
    column.name = is_time ? name_in_picoseconds(c.name) : std::string(c.name);
    column.csv_name = c.name;
    column.unit = is_time ? "ps" : unit_of(c.name);
    column.meaning = c.meaning;
    column.held = c.held;
    column.may_be_missing = c.may_be_empty;
    all.columns.push_back(std::move(column));
  }
  return all;
}

std::vector<ColumnWriter> writers_of(ColumnTable& table) {
  std::vector<ColumnWriter> writers;
  for (ColumnData& column : table.columns) writers.emplace_back(column);
  return writers;
}

template <class Row>
ColumnTable filled(const Table<Row>& table, const Results& results) {
  ColumnTable all = declared(table);
  std::vector<ColumnWriter> writers = writers_of(all);
  table.each(results, [&](const Row& row) {
    for (std::size_t c = 0; c < writers.size(); ++c) writers[c].add(table.columns[c].value(row));
    ++all.rows;
  });
  return all;
}

/// A bucket of a histogram.
struct BucketRow {
  std::string histogram;
  std::optional<std::string> job;
  std::optional<Bytes> up_to;
  Picoseconds first{};
  Picoseconds last{};
  std::uint64_t count = 0;
};

template <class Visit>
void for_each_bucket(BucketRow row, const Histogram& histogram, Visit visit) {
  histogram.for_each_bucket([&](std::int64_t first, std::int64_t last, std::uint64_t count) {
    row.first = Picoseconds(first);
    row.last = Picoseconds(last);
    row.count = count;
    visit(row);
  });
}

const Table<BucketRow>& histograms() {
  using Row = BucketRow;
  static const Table<Row> table{
      "histograms",
      "a bucket of a histogram that holds anything",
      {{"histogram", "`packet_latency`", [](const Row& r) { return r.histogram; }},
       {"job", "whose packets; missing: those of all jobs", [](const Row& r) { return r.job; }},
       {"up_to_bytes",
        "of messages of the size class that ends there; missing: of all sizes, or of "
        "the last class",
        [](const Row& r) { return r.up_to; }},
       {"first_s", "the smallest value that falls into it", [](const Row& r) { return r.first; }},
       {"last_s", "the largest one", [](const Row& r) { return r.last; }},
       {"count", "values in it", [](const Row& r) { return r.count; }}},
      [](const Results& r, const auto& visit) {
        for_each_bucket({.histogram = "packet_latency", .job = {}, .up_to = {}}, r.packet_latency,
                        visit);
        if (r.packet_latency_by_size.size() < 2) return;
        for (std::size_t j = 0; j < r.packet_latency_by_size.size(); ++j) {
          for (const SizedLatency& size : r.packet_latency_by_size[j]) {
            BucketRow row{.histogram = "packet_latency", .job = r.jobs[j].name, .up_to = {}};
            if (size.size_class < kMaxOfSizeClass.size()) {
              row.up_to = kMaxOfSizeClass[size.size_class];
            }
            for_each_bucket(row, size.latency, visit);
          }
        }
      },
      [](const Results& r) { return r.packet_latency.count() > 0; },
      false,
      false};
  return table;
}

}  // namespace

std::vector<ColumnTable> declared_tables() {
  std::vector<ColumnTable> all;
  ResultTables::for_each([&](const auto& table) { all.push_back(declared(table)); });
  all.push_back(declared(MessagesTable::declaration()));
  all.push_back(declared(histograms()));
  return all;
}

std::vector<ColumnTable> tables_of(const Results& results, bool has_pauses) {
  std::vector<ColumnTable> all;
  for_each_table(results, [&](const auto& table) {
    if (table.is_asked_for && !has_pauses) return;
    all.push_back(filled(table, results));
  });
  if (histograms().is_filled(results)) all.push_back(filled(histograms(), results));
  return all;
}

MessageColumns::MessageColumns(std::vector<std::string> jobs)
    : jobs_(std::move(jobs)),
      table_(declared(MessagesTable::declaration())),
      writers_(writers_of(table_)) {}

void MessageColumns::add(const MessageResult& message) {
  const MessageRow row{jobs_[message.job], message};
  const auto& columns = MessagesTable::declaration().columns;
  for (std::size_t c = 0; c < writers_.size(); ++c) writers_[c].add(columns[c].value(row));
  ++table_.rows;
}

ColumnTable MessageColumns::take() {
  writers_.clear();
  return std::move(table_);
}

}  // namespace weft::scenarios
