#include "tools/evidence/nccl_tests/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "simcore/base/escape.hpp"
#include "tools/evidence/nccl_log/nccl_log.hpp"
#include "tools/evidence/nccl_tests/checks.hpp"
#include "tools/evidence/nccl_tests/json.hpp"
#include "tools/evidence/nccl_tests/tables.hpp"

namespace weft::evidence {
namespace {

constexpr std::size_t kMaxRemarks = 20;  ///< about rows of a table; the rest is counted

std::optional<std::string_view> recognise_nccl_tests(const import::InputFile& file) {
  if (is_json(file.text())) {
    for (const std::string_view key : {"\"out_of_place\"", "\"warmup_iters\""}) {
      if (file.text().find(key) != std::string_view::npos) return "`results` with `out_of_place`";
    }
    return {};
  }
  constexpr std::size_t max_line = 4096;
  for (const std::string_view line : file.lines()) {
    if (line.size() > max_line) continue;
    if (line.find("Avg bus bandwidth") != line.npos) return "`Avg bus bandwidth`";
    if (line.find("# nThread") != line.npos) return "`# nThread`";
    if (line.find("Collective test starting") != line.npos) return "`Collective test starting`";
    const std::vector<std::string> words = words_of(line);
    if (read_header(words)) return "columns time, algbw and busbw";
    if (!looks_like_row(words)) continue;
    MeasuredRow row;
    if (read_row(words, {}, row).empty()) return "rows of size, count, type, time and algbw";
  }
  return {};
}

/// One row in one placement.
struct Sample {
  std::int64_t bytes;
  double time_us;
  int line;
};

/// Ascending sizes, each once: of several times of a size the median.
std::vector<MeasuredTime> times_of(const import::InputFile& file, std::vector<Sample> samples,
                                   Remarks& remarks) {
  std::ranges::sort(samples, {},
                    [](const Sample& s) { return std::tuple(s.bytes, s.time_us, s.line); });
  std::vector<MeasuredTime> times;
  std::size_t repeated = 0;
  for (std::size_t begin = 0; begin < samples.size();) {
    std::size_t end = begin;
    while (end < samples.size() && samples[end].bytes == samples[begin].bytes) ++end;
    const Sample& median = samples[begin + (end - begin - 1) / 2];
    if (end - begin > 1) ++repeated;
    times.push_back(
        {median.bytes, median.time_us, file.line(static_cast<std::size_t>(median.line))});
    begin = end;
  }
  if (repeated > 0) {
    add_warning(remarks, times.front().where,
                fmt::format("{} size{} measured more than once: of each the median is taken",
                            repeated, repeated == 1 ? " is" : "s are"));
  }
  return times;
}

/// Rows that check, each with what is said of the others.
std::vector<const MeasuredRow*> checked_rows(const import::InputFile& file,
                                             const MeasuredTable& table,
                                             const std::string& operation, std::uint32_t ranks,
                                             Remarks& remarks) {
  std::vector<const MeasuredRow*> rows;
  std::size_t problems = 0;
  for (const MeasuredRow& row : table.rows) {
    const auto place = file.line(static_cast<std::size_t>(row.line));
    if (row.size == 0) {
      add_warning(remarks, place, "a row of size 0 is left out: nothing is sent");
      continue;
    }
    const std::string problem = problem_of_row(row, operation, ranks);
    if (problem.empty()) {
      rows.push_back(&row);
    } else if (++problems <= kMaxRemarks) {
      add_error(remarks, place, problem);
    }
  }
  if (problems > kMaxRemarks) {
    add_error(remarks, {.file = file.name()},
              fmt::format("{} more rows do not check", problems - kMaxRemarks));
  }
  return rows;
}

class SeriesReader {
 public:
  SeriesReader(const import::InputFile& file, Measurements& measurements)
      : file_(file), m_(measurements) {}

  void add(MeasuredTable table) {
    if (!check_table(file_, table, m_.remarks)) return;
    const auto operation = settle_operation(file_, table, m_.remarks);
    if (!operation) return;
    auto on = settle_machine(file_, table, *operation, m_.remarks);
    if (!on) return;
    std::set<std::uint32_t> groups;
    for (const auto& [rank, group] : table.rank_groups) groups.insert(group);
    if (groups.size() > 1) {
      add_warning(
          m_.remarks, file_.line(static_cast<std::size_t>(table.line)),
          fmt::format("{} groups of {} ranks run at the same time (NCCL_TESTS_SPLIT): times "
                      "are those of one group beside the others",
                      groups.size(), on->ranks));
    }
    const auto rows = checked_rows(file_, table, *operation, on->ranks, m_.remarks);
    std::map<std::string, std::vector<const MeasuredRow*>> kinds;
    std::vector<std::string> order;
    for (const MeasuredRow* row : rows) {
      auto& of_kind = kinds[row->kind];
      if (of_kind.empty()) order.push_back(row->kind);
      of_kind.push_back(row);
    }
    constexpr std::size_t kMaxNamed = std::size_t{1} << 24U;  // ranks of all series together
    if (order.size() * on->rank_hosts.size() > kMaxNamed) {
      add_warning(
          m_.remarks, {.file = file_.name()},
          fmt::format("has {} series of {} ranks: hosts are not taken", order.size(), on->ranks));
      on->hosts.clear();
      on->rank_hosts.clear();
    }
    for (const std::string& kind : order) {
      Series series{.operation = *operation,
                    .groups = static_cast<std::uint32_t>(std::max<std::size_t>(1, groups.size())),
                    .on = *on};
      add_series(series, table, kinds[kind]);
    }
  }

 private:
  void add_series(Series series, const MeasuredTable& table,
                  const std::vector<const MeasuredRow*>& rows) {
    const MeasuredRow& first = *rows.front();
    series.type = first.type;
    series.reduction = first.redop == "none" ? "" : first.redop;
    series.root = first.root;
    series.where = file_.line(static_cast<std::size_t>(first.line));
    for (const bool is_in_place : {false, true}) {
      std::vector<Sample> samples;
      for (const MeasuredRow* row : rows) {
        const Printed& time = is_in_place ? row->in_place_us : row->time_us;
        if (time.value > 0) samples.push_back({row->size, time.value, row->line});
      }
      if (samples.empty()) continue;
      Remarks repeated;
      series.in_place = is_in_place;
      series.times = times_of(file_, std::move(samples), repeated);
      if (!is_in_place) {
        m_.remarks.insert(m_.remarks.end(), repeated.begin(), repeated.end());
        say(series, table);
      }
      m_.series.push_back(series);
    }
  }

  void say(const Series& series, const MeasuredTable& table) {
    std::string text =
        fmt::format("{}: nccl-tests{}{}: {}", escaped(file_.name()),
                    table.version.empty() ? "" : " ", escaped(table.version), series.operation);
    if (series.on.ranks > 0) text += fmt::format(" of {} ranks", series.on.ranks);
    if (const std::size_t hosts = series.on.hosts.size(); hosts > 0) {
      text += fmt::format(" on {} host{}", hosts, hosts == 1 ? "" : "s");
    }
    text += fmt::format(", {} size{}, {}", series.times.size(), series.times.size() == 1 ? "" : "s",
                        series.type);
    if (!series.reduction.empty() && series.reduction != "sum") text += ", " + series.reduction;
    if (series.root.value_or(0) > 0) text += fmt::format(", root {}", *series.root);
    m_.recognised.push_back(std::move(text));
  }

  const import::InputFile& file_;
  Measurements& m_;
};

/// Whether the text has nothing but the average, which mixes sizes.
void refuse_without_rows(const import::InputFile& file, Remarks& remarks) {
  const bool has_average = file.text().find("Avg bus bandwidth") != std::string_view::npos;
  add_error(remarks, {.file = file.name()},
            has_average
                ? "has no rows, only an average of bus bandwidths over sizes, which says nothing: "
                  "hand in the whole output"
                : "has no row of nccl-tests, such as `1048576 262144 float sum -1 35.2 29.8 52.1 "
                  "0`: did the run fail?");
}

void read_series(const import::InputFile& file, Measurements& measurements) {
  auto tables = read_nccl_tests(file);
  if (!tables) {
    for (const Error& error : tables.errors()) {
      add_error(measurements.remarks, error.where, error.message);
    }
    return;
  }
  if (tables.value().empty()) return refuse_without_rows(file, measurements.remarks);
  Measurements read;
  SeriesReader reader(file, read);
  for (MeasuredTable& table : tables.value()) reader.add(std::move(table));
  if (!has_errors(read.remarks)) read_nccl_lines(file, read);
  take(measurements, std::move(read));
}

}  // namespace

Form nccl_tests_form() {
  return {.name = "nccl-tests",
          .about = "output of nccl-tests, as text or as JSON (-J)",
          .command = "all_reduce_perf -b 8 -e 8G -f 2, built with MPI=1",
          .recognise = recognise_nccl_tests,
          .read = read_series};
}

}  // namespace weft::evidence
