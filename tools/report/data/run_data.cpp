#include "tools/report/data/run_data.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/blame/explain/repairs.hpp"
#include "scenarios/blame/explain/run_facts.hpp"
#include "scenarios/output/result_folder.hpp"
#include "scenarios/results/summary/former_names.hpp"
#include "scenarios/text/text_file.hpp"
#include "simcore/messages/size_class.hpp"
#include "tools/report/data/blame_data.hpp"
#include "tools/report/data/fabric_data.hpp"
#include "tools/report/data/message_data.hpp"
#include "tools/report/data/port_data.hpp"
#include "tools/report/data/series_data.hpp"
#include "tools/report/data/size_names.hpp"
#include "tools/report/trace/timeline_data.hpp"

namespace weft::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxItems = 1'000;  ///< of a list of the summary
constexpr std::size_t kMaxVictims = 200;
constexpr std::size_t kMaxScenario = 400'000;  ///< bytes of resolved.yaml

/// Lists that grow with a run are cut, and how many items are missing is said.
void cut_lists(Json& summary, Json& left_out) {
  for (auto& [name, value] : summary.items()) {
    if (!value.is_array() || value.size() <= kMaxItems) continue;
    left_out[name] = value.size() - kMaxItems;
    value.erase(value.begin() + kMaxItems, value.end());
  }
}

Result<Json> read_summary(const fs::path& folder) {
  const fs::path file = folder / "summary.json";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return Error{"cannot be read; expected a folder that `weft run` or `weft sweep` wrote",
                 {.file = file.string()}};
  }
  auto read = scenarios::read_json(file);
  if (!read.ok()) return read.errors();
  Json& summary = read.value();
  const bool is_summary = summary.is_object() && summary.contains("scenario") &&
                          summary.contains("jobs") && summary["jobs"].is_array() &&
                          summary.contains("simulated_seconds");
  if (!is_summary) return Error{"is not a summary of weft", {.file = file.string()}};
  scenarios::rename_former_results(summary);
  return std::move(summary);
}

/// Its beginning; nothing of what is no file.
std::string read_text(const fs::path& file, std::size_t max) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return {};
  std::ifstream in(file, std::ios::binary);
  std::string text(max, '\0');
  in.read(text.data(), static_cast<std::streamsize>(max));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return text;
}

Result<Json> read_victims(const fs::path& folder) {
  TableReader table(folder / "victims.csv");
  Json rows = Json::array();
  while (table.next()) {
    if (rows.size() == kMaxVictims) break;
    Json row = Json::array();
    for (std::size_t c = 0; c < table.header().size(); ++c) row.push_back(table.text(c));
    rows.push_back(std::move(row));
  }
  if (!table.errors().empty()) return table.errors();
  return Json{{"columns", table.header()}, {"rows", std::move(rows)}};
}

/// What the page calls the size class of a row of latency.csv; nothing where it is of all sizes.
std::string size_name(const TableReader& table, std::optional<std::size_t> above) {
  const auto min = above ? table.number(*above) : std::nullopt;
  if (!min) return "";
  const Bytes size(std::llround(std::clamp(*min, 0.0, 1e15)) + 1);
  return kSizeNames[size_class_of(size)];
}

/// Packet latencies, of all packets and of those of each job, and by the size of their messages: by
/// share that took at most so long.
Result<Json> read_latencies(const fs::path& folder) {
  TableReader table(folder / "latency.csv");
  const std::size_t job = table.column("job");
  std::optional<std::size_t> above;  // results of before have no sizes
  constexpr std::string_view kAbove = "above_bytes";
  if (std::ranges::count(table.header(), kAbove) > 0) above = table.column(kAbove);
  const std::size_t longer = table.column("longer");
  const std::size_t latency = table.column("latency_s");
  Json groups = Json::array();
  while (table.next()) {
    const std::string name(table.text(job));
    const std::string size = size_name(table, above);
    if (groups.empty() || groups.back()["job"] != name || groups.back()["size"] != size) {
      groups.push_back({{"job", name}, {"size", size}, {"seconds", Json::array()}});
    }
    groups.back()["seconds"].push_back(Json::array({short_number(1 - table.number_or_zero(longer)),
                                                    short_number(table.number_or_zero(latency))}));
  }
  if (!table.errors().empty()) return table.errors();
  return groups;
}

Json tail_json(const std::vector<TailMessage>& tail) {
  Json list = Json::array();
  for (const TailMessage& m : tail) {
    list.push_back({m.job, m.source_rank, m.destination_rank, m.source_host, m.destination_host,
                    short_number(m.bytes), short_number(m.start), short_number(m.time),
                    short_number(m.slowdown)});
  }
  return list;
}

/// What was expected of the run, with verdicts; an empty list where nothing was.
Result<Json> read_expectations(const fs::path& folder) {
  const fs::path file = folder / scenarios::kExpectationsFile;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return Json::array();
  auto read = scenarios::read_json(file);
  if (!read.ok()) return read.errors();
  const auto is_verdict = [](const Json& one) {
    return one.is_object() && one.contains("expectation") && one["expectation"].is_string() &&
           one.contains("holds") && one["holds"].is_boolean() && one.contains("values") &&
           one["values"].is_object();
  };
  if (!read.value().is_array() || !std::ranges::all_of(read.value(), is_verdict)) {
    return Error{"is no list of expectations of weft", {.file = file.string()}};
  }
  return std::move(read).value();
}

/// The tables that every run has: ports, messages, and the fabric that they are of.
Errors add_tables(const fs::path& folder, const Bounds& bounds, Json& run) {
  auto ports = read_ports(folder, bounds.ports);
  if (!ports) return ports.errors();
  auto messages = read_messages(folder, bounds.tail);
  if (!messages) return messages.errors();
  run["ports"] = ports_json(ports.value());
  run["distributions"] = std::move(messages.value().distributions);
  add_cut_off(run["summary"], run["distributions"]);
  run["tail"] = tail_json(messages.value().tail);
  run["fabric"] = fabric_json(folder, ports.value(), messages.value().tail);
  return {};
}

}  // namespace

Result<Json> run_json(const fs::path& folder, const Bounds& bounds) {
  auto summary = read_summary(folder);
  if (!summary) return summary.errors();
  const double seconds = summary.value()["simulated_seconds"].is_number()
                             ? summary.value()["simulated_seconds"].get<double>()
                             : 0.0;
  Json run{{"folder", folder.string()}};
  Json left_out = Json::object();
  cut_lists(summary.value(), left_out);
  run["summary"] = std::move(summary).value();
  run["left_out"] = std::move(left_out);
  run["scenario"] = read_text(folder / "resolved.yaml", kMaxScenario);
  if (Errors errors = add_tables(folder, bounds, run); !errors.empty()) return errors;
  const scenarios::RunFacts facts = scenarios::facts_of_folder(folder);
  auto expectations = read_expectations(folder);
  if (!expectations) return expectations.errors();
  run["expectations"] = std::move(expectations).value();
  run["late_ranks"] = Json::array();
  for (const auto& one : facts.late_ranks) {
    run["late_ranks"].push_back({{"job", one.job}, {"text", one.text}});
  }
  run["repairs"] = Json::array();
  for (const auto& one : scenarios::repairs_of(facts)) {
    run["repairs"].push_back(
        {{"without", one.without}, {"advice", one.advice}, {"because", one.because}});
  }
  std::error_code ignored;
  if (fs::exists(folder / "blame.csv", ignored)) {
    const auto blame = scenarios::read_blame(folder);
    if (!blame) return blame.errors();
    run["blame"] = blame_json(blame.value(), facts);
  }
  auto series = series_json(folder, seconds);
  if (!series) return series.errors();
  run["series"] = std::move(series).value();
  auto latencies = read_latencies(folder);
  if (!latencies) return latencies.errors();
  run["latencies"] = std::move(latencies).value();
  auto victims = read_victims(folder);
  if (!victims) return victims.errors();
  run["victims"] = std::move(victims).value();
  run["timeline"] = timeline_json(folder, bounds.slices);
  return run;
}

}  // namespace weft::report
