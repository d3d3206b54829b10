#include "tools/sweep/run/coordinator.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace weft::sweep {
namespace {

constexpr std::chrono::milliseconds kWaitTimeout{200};
/// They take some 10 ms to write.
constexpr std::size_t kPointsAtOnce = 2'000;

}  // namespace

Coordinator::Coordinator(const Sweep& sweep, const Plan& plan, Store& store, TaskRunner& runner)
    : sweep_(sweep),
      plan_(plan),
      store_(store),
      runner_(runner),
      point_runner_(sweep),
      has_chosen_(!sweep.choice) {}

Errors Coordinator::prepare() {
  const auto& all = store_.known();
  for (const auto& [id, known] : all) {
    if (known.is_waiting) continue;
    ++progress_.recorded;
    if (known.is_failed) ++progress_.failed;
  }
  progress_.total = std::max(all.size(), plan_.size());
  // The database has the points of a plan in order: all, or all up to where it was interrupted.
  const auto end = all.empty() ? 0 : static_cast<std::size_t>(all.rbegin()->first) + 1;
  stored_ = std::min(end, plan_.size());
  for (std::size_t id = 0; id < stored_; ++id) {
    if (all.contains(static_cast<std::int64_t>(id))) continue;
    return {{"has no point " + std::to_string(id) +
                 " of this sweep: somebody removed it; --force-new keeps the database aside and "
                 "starts again",
             {store_.path().string(), 0, 0, {}}}};
  }
  return {};
}

/// Answers what the database knows, and queues what a search still wants to know.
Errors Coordinator::follow(std::size_t search_index) {
  BisectionSearch& search = searches_[search_index];
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    std::vector<Point> fresh;
    for (Point& point : search.open_points()) {
      if (queued_.contains(point.id)) continue;
      const auto known = store_.known().find(point.id);
      queued_.insert(point.id);
      if (known != store_.known().end() && !known->second.is_waiting) {
        search.note(point, known->second.holds);
        has_moved = true;
        continue;
      }
      // The ends were checked when the sweep was read; what lies between might still be refused.
      if (Errors errors = check_point(sweep_, point); !errors.empty()) return errors;
      if (known == store_.known().end()) {
        fresh.push_back(point);
        ++progress_.total;
      }
      queue_.push_back(std::move(point));
    }
    if (Errors errors = store_.add(fresh); !errors.empty()) return errors;
  }
  return {};
}

/// Writes some of the points that the database does not have yet, and begins as many searches as
/// can run: the first points do not wait for the last.
Errors Coordinator::look_ahead() {
  std::vector<Point> points;
  while (stored_ < plan_.size() && points.size() < kPointsAtOnce) {
    points.push_back(plan_.point(stored_++));
  }
  Errors errors = store_.add(points);
  while (errors.empty() && searches_.size() < plan_.groups.size() &&
         queue_.size() < runner_.free_slots()) {
    searches_.emplace_back(sweep_, plan_.groups[searches_.size()]);
    errors = follow(searches_.size() - 1);
  }
  return errors;
}

std::optional<Point> Coordinator::next_point() {
  while (next_planned_ < stored_) {
    const std::size_t id = next_planned_++;
    if (store_.known().at(static_cast<std::int64_t>(id)).is_waiting) return plan_.point(id);
  }
  if (queue_.empty()) return std::nullopt;
  Point point = std::move(queue_.front());
  queue_.pop_front();
  return point;
}

void Coordinator::start_points() {
  while (runner_.free_slots() > 0) {
    std::optional<Point> point = next_point();
    if (!point) return;
    runner_.start(has_chosen_ ? point_runner_.task_of(*point)
                              : point_runner_.estimate_task_of(*point));
    running_[point->id] = std::move(*point);
  }
}

/// Queues the best configurations by their estimates, equal ones in their order; those that were
/// simulated before keep their places.
void Coordinator::choose() {
  has_chosen_ = true;
  const std::size_t seeds = std::max<std::size_t>(sweep_.seeds.size(), 1);
  std::vector<std::pair<double, std::size_t>> ranked;  // the first point of a configuration
  for (std::size_t id = 0; id < plan_.size(); id += seeds) {
    const std::optional<double> estimate =
        store_.known().at(static_cast<std::int64_t>(id)).estimate;
    if (!estimate) continue;
    ranked.emplace_back(sweep_.choice->goal == Goal::kMin ? *estimate : -*estimate, id);
  }
  std::ranges::sort(ranked);
  ranked.resize(std::min<std::size_t>(ranked.size(), sweep_.choice->best));
  for (const auto& [estimate, first] : ranked) {
    for (std::size_t id = first; id < first + seeds; ++id) {
      if (!store_.known().at(static_cast<std::int64_t>(id)).is_estimated) continue;
      queue_.push_back(plan_.point(id));
      ++progress_.total;
    }
  }
}

std::optional<bool> Coordinator::answer_of(const Report& report) const {
  const auto* bisection = std::get_if<Bisection>(&sweep_.strategy);
  if (bisection == nullptr || report.status != Status::kDone) return std::nullopt;
  return condition_holds(*bisection, report);
}

Errors Coordinator::take(std::vector<Report> reports) {
  std::vector<Report> final;
  std::map<std::int64_t, bool> holds;
  std::map<std::int64_t, Point> ended;
  for (Report& report : reports) {
    // Once a point has ended, whatever else is said of it is not about this run of it.
    auto running = running_.extract(report.id);
    if (running.empty()) continue;
    if (report.status == Status::kKilled && retried_.insert(report.id).second) {
      // Somebody else's doing, or the kernel's for want of memory: once more, at the end.
      queue_.push_back(std::move(running.mapped()));
      continue;
    }
    if (const auto answer = answer_of(report)) holds[report.id] = *answer;
    ended.insert(std::move(running));
    final.push_back(std::move(report));
  }
  if (Errors errors = store_.record(final, holds); !errors.empty()) return errors;
  for (const Report& report : final) {
    ++progress_.recorded;
    ++progress_.ran;
    if (is_failure(report.status)) ++progress_.failed;
    if (searches_.empty()) continue;
    const Point& point = ended.find(report.id)->second;
    const auto group = static_cast<std::size_t>(point.group);
    const auto answer = holds.find(report.id);
    searches_[group].note(point,
                          answer == holds.end() ? std::nullopt : std::optional(answer->second));
    if (Errors errors = follow(group); !errors.empty()) return errors;
  }
  for (Report& report : final) {
    progress_.fresh.push_back({std::move(ended.find(report.id)->second), std::move(report)});
  }
  return {};
}

Errors Coordinator::run(const SweepObserver& observer) {
  if (Errors errors = prepare(); !errors.empty()) return errors;
  for (;;) {
    Errors errors = look_ahead();
    if (errors.empty()) {
      start_points();
      if (running_.empty() && stored_ == plan_.size()) {
        if (has_chosen_) break;
        choose();
        continue;
      }
      const bool has_more = stored_ < plan_.size();
      errors = take(runner_.wait(has_more ? std::chrono::milliseconds{0} : kWaitTimeout));
    }
    if (!errors.empty()) {
      runner_.stop();
      return errors;
    }
    progress_.running = running_.size();
    if (!observer(progress_)) break;
    progress_.fresh.clear();
  }
  if (!running_.empty()) runner_.stop();
  return {};
}

}  // namespace weft::sweep
