#include "scenarios/build/resolve_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simcore/text/nearest.hpp"
#include "simcore/text/range_text.hpp"

namespace weft::scenarios {
namespace {

using collectives::JobPlan;
using collectives::Workload;

constexpr Bytes kNativeLimit{1'000'000'000};
constexpr Bytes kJsonLimit{100'000'000};
/// Of jobs or ranks.
constexpr std::size_t kMaxWords = 10'000;

class TimelineResolver {
 public:
  TimelineResolver(const ObserveSpec::Timeline& spec, const Workload& workload)
      : spec_(spec), workload_(workload) {}

  Result<std::optional<TimelinePlan>> run() {
    TimelinePlan plan;
    plan.format = spec_.format;
    plan.from = spec_.from;
    plan.until = spec_.to.value_or(Picoseconds::max());
    const bool is_json = spec_.format == ObserveSpec::Timeline::Format::kJson;
    plan.limit = spec_.limit.value_or(is_json ? kJsonLimit : kNativeLimit);
    if (plan.until <= plan.from) fail("to", "is no later than `from`");
    const std::vector<std::uint32_t> jobs = chosen_jobs();
    plan.is_shown.resize(workload_.process_hosts().size());
    if (errors_.empty()) choose_ranks(jobs, plan.is_shown);
    if (!errors_.empty()) return std::move(errors_);
    return std::optional(std::move(plan));
  }

 private:
  void fail(const std::string& key, std::string message) {
    errors_.push_back({std::move(message), {{}, 0, 0, "observe.timeline." + key}});
  }
  bool too_many(const std::vector<std::string>& words, const std::string& key) {
    if (words.size() <= kMaxWords) return false;
    fail(key, fmt::format("names {}; at most {} are read", words.size(), kMaxWords));
    return true;
  }

  std::vector<std::uint32_t> chosen_jobs() {
    std::vector<std::uint32_t> chosen;
    std::vector<std::string> names;
    for (const JobPlan& job : workload_.jobs()) names.push_back(job.name);
    if (spec_.jobs.empty()) {
      for (std::uint32_t j = 0; j < names.size(); ++j) chosen.push_back(j);
    }
    if (too_many(spec_.jobs, "jobs")) return chosen;
    for (std::size_t i = 0; i < spec_.jobs.size() && errors_.size() < 10; ++i) {
      const auto job = std::ranges::find(names, spec_.jobs[i]);
      if (job == names.end()) {
        fail(fmt::format("jobs[{}]", i),
             fmt::format("`{}` is no job; the jobs are {}{}", spec_.jobs[i], listing(names),
                         did_you_mean(spec_.jobs[i], names)));
      } else {
        chosen.push_back(static_cast<std::uint32_t>(job - names.begin()));
      }
    }
    return chosen;
  }

  void choose_ranks(const std::vector<std::uint32_t>& jobs, std::vector<bool>& is_shown) {
    std::uint32_t max = 0;
    for (const std::uint32_t j : jobs) max = std::max(max, workload_.jobs()[j].ranks);
    std::vector<bool> is_chosen(max, spec_.ranks.empty());
    if (too_many(spec_.ranks, "ranks")) return;
    for (std::size_t i = 0; i < spec_.ranks.size() && errors_.size() < 10; ++i) {
      const auto range = parse_range(spec_.ranks[i]);
      const std::string key = fmt::format("ranks[{}]", i);
      if (!range) {
        fail(key, fmt::format("`{}` is no rank; expected a number or a range such as `0-7`",
                              spec_.ranks[i]));
      } else if (range->first > range->second) {
        fail(key, fmt::format("`{}` ends before it begins", spec_.ranks[i]));
      } else if (range->second >= max) {
        fail(key, fmt::format("there is no rank {}; {} 0 to {}", range->second,
                              jobs.size() == 1 ? "the job has ranks" : "the largest job has ranks",
                              max - 1));
      } else {
        const auto first = is_chosen.begin() + static_cast<std::ptrdiff_t>(range->first);
        std::fill_n(first, range->second - range->first + 1, true);
      }
    }
    for (const std::uint32_t j : jobs) {
      const JobPlan& job = workload_.jobs()[j];
      for (std::uint32_t r = 0; r < job.ranks; ++r) {
        if (is_chosen[r]) is_shown[job.process(r).value()] = true;
      }
    }
  }

  const ObserveSpec::Timeline& spec_;
  const Workload& workload_;
  Errors errors_;
};

}  // namespace

Result<std::optional<TimelinePlan>> resolve_timeline(const Scenario& scenario,
                                                     const Workload& workload) {
  if (!scenario.observe.timeline) return std::optional<TimelinePlan>();
  return TimelineResolver(*scenario.observe.timeline, workload).run();
}

}  // namespace weft::scenarios
