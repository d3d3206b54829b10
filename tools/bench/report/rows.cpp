#include "tools/bench/report/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace weft::bench {
namespace {

using nlohmann::json;

std::string plain_name(std::string name) {
  for (const char* suffix : {"/manual_time", "/iterations:1"}) {
    const std::size_t at = name.find(suffix);
    if (at != std::string::npos) name.erase(at, std::string(suffix).size());
  }
  return name;
}

double nanoseconds(double time, const std::string& unit) {
  if (unit == "us") return time * 1e3;
  if (unit == "ms") return time * 1e6;
  return unit == "s" ? time * 1e9 : time;
}

bool is_counter(const std::string& key) {
  static const std::vector<std::string> known{"family_index", "per_family_instance_index",
                                              "repetitions",  "repetition_index",
                                              "threads",      "iterations",
                                              "real_time",    "cpu_time"};
  return std::find(known.begin(), known.end(), key) == known.end();
}

void add_row(const json& entry, Rows& rows) {
  if (entry.at("run_type") != "iteration") return;
  const std::string name = entry.at("name");
  // Rows that time themselves say so; of the others the processor time counts.
  const char* time = name.find("/manual_time") != std::string::npos ? "real_time" : "cpu_time";
  auto& row = rows.samples[plain_name(name)];
  row[kTime].values.push_back(nanoseconds(entry.at(time), entry.at("time_unit")));
  for (const auto& [key, value] : entry.items()) {
    if (value.is_number() && is_counter(key)) row[key].values.push_back(value);
  }
}

}  // namespace

double Sample::median() const {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}
double Sample::min() const { return *std::min_element(values.begin(), values.end()); }
double Sample::max() const { return *std::max_element(values.begin(), values.end()); }

const Sample* Rows::find(const std::string& row, const std::string& value) const {
  const auto it = samples.find(row);
  if (it == samples.end()) return nullptr;
  const auto sample = it->second.find(value);
  return sample == it->second.end() ? nullptr : &sample->second;
}

double Rows::calibration() const {
  const Sample* sample = find(kCalibration, kTime);
  return sample == nullptr ? 0 : sample->median();
}

std::optional<Rows> read_rows(const std::string& path) {
  try {
    std::ifstream in(path);
    if (!in) {
      std::fprintf(stderr, "%s cannot be read\n", path.c_str());
      return std::nullopt;
    }
    const json file = json::parse(in);
    Rows rows;
    const json& context = file.at("context");
    rows.date = context.at("date");
    rows.machine = fmt::format("{} cores of {} MHz", context.at("num_cpus").get<int>(),
                               context.at("mhz_per_cpu").get<int>());
    for (const json& load : context.at("load_avg")) {
      rows.load += fmt::format("{}{:.1f}", rows.load.empty() ? "" : ", ", load.get<double>());
    }
    for (const json& entry : file.at("benchmarks")) add_row(entry, rows);
    return rows;
  } catch (const json::exception& error) {
    std::fprintf(stderr, "%s is no output of tools/bench/run: %s\n", path.c_str(), error.what());
    return std::nullopt;
  }
}

std::string main_value(const Rows& rows, const std::string& row) {
  for (const char* value : {"ns_per_hop", "of_copies"}) {
    if (rows.find(row, value) != nullptr) return value;
  }
  return kTime;
}

}  // namespace weft::bench
