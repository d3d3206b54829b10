#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/results/coverage.hpp"
#include "scenarios/results/summary/summary_record.hpp"
#include "tools/report/data/run_data.hpp"

namespace weft::report {
namespace {

using scenarios::kCutOff;

const Json* member(const Json* json, std::string_view key) {
  if (json == nullptr || !json->is_object()) return nullptr;
  const auto found = json->find(key);
  return found == json->end() ? nullptr : &*found;
}

std::string name_of(const Json& row, std::string_view list) {
  const Json* name = member(&row, scenarios::row_name_key(list));
  return name != nullptr && name->is_string() ? name->get<std::string>() : std::string();
}

/// The number at a path whose lists are gone through by the names of their rows, which may have
/// points in them.
std::optional<double> number_at(const Json& json, std::string_view path) {
  const Json* at = &json;
  while (at != nullptr && !path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    const std::string key(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    at = member(at, key);
    if (at == nullptr || !at->is_array()) continue;
    const Json* row = nullptr;
    for (const Json& item : *at) {
      const std::string name = name_of(item, key) + ".";
      if (!path.starts_with(name)) continue;
      row = &item;
      path.remove_prefix(name.size());
      break;
    }
    at = row;
  }
  return at != nullptr && at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

class Summary {
 public:
  explicit Summary(Json& json) : json_(json) {
    const Json* outcome = member(&json, scenarios::summary_keys::kOutcome);
    if (outcome != nullptr && outcome->is_string()) outcome_ = outcome->get<std::string>();
  }

  void complete() {
    for (const char* quantity : {"fct_seconds", "slowdown"}) {
      add(json_["messages"], quantity, std::string("messages.") + quantity + ".p50");
      for (const char* list : {"jobs", "sizes"}) complete_list(list, quantity, ".p50");
    }
    add(json_, "packet_latency_seconds", "packet_latency_seconds.p50");
    complete_list("training", "step_seconds", ".p50");
    complete_list("isolated", "fct_p99_seconds", ".shared");
  }

  [[nodiscard]] bool is_cut(const std::string& job) const {
    if (job.empty()) return outcome_ != "finished";
    return outcome_ != "finished" && !number_at(json_, "jobs." + job + ".jct_seconds");
  }

 private:
  void complete_list(const std::string& list, const std::string& quantity,
                     const std::string& percentile) {
    const auto rows = json_.find(list);
    if (rows == json_.end() || !rows->is_array()) return;
    for (Json& row : *rows) {
      std::string path = list;
      for (const std::string& step : {"." + name_of(row, list), "." + quantity, percentile}) {
        path += step;
      }
      add(row, quantity, path);
    }
  }

  void add(Json& of, const std::string& quantity, const std::string& path) {
    if (!of.is_object()) return;
    const auto percentiles = of.find(quantity);
    if (percentiles == of.end() || !percentiles->is_object()) return;
    if (percentiles->contains(kCutOff) || !number_at(json_, path)) return;
    const auto text = scenarios::cut_off_text(scenarios::coverage_at(
        path, outcome_, [this](const std::string& other) { return number_at(json_, other); }));
    if (text) (*percentiles)[kCutOff] = *text;
  }

  Json& json_;
  std::string outcome_ = "finished";
};

}  // namespace

void add_cut_off(Json& summary, Json& distributions) {
  Summary of_run(summary);
  if (summary.contains("messages")) of_run.complete();
  for (Json& group : distributions) {
    const auto completed = group.value("count", std::uint64_t{0});
    const scenarios::Coverage coverage{
        .completed = completed,
        .count = completed + group.value("unfinished", std::uint64_t{0}),
        .is_cut = of_run.is_cut(group.value("job", std::string()))};
    if (const auto text = scenarios::cut_off_text(coverage)) group[kCutOff] = *text;
  }
}

}  // namespace weft::report
