#include "tools/sweep/run/dry_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/text/format.hpp"
#include "tools/io/terminal.hpp"
#include "tools/sweep/plan/bisection_search.hpp"
#include "tools/sweep/run/process_pool.hpp"

namespace weft::sweep {
namespace {

using scenarios::format_count;
using scenarios::format_time;

/// What the samples may take together.
constexpr std::chrono::seconds kLoadTimeout{10};
constexpr std::size_t kSamples = 5;

void list(const Sweep& sweep, const std::vector<Point>& points) {
  std::vector<std::string> header{"point"};
  for (const Parameter& parameter : sweep.parameters) header.push_back(parameter.name);
  scenarios::TextTable table(std::move(header));
  for (const Point& point : points) {
    std::vector<std::string> row{std::to_string(point.id)};
    for (const Value& value : point.values) row.push_back(value.text);
    table.add(std::move(row));
  }
  print(table.to_string("  "));
}

/// Evenly spread points, first and last among them.
std::vector<Point> samples_of(const std::vector<Point>& points) {
  std::set<std::size_t> chosen;
  const std::size_t count = std::min(kSamples, points.size());
  for (std::size_t i = 0; i < count; ++i) {
    chosen.insert(count == 1 ? 0 : i * (points.size() - 1) / (count - 1));
  }
  std::vector<Point> samples;
  samples.reserve(chosen.size());
  for (const std::size_t i : chosen) samples.push_back(points[i]);
  return samples;
}

struct RunEstimate {
  std::size_t ran = 0;
  double seconds = 0;  ///< per point, on average
  bool is_lower_bound = false;
};

RunEstimate estimate_run(const Sweep& sweep, const std::vector<Point>& points,
                         const std::function<bool()>& is_interrupted) {
  const auto until = std::chrono::steady_clock::now() + kLoadTimeout;
  const PointRunner work(sweep);
  RunEstimate result;
  double total = 0;
  for (const Point& point : samples_of(points)) {
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= left.zero() || is_interrupted()) break;
    ProcessPool pool(1, {.time = left, .memory = {}}, work);
    pool.start(work.task_of(point));
    while (pool.running() > 0) {
      for (const Report& report : pool.wait(std::chrono::milliseconds(100))) {
        total += report.wall_seconds;
        ++result.ran;
        result.is_lower_bound |= report.status == Status::kTimeLimit;
      }
    }
  }
  if (result.ran > 0) result.seconds = total / static_cast<double>(result.ran);
  return result;
}

}  // namespace

void dry_run(const Sweep& sweep, const Plan& plan, std::size_t processes,
             const std::function<bool()>& is_interrupted) {
  std::vector<Point> points = plan.points();
  std::size_t count = points.size();
  if (!plan.groups.empty()) {
    for (const Point& group : plan.groups) {
      const BisectionSearch search(sweep, group);
      count += search.longest();
      for (Point& point : search.open_points()) points.push_back(std::move(point));
    }
    print(fmt::format("{}: {} searches of at most {} points; each begins with its ends:\n",
                      sweep.name, format_count(std::ssize(plan.groups)),
                      count / plan.groups.size()));
  } else {
    print(fmt::format("{}: {} points\n", sweep.name, format_count(std::ssize(points))));
  }
  list(sweep, points);
  if (plan.dropped > 0) {
    print(fmt::format("  {} combinations break a constraint and are left out\n",
                      format_count(static_cast<std::int64_t>(plan.dropped))));
  }
  if (sweep.choice) {
    print(fmt::format(
        "  all are estimated; the best {} by {} are simulated. `--set sweep.choose.best=0` "
        "estimates alone\n",
        sweep.choice->best, sweep.choice->metric));
    return;
  }
  std::fflush(stdout);
  const RunEstimate e = estimate_run(sweep, points, is_interrupted);
  if (e.ran == 0) return;
  const double seconds =
      e.seconds * static_cast<double>(count) / static_cast<double>(std::min(processes, count));
  print(fmt::format("  {} {} with {} process{}: {} points took {}{} each\n",
                    e.is_lower_bound ? "at least" : "about", format_time(seconds), processes,
                    processes == 1 ? "" : "es", e.ran, format_time(e.seconds),
                    e.is_lower_bound ? " or more" : ""));
}

}  // namespace weft::sweep
