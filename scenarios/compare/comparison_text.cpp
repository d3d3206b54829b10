#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "scenarios/compare/comparison.hpp"
#include "scenarios/results/coverage.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios {
namespace {

using Json = nlohmann::ordered_json;
using Row = Comparison::Row;

constexpr std::size_t kMaxKeys = 40;

std::string quantity(std::string_view unit, const std::optional<double>& value) {
  if (!value) return "-";
  if (unit == "s") return format_time(*value);
  if (unit == "bytes") return format_bytes(*value);
  if (unit == "x") return fmt::format("{:.3f}x", *value);
  if (unit == "share") return format_share(*value);
  if (unit == "tokens/s") return format_tokens(*value);
  if (unit == "$") return format_dollars(*value);
  return format_count(static_cast<std::int64_t>(*value));
}

std::string ratio(const std::optional<double>& first, const std::optional<double>& other) {
  return first && other && *first > 0 ? fmt::format("{:.3f}", *other / *first) : "-";
}

/// What the runs are called in tables: their engines where these tell them apart, else letters.
std::vector<std::string> labels_of(const std::vector<ComparedRun>& runs) {
  std::vector<std::string> labels;
  labels.reserve(runs.size());
  for (const ComparedRun& run : runs) labels.push_back(run.folder.engine);
  std::vector<std::string> sorted = labels;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return labels;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    labels[i] = i < 26 ? std::string(1, static_cast<char>('A' + i)) : std::to_string(i + 1);
  }
  return labels;
}

/// Values of all runs, and behind each but the first its ratio to that.
std::string table_text(const std::string& title, const std::vector<std::string>& labels,
                       const std::vector<Row>& rows) {
  if (rows.empty()) return {};
  std::vector<std::string> header{title};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    header.push_back(labels[i]);
    if (i > 0) header.push_back(labels[i] + "/" + labels.front());
  }
  TextTable table(std::move(header));
  for (const Row& row : rows) {
    std::vector<std::string> line{row.name};
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      line.push_back(quantity(row.unit, row.values[i]));
      if (!row.cut_off.empty() && row.cut_off[i]) line.back() += ", " + *row.cut_off[i];
      if (i > 0) line.push_back(ratio(row.values.front(), row.values[i]));
    }
    table.add(std::move(line));
  }
  return table.to_string("  ") + "\n";
}

std::string keys_text(const std::vector<std::string>& labels, const Comparison& c) {
  if (c.scenario.empty()) return {};
  std::vector<std::string> header{"the scenarios differ in"};
  header.insert(header.end(), labels.begin(), labels.end());
  TextTable table(std::move(header));
  for (std::size_t i = 0; i < std::min(c.scenario.size(), kMaxKeys); ++i) {
    std::vector<std::string> line{c.scenario[i].path};
    for (const std::string& value : c.scenario[i].values)
      line.push_back(value.empty() ? "-" : value);
    table.add(std::move(line));
  }
  std::string text = table.to_string("  ");
  if (c.scenario.size() > kMaxKeys) {
    text += fmt::format("  and {} more\n",
                        counted(static_cast<std::int64_t>(c.scenario.size() - kMaxKeys), "key"));
  }
  return text + "\n";
}

/// Beside jobs that differ, those that do not.
std::string same_jobs_text(const Comparison& c) {
  constexpr std::size_t kMax = 4;
  if (c.same_jobs.empty() || !c.has_differences()) return {};
  std::string text;
  for (std::size_t i = 0; i < std::min(kMax, c.same_jobs.size()); ++i) {
    text += (i == 0 ? "" : ", ") + escaped(c.same_jobs[i]);
  }
  if (c.same_jobs.size() > kMax) text += fmt::format(" and {} more", c.same_jobs.size() - kMax);
  return fmt::format("  the same in all runs: {}\n\n", text);
}

std::string ports_text(const std::vector<std::string>& labels, const Comparison& c) {
  std::string lone = c.lone_ports == 0
                         ? ""
                         : fmt::format("  {} that not all of the runs have\n\n",
                                       counted(static_cast<std::int64_t>(c.lone_ports), "port"));
  if (c.ports.empty()) return lone;
  std::vector<Row> rows;
  for (const Comparison::Port& port : c.ports) {
    std::string name = port.name;
    for (const Row& number : port.numbers) {
      rows.push_back({name + ": " + number.name, number.unit, number.values});
      name = std::string(port.name.size(), ' ');
    }
  }
  std::string text = table_text("most different ports", labels, rows);
  if (c.other_ports > 0) {
    text.pop_back();
    text += fmt::format("  and {} more that differ\n\n", c.other_ports);
  }
  return text + lone;
}

std::string messages_text(const std::vector<ComparedRun>& runs,
                          const std::vector<std::string>& labels, const Comparison& c) {
  std::vector<Row> rows;
  for (const Comparison::MessagePair& pair : c.worst_messages) {
    rows.push_back({fmt::format("{} rank {} -> {}, {}", runs.front().folder.jobs[pair.job].name,
                                pair.source_rank, pair.destination_rank,
                                format_bytes(static_cast<double>(pair.bytes))),
                    "s",
                    {pair.first, pair.second}});
  }
  std::string text = table_text("most different messages", labels, rows);
  if (c.paired + c.unpaired > 0 && c.has_differences()) {
    text += fmt::format("  {} compared, {} completed in one run only\n",
                        counted(static_cast<std::int64_t>(c.paired), "message"),
                        format_count(static_cast<std::int64_t>(c.unpaired)));
  }
  return text;
}

Json rows_json(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    Json values = Json::array();
    for (const auto& value : row.values) values.push_back(value ? Json(*value) : Json(nullptr));
    list.push_back({{"name", row.name}, {"unit", row.unit}, {"values", std::move(values)}});
    if (row.cut_off.empty()) continue;
    Json cut_off = Json::array();
    for (const auto& text : row.cut_off) cut_off.push_back(text ? Json(*text) : Json(nullptr));
    list.back()[kCutOff] = std::move(cut_off);
  }
  return list;
}

}  // namespace

std::string comparison_text(const std::vector<ComparedRun>& runs, const Comparison& c) {
  const std::vector<std::string> labels = labels_of(runs);
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    text += fmt::format("{}: {}\n", labels[i], runs[i].folder.folder);
  }
  text += "\n";
  if (!c.has_differences()) text += "  no difference\n";
  text += keys_text(labels, c);
  text += table_text("job", labels, c.jobs) + same_jobs_text(c);
  text += table_text("message completion", labels, c.tails);
  text += table_text("network", labels, c.network);
  text += ports_text(labels, c);
  text += table_text("critical path (by culprit: weft explain)", labels, c.critical_path);
  text += messages_text(runs, labels, c);
  if (!c.has_differences()) return text;
  for (const std::string& note : c.notes) text += "  note: " + note + "\n";
  return text;
}

Json comparison_json(const std::vector<ComparedRun>& runs, const Comparison& c) {
  Json json{{"runs", Json::array()}, {"same", !c.has_differences()}, {"scenario", Json::array()}};
  for (const ComparedRun& run : runs) {
    json["runs"].push_back({{"folder", run.folder.folder},
                            {"engine", run.folder.engine},
                            {"seed", run.folder.seed},
                            {"results_sha256", run.folder.results_sha256}});
  }
  for (const Comparison::Key& key : c.scenario) {
    json["scenario"].push_back({{"key", key.path}, {"values", key.values}});
  }
  json["jobs"] = rows_json(c.jobs);
  json["messages"] = rows_json(c.tails);
  json["network"] = rows_json(c.network);
  json["ports"] = Json::array();
  for (const Comparison::Port& port : c.ports) {
    json["ports"].push_back({{"port", port.name}, {"numbers", rows_json(port.numbers)}});
  }
  json["ports_not_in_all"] = c.lone_ports;
  json["critical_path"] = rows_json(c.critical_path);
  json["most_different_messages"] = Json::array();
  for (const Comparison::MessagePair& pair : c.worst_messages) {
    json["most_different_messages"].push_back({{"job", runs.front().folder.jobs[pair.job].name},
                                               {"source_rank", pair.source_rank},
                                               {"destination_rank", pair.destination_rank},
                                               {"bytes", pair.bytes},
                                               {"values", {pair.first, pair.second}}});
  }
  json["notes"] = c.notes;
  return json;
}

}  // namespace weft::scenarios
