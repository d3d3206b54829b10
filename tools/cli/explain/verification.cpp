#include "tools/cli/explain/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/blame/explain/candidates.hpp"
#include "scenarios/blame/explain/counterfactual.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/text/csv.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/explain/repeated_run.hpp"
#include "tools/cli/output.hpp"

namespace weft::cli {
namespace {

using scenarios::BlameEntry;

/// By job: what it took.
std::map<std::string, Picoseconds> sum_by_job(const std::vector<BlameEntry>& blame) {
  std::map<std::string, Picoseconds> times;
  for (const BlameEntry& entry : blame) times[entry.job] += entry.time;
  return times;
}

/// What happened in a run that costs time, by name.
using Troubles = std::vector<std::pair<const char*, std::int64_t>>;

Troubles troubles_of(const protocols::NetworkTotals& t) {
  return {{"buffer drops", t.buffer_drops},
          {"retransmissions", static_cast<std::int64_t>(t.packets_retransmitted)},
          {"time-outs", static_cast<std::int64_t>(t.timeouts)},
          {"pauses", t.pauses},
          {"marks", t.ecn_marked}};
}

nlohmann::json summary_of(const std::string& folder) {
  std::ifstream in(std::filesystem::path(folder) / "summary.json");
  return nlohmann::json::parse(in, nullptr, false);
}

/// Those of the run in a folder; nothing where its summary.json has none.
Troubles troubles_of(const nlohmann::json& summary) {
  const auto network = summary.is_object() ? summary.find("network") : summary.end();
  if (network == summary.end() || !network->is_object()) return {};
  Troubles troubles = troubles_of(protocols::NetworkTotals());
  constexpr std::array<const char*, 5> kFields{"buffer_drops", "packets_retransmitted", "timeouts",
                                               "pfc_pauses", "ecn_marked"};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    const auto field = network->find(kFields[i]);
    if (field == network->end() || !field->is_number_integer()) return {};
    troubles[i].second = field->get<std::int64_t>();
  }
  return troubles;
}

/// What there is more of in a run that takes longer: `422,107 retransmissions instead of 0`.
std::string why_longer(const Troubles& before, const Troubles& after) {
  std::string text;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (after[i].second <= before[i].second) continue;
    text += fmt::format("{}{} {} instead of {}", text.empty() ? "" : ", ",
                        scenarios::format_count(after[i].second), after[i].first,
                        scenarios::format_count(before[i].second));
  }
  return text.empty() ? "other paths are taken, or others are in the way" : text;
}

/// What became of a job in a run without something.
struct Verdict {
  std::string job;
  Picoseconds before;
  std::optional<Picoseconds> without;  ///< absent: it does not end
  Picoseconds blamed;

  [[nodiscard]] Picoseconds saved() const {
    return without ? before - *without : Picoseconds(0) - Picoseconds::max();
  }
  [[nodiscard]] std::string text(const std::string& why_longer) const {
    if (!without) return fmt::format("  {}: does not end\n", escaped(job));
    const bool is_longer = *without > before;
    const Picoseconds change = is_longer ? *without - before : before - *without;
    std::string remark;
    if (is_longer) {
      remark = "; " + why_longer;
    } else if (change == Picoseconds(0)) {
      remark = "; it takes as long without: something else holds it up as much";
    } else if (10 * change.count() < 9 * blamed.count()) {
      remark = "; other paths are nearly as long, or others still in the way";
    }
    const std::string said =
        blamed == Picoseconds(0) ? "not blamed" : "blamed for " + scenarios::format_time(blamed);
    return fmt::format("  {}: {} instead of {}, {} {}; {}{}\n", escaped(job),
                       scenarios::format_time(*without), scenarios::format_time(before),
                       scenarios::format_time(change), is_longer ? "more" : "less", said, remark);
  }
};

/// `a`, `a and b`, `a, b and 3 more`.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMax = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMax, names.size()); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += escaped(names[i]);
  }
  return text + (names.size() > kMax ? fmt::format(" and {} more", names.size() - kMax) : "");
}

/// One run after the other, and what each saves.
class Verification {
 public:
  Verification(const std::string& folder, const scenarios::LoadedScenario& scenario,
               const std::vector<BlameEntry>& blame,
               const std::vector<scenarios::SlowLink>& slow_links, nlohmann::ordered_json* json)
      : file_((std::filesystem::path(folder) / "resolved.yaml").string()),
        scenario_(scenario),
        blame_(blame),
        slow_links_(slow_links),
        json_(json),
        times_(sum_by_job(blame)) {
    const nlohmann::json summary = summary_of(folder);
    before_ = troubles_of(summary);
    is_fluid_ = summary.is_object() && summary.value("engine", "") == "fluid";
    for (auto& one : scenarios::degradations_of(scenario, slow_links)) {
      texts_[one.what] = one.text();
    }
  }

  /// False: it was interrupted.
  bool attempt(const std::string& what) {
    auto experiment = experiment_without(what);
    if (!experiment) {
      refuse(what, experiment.errors().front().message);
      return true;
    }
    const bool shows_progress = json_ == nullptr;
    const auto run = is_fluid_ ? run_fluid(experiment.value(), what, shows_progress)
                               : run_packets(experiment.value(), what, shows_progress);
    if (!run) {
      refuse(what, run.errors().front().message);
      return true;
    }
    if (run.value().is_interrupted) return false;
    judge(what, run.value());
    return true;
  }

  void finish(std::span<const std::string> not_tried) {
    if (!not_tried.empty()) {
      const std::vector<std::string> names(not_tried.begin(), not_tried.end());
      say(fmt::format("not tried: {}; `weft run {} --without {}` does\n", listed(names),
                      escaped(file_), escaped(names.front())));
    }
    for (const auto& [job, time] : times_) {
      if (runs_ > 1) say(best_text(job, time));
    }
    if (json_ == nullptr) return;
    (*json_)["verification"] = {
        {"tries", tries_},
        {"not_tried", std::vector<std::string>(not_tried.begin(), not_tried.end())}};
  }

 private:
  void say(const std::string& text) const {
    if (json_ == nullptr) print(text);
  }

  /// What saves most of a job that takes `time`. Less than a hundredth is nothing to change.
  [[nodiscard]] std::string best_text(const std::string& job, Picoseconds time) const {
    const auto best = best_.find(job);
    if (best == best_.end() || best->second.second < time / 100) {
      return fmt::format("{}: none of these saves a hundredth of {}\n", escaped(job),
                         scenarios::format_time(time));
    }
    return fmt::format("{}: most is saved without {}, {} of {}\n", escaped(job),
                       escaped(best->second.first), scenarios::format_time(best->second.second),
                       scenarios::format_time(time));
  }
  void refuse(const std::string& what, const std::string& why) {
    say(fmt::format("without {}: cannot be tried: {}\n", escaped(what), escaped(why)));
    tries_.push_back({{"without", what}, {"refused", why}});
  }

  /// The scenario of a run without it. Error: it cannot be taken out, and why.
  [[nodiscard]] Result<scenarios::Experiment> experiment_without(const std::string& what) const {
    const auto overrides = scenarios::overrides_without(what, scenario_);
    if (!overrides) return overrides.errors();
    auto loaded = scenarios::load_scenario(file_, overrides.value());
    if (!loaded) return loaded.errors();
    if (scenarios::has_removable(what, loaded.value())) {
      return Error{"overrides do not reach all of it", {}};
    }
    auto experiment = scenarios::build_experiment(loaded.value().scenario);
    if (experiment) experiment.value().scenario.observe.blame = false;
    return experiment;
  }

  /// What the jobs took without `what`: those that take as long, and were not blamed on it,
  /// together.
  void judge(const std::string& what, const RepeatedRun& run) {
    ++runs_;
    const std::string why = why_longer(before_, troubles_of(run.totals));
    const auto title = texts_.find(what);
    say("without " + escaped(title == texts_.end() ? what : title->second) + ":\n");
    std::vector<std::string> unchanged;
    auto rows = nlohmann::ordered_json::array();
    for (const auto& [job, time] : times_) {
      if (what == "job:" + job) continue;
      const auto found = run.times.find(job);
      Verdict verdict{job, time, {}, blamed_for(what, job)};
      if (found != run.times.end()) verdict.without = found->second;
      rows.push_back(json_of(verdict));
      if (verdict.saved() == Picoseconds(0) && verdict.blamed == Picoseconds(0)) {
        unchanged.push_back(job);
        continue;
      }
      say(verdict.text(why));
      const auto best = best_.find(job);
      const Picoseconds known = best == best_.end() ? Picoseconds(0) : best->second.second;
      if (verdict.saved() > known) best_[job] = {what, verdict.saved()};
    }
    if (!unchanged.empty()) {
      say(fmt::format("  {}: as long as with it, and not blamed on it\n", listed(unchanged)));
    }
    tries_.push_back({{"without", what}, {"jobs", rows}});
  }

  [[nodiscard]] Picoseconds blamed_for(const std::string& what, const std::string& job) const {
    Picoseconds sum;
    for (const BlameEntry& entry : blame_) {
      if (entry.job == job && scenarios::is_blamed(what, entry, slow_links_)) sum += entry.time;
    }
    return sum;
  }

  static nlohmann::ordered_json json_of(const Verdict& v) {
    nlohmann::ordered_json row{{"job", v.job}, {"seconds", scenarios::csv::seconds(v.before)}};
    row["seconds_without"] = nullptr;
    if (v.without) row["seconds_without"] = scenarios::csv::seconds(*v.without);
    row["blamed_seconds"] = scenarios::csv::seconds(v.blamed);
    return row;
  }

  const std::string file_;
  const scenarios::LoadedScenario& scenario_;
  const std::vector<BlameEntry>& blame_;
  const std::vector<scenarios::SlowLink>& slow_links_;
  nlohmann::ordered_json* const json_;
  const std::map<std::string, Picoseconds> times_;  ///< by job
  Troubles before_;
  bool is_fluid_ = false;
  std::map<std::string, std::string> texts_;  ///< of degradations
  int runs_ = 0;
  std::map<std::string, std::pair<std::string, Picoseconds>>
      best_;  ///< by job: without what, saved
  nlohmann::ordered_json tries_ = nlohmann::ordered_json::array();
};

}  // namespace

int verify_blame(const std::string& folder, const scenarios::LoadedScenario& scenario,
                 const std::vector<BlameEntry>& blame,
                 const std::vector<scenarios::SlowLink>& slow_links, nlohmann::ordered_json* json) {
  const scenarios::Candidates candidates = scenarios::candidates_of(blame, scenario, slow_links);
  stop_on_interrupt();
  Verification verification(folder, scenario, blame, slow_links, json);
  std::vector<std::string> not_tried = candidates.tried;
  while (!not_tried.empty() && !is_interrupted() && verification.attempt(not_tried.front())) {
    not_tried.erase(not_tried.begin());
  }
  const bool is_done = not_tried.empty();
  not_tried.insert(not_tried.end(), candidates.left_out.begin(), candidates.left_out.end());
  if (candidates.tried.empty() && json == nullptr) {
    print("the scenario has nothing that can be taken out, and nothing is blamed on a setting\n");
  }
  verification.finish(not_tried);
  return is_done ? kSuccess : kUnfinished;
}

}  // namespace weft::cli
