#include "tools/cli/explain/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/blame/counterfactual/candidates.hpp"
#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/text/text_file.hpp"
#include "simcore/base/escape.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/explain/repeated_run.hpp"
#include "tools/cli/explain/verdict.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/progress.hpp"

namespace weft::cli {
namespace {

using scenarios::BlameEntry;
using scenarios::causes_in;
using scenarios::list_of_causes;

/// Of more jobs than are tried each by itself, groups are tried in this number of runs at most.
constexpr int kMaxGroupRuns = 24;
/// Jobs that nothing helps, for which everything else is taken out together, at most.
constexpr std::size_t kMaxAlone = 3;
/// A run that takes less is over before anybody wonders.
constexpr double kSilentSeconds = 2;

/// By job, what it took along its critical paths, or, of an open loop, the 99th percentile of the
/// completion times of its messages; nothing where it did not end.
using JobTimes = std::map<std::string, std::optional<Picoseconds>>;

/// The 99th percentile of the completion times of the messages of an open loop, which arrivals end
/// and which has no zero-load time; nothing of other jobs.
std::optional<Picoseconds> latency_of(const nlohmann::json& job) {
  const auto ideal = job.value("ideal_seconds", nlohmann::json());
  const auto times = job.find("fct_seconds");
  if (ideal.is_number() || times == job.end() || !times->is_object()) return {};
  const auto p99 = times->value("p99", nlohmann::json());
  if (!p99.is_number()) return {};
  return Picoseconds(std::llround(p99.get<double>() * 1e12));
}

JobTimes times_of(const std::vector<BlameEntry>& blame, const nlohmann::json& summary,
                  std::set<std::string>& open_loops) {
  JobTimes times;
  for (const BlameEntry& entry : blame) {
    auto& time = times[entry.job];
    time = time.value_or(Picoseconds(0)) + entry.time;
  }
  const auto jobs = summary.is_object() ? summary.find("jobs") : summary.end();
  if (jobs == summary.end() || !jobs->is_array()) return times;
  for (const auto& job : *jobs) {
    const bool is_named = job.is_object() && job.value("name", nlohmann::json()).is_string();
    if (!is_named) continue;
    const bool is_unfinished = job.value("finished", nlohmann::json()) == false;
    if (is_unfinished) times[job["name"]];
    const auto latency = latency_of(job);
    if (!latency || is_unfinished) continue;
    times[job["name"]] = *latency;
    open_loops.insert(job["name"]);
  }
  return times;
}

bool has_unfinished(const JobTimes& times) {
  return std::ranges::any_of(times, [](const auto& one) { return !one.second; });
}

bool is_job(const std::string& what) { return what.starts_with("job:"); }

/// A run without something: what became of each other job.
struct Try {
  std::string what;
  std::map<std::string, JobVerdict> verdicts;  ///< by job

  [[nodiscard]] bool helps(const std::string& job) const {
    const auto found = verdicts.find(job);
    return found != verdicts.end() && found->second.helps();
  }
  [[nodiscard]] bool helps_any() const {
    return std::ranges::any_of(verdicts, [](const auto& one) { return one.second.helps(); });
  }
  /// It could not be tried.
  [[nodiscard]] bool is_refused() const { return verdicts.empty(); }
  [[nodiscard]] bool ends_all() const {
    return std::ranges::all_of(verdicts,
                               [](const auto& one) { return one.second.without.has_value(); });
  }
};

/// One run after the other, and what each saves.
class Verification {
 public:
  Verification(const std::string& folder, const scenarios::LoadedScenario& scenario,
               const std::vector<BlameEntry>& blame, const scenarios::RunFacts& facts,
               nlohmann::ordered_json* json)
      : folder_(folder),
        file_((std::filesystem::path(folder) / "resolved.yaml").string()),
        scenario_(scenario),
        blame_(blame),
        facts_(facts),
        json_(json) {
    if (auto read = scenarios::read_json(std::filesystem::path(folder) / "summary.json")) {
      const nlohmann::json summary = std::move(read).value();
      before_ = troubles_of(summary);
      is_fluid_ = summary.is_object() && summary.value("engine", "") == "fluid";
      const auto seconds = summary.value("wall_seconds", nlohmann::json());
      if (seconds.is_number()) seconds_ = seconds.get<double>();
      times_ = times_of(blame, summary, open_loops_);
    } else {
      times_ = times_of(blame, {}, open_loops_);
    }
    for (const auto& one : facts.degradations) texts_[one.what] = one.text();
  }

  [[nodiscard]] bool is_unfinished() const { return has_unfinished(times_); }

  /// Says how long it takes, where that is worth a word.
  void announce(const scenarios::Candidates& candidates) const {
    const std::size_t groups =
        candidates.more_jobs.empty()
            ? 0
            : std::min<std::size_t>(2 * candidates.more_jobs.size(), kMaxGroupRuns);
    const std::size_t runs = candidates.causes.size() + groups;
    const double seconds = static_cast<double>(runs) * seconds_;
    if (seconds < kSilentSeconds) return;
    complain(
        fmt::format("--verify takes {} runs{}, about {} if each takes what the first one did "
                    "({}); Ctrl-C ends it, and says what is known and what was not tried",
                    runs, groups > 0 ? " or fewer" : "", scenarios::format_time(seconds),
                    scenarios::format_time(seconds_)));
  }

  /// Each by itself. False: it was interrupted.
  bool try_each(std::span<const std::string> causes) {
    for (std::size_t i = 0; i < causes.size(); ++i) {
      if (is_interrupted() || !attempt(causes[i])) {
        not_tried_.assign(causes.begin() + static_cast<std::ptrdiff_t>(i), causes.end());
        why_not_tried_ = "it was interrupted";
        return false;
      }
    }
    return true;
  }

  /// More jobs than are tried each by itself: all together, then halves of what helps.
  bool try_groups(const std::vector<std::string>& jobs) {
    std::deque<std::vector<std::string>> groups;
    if (!jobs.empty()) groups.push_back(jobs);
    for (int run = 0; !groups.empty(); ++run) {
      const std::vector<std::string> group = groups.front();
      is_spent_ = run == kMaxGroupRuns;
      if (is_spent_ || is_interrupted() || !attempt(list_of_causes(group))) {
        for (const auto& left : groups) {
          not_tried_.insert(not_tried_.end(), left.begin(), left.end());
        }
        why_not_tried_ = is_spent_ ? fmt::format("{} runs were spent on groups of jobs", run)
                                   : std::string("it was interrupted");
        return is_spent_;
      }
      groups.pop_front();
      if (!tries_.back().helps_any() || group.size() == 1) continue;
      const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
      groups.emplace_back(group.begin(), middle);
      groups.emplace_back(middle, group.end());
    }
    return true;
  }

  /// Where nothing helps a job by itself, or saves less than half of what is blamed on causes that
  /// can be taken out, these may act together: all of them are taken out, and then other jobs, too.
  /// Of what helps, the causes that it takes are found.
  bool try_together() {
    std::vector<std::string> causes;
    for (const Try& one : tries_) {
      if (!is_job(one.what) && !one.is_refused() && one.ends_all()) causes.push_back(one.what);
    }
    const std::vector<std::string> jobs = jobs_of_several(causes);
    if (causes.size() > 1 && !jobs.empty()) {
      if (!attempt(list_of_causes(causes))) return false;
      const Try together = tries_.back();
      for (const std::string& job : jobs) {
        const auto found = together.verdicts.find(job);
        if (found == together.verdicts.end() || !is_much_better(job, found->second)) continue;
        if (!narrow_down(job, causes, found->second)) return false;
        break;
      }
    }
    std::vector<std::string> unhelped_jobs = unhelped();
    if (unhelped_jobs.size() > kMaxAlone) unhelped_jobs.resize(kMaxAlone);
    for (const std::string& job : unhelped_jobs) {
      std::vector<std::string> all = causes;
      for (const auto& [other, time] : times_) {
        if (other != job) all.push_back("job:" + other);
      }
      const bool is_known = std::ranges::any_of(tries_, [&](const Try& one) {
        return std::ranges::is_permutation(causes_in(one.what), all);
      });
      if (all.size() < 2 || is_known) continue;
      if (!attempt(list_of_causes(all))) return false;
    }
    return true;
  }

  void finish() {
    if (!not_tried_.empty()) {
      const std::string more =
          is_spent_ ? fmt::format(", and `weft explain {} --verify --each {}` each of them",
                                  escaped(folder_), times_.size())
                    : std::string();
      say(fmt::format("not tried{}: {}, because {}; `weft run {} --without {}` does{}\n",
                      is_spent_ ? " by themselves" : "", listed(not_tried_), why_not_tried_,
                      escaped(file_), escaped(not_tried_.front()), more));
    }
    if (tries_.size() > 1) {
      for (const auto& [job, time] : times_) say(best_text(job, time));
    }
    if (json_ == nullptr) return;
    (*json_)["verification"] = {{"tries", rows_}, {"not_tried", not_tried_}};
    if (!not_tried_.empty()) (*json_)["verification"]["not_tried_because"] = why_not_tried_;
  }

 private:
  void say(const std::string& text) const {
    if (json_ == nullptr) print(text);
  }

  /// Runs without it, and says what that saves. False: it was interrupted.
  bool attempt(const std::string& what) {
    auto experiment = experiment_without(what);
    if (!experiment) {
      refuse(what, experiment.errors().front().message);
      return true;
    }
    const bool shows_progress = json_ == nullptr;
    const auto run = is_fluid_ ? run_fluid(experiment.value(), said(what), shows_progress)
                               : run_packets(experiment.value(), said(what), shows_progress);
    if (!run) {
      refuse(what, run.errors().front().message);
      return true;
    }
    if (run.value().is_interrupted) return false;
    judge(what, run.value());
    return true;
  }

  /// A list in words.
  static std::string said(const std::string& what) {
    const std::vector<std::string> causes = causes_in(what);
    return causes.size() == 1 ? escaped(what) : listed(causes) + ", all together";
  }

  void refuse(const std::string& what, const std::string& why) {
    say(fmt::format("without {}: cannot be tried: {}\n", said(what), escaped(why)));
    rows_.push_back({{"without", what}, {"refused", why}});
    tries_.push_back({what, {}});
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
    const std::string why = why_longer(before_, troubles_of(run.totals));
    const auto title = texts_.find(what);
    say("without " + (title == texts_.end() ? said(what) : escaped(title->second)) + ":\n");
    const std::vector<std::string> causes = causes_in(what);
    std::vector<std::string> unchanged;
    auto rows = nlohmann::ordered_json::array();
    Try result{what, {}};
    for (const auto& [job, time] : times_) {
      if (std::ranges::find(causes, "job:" + job) != causes.end()) continue;
      JobVerdict verdict{
          job, time, {}, blamed_for(causes, job), run.why_unfinished, open_loops_.contains(job)};
      const auto found = run.times.find(job);
      if (found != run.times.end()) verdict.without = found->second;
      rows.push_back(verdict.json());
      if (verdict.is_unchanged()) {
        unchanged.push_back(job);
      } else {
        say(verdict.text(why));
      }
      result.verdicts.emplace(job, std::move(verdict));
    }
    if (!unchanged.empty()) {
      say(fmt::format("  {}: as long as with it, and not blamed on it\n", listed(unchanged)));
    }
    rows_.push_back({{"without", what}, {"jobs", rows}});
    tries_.push_back(std::move(result));
  }

  [[nodiscard]] Picoseconds blamed_for(const std::vector<std::string>& causes,
                                       const std::string& job) const {
    if (open_loops_.contains(job)) return {};  // blame is of all its time
    Picoseconds time =
        scenarios::blamed_time(causes, job, blame_, facts_.degradations, facts_.slow_links);
    // Congestion control reacts to other jobs, too.
    if (std::ranges::find(causes, "congestion-control") != causes.end()) return time;
    for (const scenarios::Reaction& one : facts_.reactions) {
      const bool is_by = one.job == job && !one.other_job.empty() &&
                         std::ranges::find(causes, "job:" + one.other_job) != causes.end();
      if (is_by) time += one.part(one.other_job_share);
    }
    return time;
  }

  /// What helps a job most by itself. Where nothing does, or others save more than twice as much
  /// together, the fewest causes that save nine tenths of what these do. Null: nothing helps.
  [[nodiscard]] const JobVerdict* best_of(const std::string& job, std::string* what) const {
    const Try* alone = nullptr;
    const Try* together = nullptr;
    for (const Try& one : tries_) {
      if (!one.helps(job)) continue;
      const Try*& best = causes_in(one.what).size() == 1 ? alone : together;
      const bool is_best =
          best == nullptr || one.verdicts.at(job).is_better_than(best->verdicts.at(job));
      if (is_best) best = &one;
    }
    // What is broken comes before a setting that hides it.
    for (const Try& one : tries_) {
      const bool is_defect = texts_.contains(one.what) && one.helps(job);
      if (alone == nullptr || texts_.contains(alone->what) || !is_defect) continue;
      if (one.verdicts.at(job).saves_as_much_as(alone->verdicts.at(job))) alone = &one;
    }
    const bool acts_together =
        together != nullptr && is_much_better(job, together->verdicts.at(job));
    if (acts_together) alone = nullptr;
    const Try* best = alone != nullptr ? alone : together;
    if (best == nullptr) return nullptr;
    for (const Try& one : tries_) {
      if (alone != nullptr || !one.helps(job)) continue;
      const bool is_enough = one.verdicts.at(job).saves_as_much_as(together->verdicts.at(job));
      if (is_enough && causes_in(one.what).size() < causes_in(best->what).size()) best = &one;
    }
    *what = best->what;
    return &best->verdicts.at(job);
  }

  [[nodiscard]] std::string best_text(const std::string& job,
                                      const std::optional<Picoseconds>& time) const {
    std::string what;
    const JobVerdict* best = best_of(job, &what);
    if (best == nullptr && !time) {
      return fmt::format("{}: does not end without any of these\n", escaped(job));
    }
    if (best == nullptr) {
      return fmt::format("{}: none of these saves a hundredth of {}\n", escaped(job),
                         scenarios::format_time(*time));
    }
    if (!time) {
      return fmt::format("{}: ends soonest without {}, after {}\n", escaped(job), said(what),
                         scenarios::format_time(*best->without));
    }
    return fmt::format("{}: most is saved without {}, {} of {}{}\n", escaped(job), said(what),
                       scenarios::format_time(*best->saved()), scenarios::format_time(*time),
                       best->is_of_messages ? " (p99 of its messages)" : "");
  }

  /// The jobs that no try helps, those that took longest first.
  [[nodiscard]] std::vector<std::string> unhelped() const {
    std::vector<std::string> jobs;
    std::string what;
    for (const auto& [job, time] : times_) {
      if (best_of(job, &what) == nullptr) jobs.push_back(job);
    }
    const auto length = [this](const std::string& job) {
      return times_.at(job).value_or(Picoseconds::max());
    };
    std::ranges::stable_sort(jobs,
                             [&](const auto& a, const auto& b) { return length(a) > length(b); });
    return jobs;
  }

  /// The largest that taking out one thing saves a job; 0: nothing helps.
  [[nodiscard]] Picoseconds saved_alone(const std::string& job) const {
    Picoseconds largest;
    for (const Try& one : tries_) {
      if (!one.helps(job) || causes_in(one.what).size() > 1) continue;
      largest = std::max(largest, one.verdicts.at(job).saved().value_or(Picoseconds(0)));
    }
    return largest;
  }

  /// Jobs that nothing helps, and those that are blamed on `causes` for more than twice what one
  /// thing saves them.
  [[nodiscard]] std::vector<std::string> jobs_of_several(
      const std::vector<std::string>& causes) const {
    std::vector<std::string> jobs = unhelped();
    std::string what;
    for (const auto& [job, time] : times_) {
      if (best_of(job, &what) == nullptr || !time) continue;
      if (blamed_for(causes, job) > 2 * saved_alone(job)) jobs.push_back(job);
    }
    return jobs;
  }

  /// What is taken out together helps a job, and saves more than twice what one thing does.
  [[nodiscard]] bool is_much_better(const std::string& job, const JobVerdict& together) const {
    if (!together.helps()) return false;
    const auto saved = together.saved();
    return !saved || *saved > 2 * saved_alone(job);
  }

  /// Which of the causes that help `job` together it takes: one after the other is put back,
  /// settings before what is broken, and stays where nine tenths of what is saved are saved without
  /// it.
  bool narrow_down(const std::string& job, const std::vector<std::string>& causes,
                   const JobVerdict& together) {
    std::vector<std::string> kept = causes;
    for (auto one = causes.rbegin(); one != causes.rend(); ++one) {
      if (kept.size() < 3) break;  // each by itself was tried
      std::vector<std::string> fewer = kept;
      std::erase(fewer, *one);
      if (!attempt(list_of_causes(fewer))) return false;
      const auto found = tries_.back().verdicts.find(job);
      if (found == tries_.back().verdicts.end() || !found->second.helps()) continue;
      if (found->second.saves_as_much_as(together)) kept = fewer;
    }
    say(fmt::format("{}: {} act together: each by itself saves less than {}\n", escaped(job),
                    listed(kept),
                    saved_alone(job) > Picoseconds(0) ? "half of that" : "a hundredth"));
    return true;
  }

  const std::string folder_;
  const std::string file_;
  const scenarios::LoadedScenario& scenario_;
  const std::vector<BlameEntry>& blame_;
  const scenarios::RunFacts& facts_;
  nlohmann::ordered_json* const json_;
  JobTimes times_;
  std::set<std::string> open_loops_;  ///< judged by their messages
  Troubles before_;
  bool is_fluid_ = false;
  double seconds_ = 0;                        ///< that the first run took
  std::map<std::string, std::string> texts_;  ///< of degradations
  std::vector<Try> tries_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
  std::vector<std::string> not_tried_;
  std::string why_not_tried_;
  bool is_spent_ = false;  ///< groups took all runs that they may take
};

}  // namespace

int verify_blame(const std::string& folder, const scenarios::LoadedScenario& scenario,
                 const std::vector<BlameEntry>& blame, const scenarios::RunFacts& facts,
                 std::size_t max_jobs, nlohmann::ordered_json* json) {
  stop_on_interrupt();
  Verification verification(folder, scenario, blame, facts, json);
  const scenarios::Candidates candidates = scenarios::candidates_of(
      blame, scenario, facts.slow_links, max_jobs, verification.is_unfinished());
  if (candidates.causes.empty() && json == nullptr) {
    print("the scenario has nothing that can be taken out, and nothing is blamed on a setting\n");
  }
  verification.announce(candidates);
  const bool is_done = verification.try_each(candidates.causes) &&
                       verification.try_groups(candidates.more_jobs) && verification.try_together();
  verification.finish();
  return is_done ? kSuccess : kUnfinished;
}

}  // namespace weft::cli
