#include "scenarios/compare/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "scenarios/compare/message_pairs.hpp"
#include "scenarios/results/coverage.hpp"
#include "scenarios/results/tables/messages_table.hpp"

namespace weft::scenarios {
namespace {

using Key = Comparison::Key;
using Row = Comparison::Row;

/// Numbers of summary.json that say how a run was made, or that other tables have.
constexpr std::string_view kNetwork = "network.";
constexpr std::string_view kStorms = "pause_storms.";
constexpr std::string_view kIsolated = "isolated.";

bool differ(const std::vector<std::optional<double>>& values) {
  return std::ranges::any_of(values, [&](const auto& v) { return v != values.front(); });
}

/// How far a run is from the first, whatever the direction; what one of them lacks is far.
double distance(const std::vector<std::optional<double>>& values) {
  double max = 0;
  for (const auto& value : values) {
    if (!value || !values.front()) continue;
    const double a = *values.front();
    const double b = *value;
    if (a > 0 && b > 0) max = std::max(max, std::abs(std::log(b / a)));
  }
  return max;
}

void sort_by_distance(std::vector<Row>& rows) {
  std::ranges::stable_sort(rows, std::greater<>{},
                           [](const Row& row) { return distance(row.values); });
}

/// The union of what the runs have, in the order of the first that has it.
template <class Value, class Pairs>
std::vector<std::pair<std::string, std::vector<std::optional<Value>>>> side_by_side(
    const std::vector<ComparedRun>& runs, Pairs pairs_of) {
  std::vector<std::pair<std::string, std::vector<std::optional<Value>>>> rows;
  std::map<std::string, std::size_t> place;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const auto& [name, value] : pairs_of(runs[r])) {
      const auto [known, is_new] = place.try_emplace(name, rows.size());
      if (is_new) rows.emplace_back(name, std::vector<std::optional<Value>>(runs.size()));
      rows[known->second].second[r] = value;
    }
  }
  return rows;
}

void compare_scenarios(const std::vector<ComparedRun>& runs, Comparison& c) {
  const auto keys = [](const ComparedRun& run) -> const auto& { return run.folder.keys; };
  for (const auto& row : side_by_side<std::string>(runs, keys)) {
    const std::vector<std::optional<std::string>>& values = row.second;
    if (std::ranges::count(values, values.front()) == std::ssize(values)) continue;
    Key key{.path = row.first, .values = {}};
    for (const auto& value : values) key.values.push_back(value.value_or(""));
    c.scenario.push_back(std::move(key));
  }
}

std::vector<std::pair<std::string, double>> numbers_under(const ComparedRun& run,
                                                          std::string_view start) {
  std::vector<std::pair<std::string, double>> found;
  for (const auto& number : run.folder.numbers) {
    if (number.first.starts_with(start)) found.push_back(number);
  }
  return found;
}

/// `isolated.NAME.slowdown`
void compare_slowdowns(const std::vector<ComparedRun>& runs, Comparison& c) {
  constexpr std::string_view kSlowdown = ".slowdown";
  const auto slowdowns = [&](const ComparedRun& run) {
    std::vector<std::pair<std::string, double>> found;
    for (const auto& [path, number] : numbers_under(run, kIsolated)) {
      if (!path.ends_with(kSlowdown)) continue;
      const std::size_t length = path.size() - kIsolated.size() - kSlowdown.size();
      found.emplace_back(path.substr(kIsolated.size(), length) + ", slowdown", number);
    }
    return found;
  };
  for (auto& [name, values] : side_by_side<double>(runs, slowdowns)) {
    if (differ(values)) c.jobs.push_back({name, "x", values});
  }
}

/// What training comes to: how fast, for how much of what GPUs can do, and what it costs.
void compare_training(const std::vector<ComparedRun>& runs, Comparison& c) {
  struct Number {
    std::string_view key;
    const char* name;
    const char* unit;
  };
  constexpr std::array<Number, 4> kNumbers{
      {{".tokens_per_second", "trains at", "tokens/s"},
       {".mfu", "MFU", "share"},
       {".dollars_per_step", "a step costs", "$"},
       {".dollars_per_million_tokens", "1 M tokens cost", "$"}}};
  constexpr std::string_view kTraining = "training.";
  for (const Number& number : kNumbers) {
    const auto all = [&number, kTraining](const ComparedRun& run) {
      std::vector<std::pair<std::string, double>> found;
      for (const auto& [path, value] : run.folder.numbers) {
        if (!path.starts_with(kTraining) || !path.ends_with(number.key)) continue;
        const std::size_t length = path.size() - kTraining.size() - number.key.size();
        found.emplace_back(path.substr(kTraining.size(), length) + ", " + number.name, value);
      }
      return found;
    };
    for (auto& [name, values] : side_by_side<double>(runs, all)) {
      if (differ(values)) c.jobs.push_back({name, number.unit, values});
    }
  }
}

void compare_jobs(const std::vector<ComparedRun>& runs, Comparison& c) {
  const auto times = [](const ComparedRun& run) {
    std::vector<std::pair<std::string, double>> all;
    for (const RunFolder::Job& job : run.folder.jobs) {
      if (job.jct) all.emplace_back(job.name, *job.jct);
    }
    for (const auto& [path, number] : run.folder.numbers) {
      if (path.starts_with("training.") && path.ends_with(".step_seconds.mean")) {
        const std::string job = path.substr(9, path.size() - 9 - 18);
        all.emplace_back(job + ", a step", number);
      }
    }
    return all;
  };
  for (auto& [name, values] : side_by_side<double>(runs, times)) {
    const bool has_all = std::ranges::all_of(values, [](const auto& value) { return !!value; });
    if (differ(values)) {
      c.jobs.push_back({name, "s", values});
    } else if (has_all) {
      c.same_jobs.push_back(name);
    }
  }
  sort_by_distance(c.jobs);
  compare_training(runs, c);
  compare_slowdowns(runs, c);
}

/// A percentile of a run, and what it is of.
struct Percentile {
  double value = 0;
  std::optional<std::string> cut_off;
};

/// `messages.fct_seconds.p999` and `jobs.NAME.fct_seconds.p999`.
std::vector<std::pair<std::string, Percentile>> percentiles_of(const ComparedRun& run) {
  constexpr std::string_view kTimes = ".fct_seconds.";
  const std::map<std::string, double> numbers(run.folder.numbers.begin(), run.folder.numbers.end());
  const NumberAt number_at = [&](const std::string& path) -> std::optional<double> {
    const auto found = numbers.find(path);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  };
  std::vector<std::pair<std::string, Percentile>> found;
  for (const auto& [path, number] : run.folder.numbers) {
    const std::size_t at = path.find(kTimes);
    if (at == std::string::npos) continue;
    const std::string percentile = path.substr(at + kTimes.size());
    const std::string of = path.starts_with("jobs.") ? path.substr(5, at - 5) : "all messages";
    found.emplace_back(
        of + ", " + (percentile == "p999" ? "p99.9" : percentile),
        Percentile{number, cut_off_text(coverage_at(path, run.folder.outcome, number_at))});
  }
  return found;
}

void compare_tails(const std::vector<ComparedRun>& runs, Comparison& c) {
  for (auto& [name, percentiles] : side_by_side<Percentile>(runs, percentiles_of)) {
    Row row{name, "s", {}};
    bool is_cut = false;
    for (const auto& percentile : percentiles) {
      row.values.push_back(percentile ? std::optional(percentile->value) : std::nullopt);
      row.cut_off.push_back(percentile ? percentile->cut_off : std::nullopt);
      is_cut = is_cut || row.cut_off.back();
    }
    if (!is_cut) row.cut_off.clear();
    if (differ(row.values)) c.tails.push_back(std::move(row));
  }
}

std::string unit_of_number(std::string_view path) {
  if (path.ends_with("_seconds")) return "s";
  return path.ends_with("_bytes") ? "bytes" : "";
}

/// Packets by the thousand differ wherever anything does: what went wrong is what counts.
bool is_traffic(std::string_view path) {
  return path.ends_with("packets_injected") || path.ends_with("packets_delivered");
}

void compare_network(const std::vector<ComparedRun>& runs, Comparison& c) {
  const auto numbers = [](const ComparedRun& run) {
    std::vector<std::pair<std::string, double>> found = numbers_under(run, kNetwork);
    for (const auto& [path, number] : numbers_under(run, kStorms)) {
      if (path.find('.', kStorms.size()) == std::string::npos) found.emplace_back(path, number);
    }
    return found;
  };
  for (auto& [path, values] : side_by_side<double>(runs, numbers)) {
    if (!differ(values) || is_traffic(path)) continue;
    const std::string name = path.substr(path.find('.') + 1);
    c.network.push_back(
        {path.starts_with(kNetwork) ? name : "storms: " + name, unit_of_number(path), values});
  }
}

std::string unit_of_column(std::string_view column) {
  if (column.ends_with("_s")) return "s";
  if (column.ends_with("_bytes")) return "bytes";
  return column == "utilisation" ? "share" : "";
}

/// Columns that say what happened to a port; how much it carried follows from its use.
bool is_compared(std::string_view column) {
  return column != "rate_bps" && column != "bytes" && column != "packets";
}

using PortNumbers = std::map<std::string, std::map<std::string, double>>;

PortNumbers ports_of(const ComparedRun& run) {
  PortNumbers ports;
  for (const RunFolder::Port& port : run.folder.ports) {
    for (std::size_t i = 0; i < port.numbers.size(); ++i) {
      if (!is_compared(run.folder.port_columns[i]) || std::isnan(port.numbers[i])) continue;
      ports[port.name][run.folder.port_columns[i]] = port.numbers[i];
    }
  }
  return ports;
}

struct RankedPort {
  Comparison::Port port;
  double weight = 0;
};

/// Numbers of one port in all runs, those that differ most; `scale` has the largest of each column
/// in any of them.
RankedPort compare_port(const std::string& name, const std::vector<PortNumbers>& ports,
                        const std::map<std::string, double>& scale) {
  constexpr std::size_t kMaxNumbers = 3;
  std::vector<std::pair<double, Row>> rows;
  for (const auto& [column, largest] : scale) {
    Row row{column, unit_of_column(column), {}};
    for (const PortNumbers& run : ports) {
      const auto& numbers = run.at(name);
      const auto number = numbers.find(column);
      row.values.push_back(number == numbers.end() ? std::nullopt : std::optional(number->second));
    }
    if (!differ(row.values) || largest <= 0) continue;
    double change = 0;
    for (const auto& value : row.values) {
      change = std::max(change, std::abs(value.value_or(0) - row.values.front().value_or(0)));
    }
    rows.emplace_back(change / largest, std::move(row));
  }
  std::ranges::stable_sort(rows, std::greater<>{}, [](const auto& entry) { return entry.first; });
  RankedPort ranked{.port = {.name = name, .numbers = {}}};
  if (!rows.empty()) ranked.weight = rows.front().first;
  rows.resize(std::min(rows.size(), kMaxNumbers));
  for (auto& [change, row] : rows) ranked.port.numbers.push_back(std::move(row));
  return ranked;
}

void compare_ports(const std::vector<ComparedRun>& runs, std::size_t limit, Comparison& c) {
  std::vector<PortNumbers> ports;
  std::map<std::string, double> scale;
  std::map<std::string, std::size_t> names;  ///< in how many runs
  for (const ComparedRun& run : runs) {
    ports.push_back(ports_of(run));
    for (const auto& [name, numbers] : ports.back()) {
      ++names[name];
      for (const auto& [column, number] : numbers) {
        scale[column] = std::max(scale[column], number);
      }
    }
  }
  std::vector<RankedPort> ranked;
  for (const auto& [name, count] : names) {
    if (count < runs.size()) {
      ++c.lone_ports;
      continue;
    }
    RankedPort port = compare_port(name, ports, scale);
    if (!port.port.numbers.empty()) ranked.push_back(std::move(port));
  }
  std::ranges::stable_sort(ranked, std::greater<>{}, &RankedPort::weight);
  c.other_ports = ranked.size() - std::min(limit, ranked.size());
  ranked.resize(std::min(limit, ranked.size()));
  for (RankedPort& port : ranked) c.ports.push_back(std::move(port.port));
}

void compare_paths(const std::vector<ComparedRun>& runs, std::size_t limit, Comparison& c) {
  const bool all = std::ranges::all_of(runs, [](const ComparedRun& r) { return !!r.blame; });
  if (!all) {
    c.notes.emplace_back(
        "critical paths are not compared: that needs `weft run --blame` of every run");
    return;
  }
  const auto times = [](const ComparedRun& run) {
    std::map<std::string, double> sums;
    for (const BlameEntry& entry : *run.blame) {
      sums[entry.job + ": " + entry.cause] += to_seconds(entry.time);
    }
    return std::vector<std::pair<std::string, double>>(sums.begin(), sums.end());
  };
  for (auto& [name, values] : side_by_side<double>(runs, times)) {
    if (differ(values)) c.critical_path.push_back({name, "s", values});
  }
  std::ranges::stable_sort(c.critical_path, std::greater<>{}, [](const Row& row) {
    double max = 0;
    for (const auto& v : row.values) {
      max = std::max(max, std::abs(v.value_or(0) - row.values.front().value_or(0)));
    }
    return max;
  });
  if (c.critical_path.size() > limit) c.critical_path.resize(limit);
}

void compare_messages(const std::vector<ComparedRun>& runs, std::size_t limit, Comparison& c) {
  if (runs.size() != 2) return;
  const RunFolder& first = runs[0].folder;
  const RunFolder& second = runs[1].folder;
  if (first.messages && second.messages) {
    pair_messages(first, second, limit, c);
    return;
  }
  const RunFolder& without = first.messages ? second : first;
  const std::string file = MessagesTable::declaration().file;
  c.notes.push_back("messages are not compared one by one: " + without.folder +
                    (without.has_too_many_messages
                         ? " has more than " + std::to_string(kMaxPaired) + " of them in " + file
                         : " has no " + file));
}

}  // namespace

bool Comparison::has_differences() const {
  return !scenario.empty() || !jobs.empty() || !tails.empty() || !network.empty() ||
         !ports.empty() || lone_ports > 0 || !critical_path.empty() || !worst_messages.empty() ||
         unpaired > 0;
}

Result<ComparedRun> read_compared_run(const std::filesystem::path& folder) {
  auto run = read_run_folder(folder);
  if (!run.ok()) return run.errors();
  ComparedRun compared{.folder = std::move(run).value(), .blame = {}};
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "blame.csv", ignored)) return compared;
  auto blame = read_blame(folder);
  if (!blame.ok()) return blame.errors();
  compared.blame = std::move(blame).value();
  return compared;
}

Comparison compare_runs(const std::vector<ComparedRun>& runs, std::size_t limit) {
  Comparison c;
  compare_scenarios(runs, c);
  compare_jobs(runs, c);
  compare_tails(runs, c);
  compare_network(runs, c);
  compare_ports(runs, limit, c);
  compare_paths(runs, limit, c);
  compare_messages(runs, limit, c);
  return c;
}

}  // namespace weft::scenarios
