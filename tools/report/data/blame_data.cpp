#include "tools/report/data/blame_data.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "scenarios/blame/explain/explanation.hpp"

namespace weft::report {
namespace {

/// Culprits and ports of a job that are told apart, and bars beside each other.
constexpr std::size_t kMaxRows = 200;
constexpr std::uint32_t kMaxBars = 60;
constexpr std::size_t kLines = 12;

struct Job {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::string name{};
  std::uint32_t iterations = 1;
  Picoseconds time{};
  std::map<std::string, Picoseconds> causes{};
  std::map<Key, Picoseconds> rows{};  ///< by cause, kind of culprit, culprit and port
};

std::vector<Job> sum_by_job(const std::vector<scenarios::BlameEntry>& blame) {
  std::vector<Job> jobs;
  for (const auto& entry : blame) {
    auto job = std::ranges::find(jobs, entry.job, &Job::name);
    if (job == jobs.end()) job = jobs.insert(jobs.end(), Job{.name = entry.job});
    job->iterations = std::max(job->iterations, entry.iteration + 1);
    job->time += entry.time;
    const std::string cause = scenarios::said_cause(entry);
    job->causes[cause] += entry.time;
    job->rows[{cause, entry.culprit_kind, entry.culprit, entry.port}] += entry.time;
  }
  return jobs;
}

/// The worst rows one by one; what the others took of a cause is one row without a culprit.
Json rows_json(const Job& job) {
  std::vector<std::pair<Job::Key, Picoseconds>> rows(job.rows.begin(), job.rows.end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::map<std::string, Picoseconds> rest;
  Json list = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [cause, kind, culprit, port] = rows[i].first;
    if (i >= kMaxRows) {
      rest[cause] += rows[i].second;
    } else {
      list.push_back({cause, kind, culprit, port, short_number(to_seconds(rows[i].second))});
    }
  }
  for (const auto& [cause, time] : rest) {
    list.push_back({cause, "", "", "", short_number(to_seconds(time))});
  }
  return list;
}

std::vector<std::string> causes_of(const Job& job) {
  std::vector<std::pair<std::string, Picoseconds>> sums(job.causes.begin(), job.causes.end());
  std::ranges::stable_sort(sums, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> names;
  names.reserve(sums.size());
  for (auto& [name, time] : sums) names.push_back(name);
  return names;
}

/// Seconds by bar and cause. Of many iterations several are one bar, their mean.
Json bars_json(const Job& job, const std::vector<std::string>& causes,
               const std::vector<scenarios::BlameEntry>& blame) {
  const std::uint32_t together = (job.iterations + kMaxBars - 1) / kMaxBars;
  const std::uint32_t count = (job.iterations + together - 1) / together;
  std::vector<std::vector<double>> bars(count, std::vector<double>(causes.size(), 0.0));
  for (const auto& entry : blame) {
    if (entry.job != job.name) continue;
    const std::uint32_t bar = entry.iteration / together;
    const std::uint32_t inside = std::min(together, job.iterations - bar * together);
    const auto cause = std::ranges::find(causes, scenarios::said_cause(entry)) - causes.begin();
    bars[bar][static_cast<std::size_t>(cause)] += to_seconds(entry.time) / inside;
  }
  Json list = Json::array();
  for (const auto& bar : bars) {
    Json values = Json::array();
    for (const double value : bar) values.push_back(short_number(value));
    list.push_back(std::move(values));
  }
  return {{"together", together}, {"seconds", std::move(list)}};
}

}  // namespace

Json blame_json(const std::vector<scenarios::BlameEntry>& blame, const scenarios::RunFacts& facts) {
  Json jobs = Json::array();
  for (const Job& job : sum_by_job(blame)) {
    const std::vector<std::string> causes = causes_of(job);
    std::vector<scenarios::BlameEntry> own;
    std::ranges::copy_if(blame, std::back_inserter(own),
                         [&](const auto& entry) { return entry.job == job.name; });
    const auto explained = scenarios::explanation_json(own, facts)["jobs"][0];
    jobs.push_back({{"job", job.name},
                    {"iterations", job.iterations},
                    {"seconds", short_number(to_seconds(job.time))},
                    {"sentences", scenarios::explanation_text(own, kLines, facts)},
                    {"slow_links", explained["slow_links"]},
                    {"advice", explained["advice"]},
                    {"causes", causes},
                    {"rows", rows_json(job)},
                    {"bars", bars_json(job, causes, own)}});
  }
  return jobs;
}

std::string blame_difference(const std::vector<scenarios::BlameEntry>& first,
                             const std::vector<scenarios::BlameEntry>& second) {
  return scenarios::difference_text(scenarios::blame_differences(first, second), kLines);
}

}  // namespace weft::report
