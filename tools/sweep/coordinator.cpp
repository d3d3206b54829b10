#include "tools/sweep/coordinator.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace weft::sweep {
namespace {

constexpr std::chrono::milliseconds kPatience{200};

}  // namespace

Coordinator::Coordinator(const Sweep& sweep, const Plan& plan, Store& store, TaskRunner& runner)
    : sweep_(sweep), plan_(plan), store_(store), runner_(runner), point_runner_(sweep) {}

void Coordinator::count(const Known& known) {
  ++progress_.total;
  if (known.is_waiting) return;
  ++progress_.recorded;
  if (!known.is_done) ++progress_.failed;
}

Errors Coordinator::prepare() {
  for (const auto& [id, known] : store_.known()) count(known);
  for (const Point& point : plan_.points) {
    const auto known = store_.known().find(point.id);
    if (known == store_.known().end()) {
      return {{"has no point " + std::to_string(point.id) +
                   " of this sweep: somebody removed it; --force-new keeps the database aside and "
                   "begins anew",
               {store_.path().string(), 0, 0, {}}}};
    }
    if (known->second.is_waiting) queue_.push_back(point);
  }
  for (const Point& group : plan_.groups) {
    searches_.emplace_back(sweep_, group);
    if (Errors errors = follow(searches_.size() - 1); !errors.empty()) return errors;
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

void Coordinator::start_points() {
  while (!queue_.empty() && runner_.free_slots() > 0) {
    Point point = std::move(queue_.front());
    queue_.pop_front();
    runner_.start(point_runner_.task_of(point));
    running_[point.id] = std::move(point);
  }
}

std::optional<bool> Coordinator::answer_of(const Report& report) const {
  const auto* bisection = std::get_if<Bisection>(&sweep_.strategy);
  if (bisection == nullptr || report.status != Status::kDone) return std::nullopt;
  return bisection->condition.holds([&report](const std::string& name) -> Operand {
    for (const auto& [metric, value] : report.metrics) {
      if (metric == name) return value;
    }
    return std::nullopt;
  });
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
    if (report.status != Status::kDone) ++progress_.failed;
    if (searches_.empty()) continue;
    const Point& point = ended.find(report.id)->second;
    const auto group = static_cast<std::size_t>(point.group);
    const auto answer = holds.find(report.id);
    searches_[group].note(point,
                          answer == holds.end() ? std::nullopt : std::optional(answer->second));
    if (Errors errors = follow(group); !errors.empty()) return errors;
  }
  return {};
}

Errors Coordinator::run(const SweepObserver& observer) {
  if (Errors errors = prepare(); !errors.empty()) return errors;
  for (;;) {
    start_points();
    if (running_.empty()) break;
    if (Errors errors = take(runner_.wait(kPatience)); !errors.empty()) {
      runner_.stop();
      return errors;
    }
    if (!observer(progress_)) break;
  }
  if (!running_.empty()) runner_.stop();
  return {};
}

}  // namespace weft::sweep
