#include "scenarios/blame/counterfactual/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/blame/counterfactual/defect_names.hpp"
#include "scenarios/language/yaml/node.hpp"

namespace weft::scenarios {
namespace {

/// Sorts by what each is blamed for; what is blamed alike stays in order.
class ByBlame {
 public:
  ByBlame(const std::vector<BlameEntry>& blame, const std::vector<Degradation>& degradations,
          const std::vector<SlowLink>& slow_links)
      : blame_(blame), degradations_(degradations), slow_links_(slow_links) {}

  [[nodiscard]] Picoseconds time_of(const std::string& what) {
    const auto [known, is_new] = times_.try_emplace(what);
    if (!is_new) return known->second;
    known->second = blamed_time(std::span(&what, 1), {}, blame_, degradations_, slow_links_);
    return known->second;
  }
  void sort(std::vector<std::string>& all) {
    std::ranges::stable_sort(all, [this](const std::string& a, const std::string& b) {
      return time_of(a) > time_of(b);
    });
  }

 private:
  const std::vector<BlameEntry>& blame_;
  const std::vector<Degradation>& degradations_;
  const std::vector<SlowLink>& slow_links_;
  std::map<std::string, Picoseconds> times_;
};

/// Controls answer to queues on links where flows meet, and leave little of these: where a job is
/// held back, and its packets take links between switches, collisions may be why.
bool may_collide(const std::vector<BlameEntry>& blame) {
  return std::ranges::any_of(blame, [&](const BlameEntry& held) {
    return held.cause == "congestion control" &&
           std::ranges::any_of(blame, [&](const BlameEntry& passed) {
             return passed.job == held.job && joins_switches(passed.port);
           });
  });
}

/// Jobs that parts such as `jobs[2].jitter` belong to, each once.
std::vector<std::string> jobs_of(const std::vector<std::string>& parts, const Scenario& scenario) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const JobSpec& job = scenario.jobs[j];
    const std::string path = language::element_path("jobs", collectives::number_of(job, j)) + ".";
    const bool has_part = std::ranges::any_of(
        parts, [&path](const std::string& part) { return part.starts_with(path); });
    if (has_part) names.push_back(job.name);
  }
  return names;
}

}  // namespace

bool joins_switches(const std::string& port) {
  return port.find("]->") != std::string::npos && port.ends_with(']');
}

std::string Degradation::text() const {
  constexpr std::size_t kMax = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMax, parts.size()); ++i) {
    text += (i == 0 ? "" : ", ") + parts[i];
  }
  if (parts.size() > kMax) text += fmt::format(" and {} more", parts.size() - kMax);
  return text.empty() ? what : what + " (" + text + ")";
}

std::vector<Degradation> degradations_of(const LoadedScenario& scenario,
                                         const std::vector<SlowLink>& slow_links) {
  std::vector<Degradation> all;
  for (const char* what : kDegradations) {
    if (!has_removable(what, scenario)) continue;
    const bool is_of_links = std::string_view(what) == "slow-links";
    // Changes may make links faster.
    if (is_of_links && slow_links.empty()) continue;
    std::vector<std::string> parts =
        is_of_links ? slow_link_texts(slow_links) : removable_parts(what, scenario);
    std::vector<std::string> jobs = jobs_of(parts, scenario.scenario);
    all.push_back({what, std::move(parts), std::move(jobs), defect_names(what, scenario)});
  }
  return all;
}

Picoseconds blamed_time(std::span<const std::string> causes, std::string_view job,
                        const std::vector<BlameEntry>& blame,
                        const std::vector<Degradation>& degradations,
                        const std::vector<SlowLink>& slow_links) {
  const auto has = [&degradations](const std::string& name, const std::string& what) {
    const auto known = std::ranges::find(degradations, what, &Degradation::what);
    return known == degradations.end() || known->jobs.empty() ||
           std::ranges::find(known->jobs, name) != known->jobs.end();
  };
  Picoseconds sum;
  for (const BlameEntry& entry : blame) {
    if (!job.empty() && entry.job != job) continue;
    const bool is_spared = std::ranges::any_of(causes, [&](const std::string& what) {
      return has(entry.job, what) && is_blamed(what, entry, slow_links);
    });
    if (is_spared) sum += entry.time;
  }
  return sum;
}

Candidates candidates_of(const std::vector<BlameEntry>& blame, const LoadedScenario& scenario,
                         const std::vector<SlowLink>& slow_links, std::size_t max_jobs,
                         bool is_unfinished) {
  const std::vector<Degradation> degradations = degradations_of(scenario, slow_links);
  ByBlame order(blame, degradations, slow_links);
  Candidates all;
  for (const Degradation& one : degradations) all.causes.push_back(one.what);
  order.sort(all.causes);
  std::vector<std::string> jobs;
  for (const JobSpec& job : scenario.scenario.jobs) jobs.push_back("job:" + job.name);
  if (jobs.size() < 2) jobs.clear();
  order.sort(jobs);
  const auto end =
      std::ranges::next(jobs.begin(), static_cast<std::ptrdiff_t>(max_jobs), jobs.end());
  all.causes.insert(all.causes.end(), jobs.begin(), end);
  all.more_jobs.assign(end, jobs.end());
  std::vector<std::string> settings;
  for (const char* what : std::span(kRemovable).subspan(kDegradations.size())) {
    const bool is_blamed_for = is_unfinished || order.time_of(what) > Picoseconds(0) ||
                               (std::string_view(what) == "collisions" && may_collide(blame));
    if (!is_blamed_for || !has_removable(what, scenario)) continue;
    settings.emplace_back(what);
  }
  order.sort(settings);
  all.causes.insert(all.causes.end(), settings.begin(), settings.end());
  return all;
}

}  // namespace weft::scenarios
