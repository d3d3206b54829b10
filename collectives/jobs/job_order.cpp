#include "collectives/jobs/job_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::collectives {
namespace {

std::string after_key(std::size_t job) { return "jobs[" + std::to_string(job) + "].after"; }

/// By job, whether it never begins: what it waits for never ends.
std::vector<bool> find_never_begun(std::span<const JobDescription> jobs) {
  std::vector<std::vector<std::uint32_t>> followers(jobs.size());
  std::vector<std::size_t> awaited(jobs.size());
  std::vector<std::uint32_t> free;
  for (std::uint32_t j = 0; j < jobs.size(); ++j) {
    awaited[j] = jobs[j].after.size();
    if (awaited[j] == 0) free.push_back(j);
    for (const std::uint32_t earlier : jobs[j].after) followers[earlier].push_back(j);
  }
  std::vector<bool> never(jobs.size(), true);
  while (!free.empty()) {
    const std::uint32_t job = free.back();
    free.pop_back();
    never[job] = false;
    for (const std::uint32_t follower : followers[job]) {
      if (--awaited[follower] == 0) free.push_back(follower);
    }
  }
  return never;
}

/// Jobs of which each waits for the next one, and the last for the first; the first has the least
/// number. Empty if there is no circle.
std::vector<std::uint32_t> find_circle(std::span<const JobDescription> jobs) {
  const std::vector<bool> never = find_never_begun(jobs);
  const auto first = std::ranges::find(never, true);
  if (first == never.end()) return {};
  // Who never begins waits for another such job: following them leads into a circle.
  std::vector<std::uint32_t> way;
  auto job = static_cast<std::uint32_t>(first - never.begin());
  auto seen = way.end();
  while (seen == way.end()) {
    way.push_back(job);
    job = *std::ranges::find_if(jobs[job].after, [&](std::uint32_t j) { return never[j]; });
    seen = std::ranges::find(way, job);
  }
  std::vector<std::uint32_t> circle(seen, way.end());
  std::rotate(circle.begin(), std::ranges::min_element(circle), circle.end());
  return circle;
}

}  // namespace

Errors check_order(std::span<const JobDescription> jobs) {
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    for (const std::uint32_t earlier : jobs[j].after) {
      if (earlier < jobs.size()) continue;
      return {Error{"names job " + std::to_string(earlier) + " of " + std::to_string(jobs.size()),
                    {.key = after_key(j)}}};
    }
  }
  const std::vector<std::uint32_t> circle = find_circle(jobs);
  if (circle.empty()) return {};
  std::string text = "makes the job wait for itself: `" + jobs[circle.front()].name + "`";
  for (std::size_t i = 1; i <= circle.size(); ++i) {
    text += " after `" + jobs[circle[i % circle.size()]].name + "`";
  }
  return {Error{std::move(text), {.key = after_key(circle.front())}}};
}

}  // namespace weft::collectives
