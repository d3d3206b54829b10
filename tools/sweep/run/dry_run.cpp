#include "tools/sweep/run/dry_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/checks/forecast.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "tools/io/terminal.hpp"
#include "tools/sweep/plan/bisection_search.hpp"
#include "tools/sweep/run/process_pool.hpp"

namespace weft::sweep {
namespace {

using scenarios::counted;
using scenarios::format_count;
using scenarios::format_time;

/// What the samples may take together, and what is spent on the model of all points.
constexpr std::chrono::seconds kSampleTimeout{10};
constexpr std::chrono::seconds kModelTimeout{5};
/// Points that are run: more of them while they took less than this together, since what the model
/// cannot predict, such as time-outs, may be in any of them.
constexpr std::size_t kMinSamples = 5;
constexpr std::size_t kMaxSamples = 32;
constexpr double kSampledSeconds = 0.5;
/// Starting the process of a point and recording what it reports, without the point itself.
/// Measured on incast-degree and trimming: 4.5 ms each beside what the sweep takes to begin.
constexpr double kSecondsPerRecord = 0.0045;

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

/// `count` of `all` indices, evenly spread, first and last among them.
std::vector<std::size_t> spread(std::size_t count, std::size_t all) {
  std::set<std::size_t> chosen;
  count = std::min(count, all);
  for (std::size_t i = 0; i < count; ++i) {
    chosen.insert(count == 1 ? 0 : i * (all - 1) / (count - 1));
  }
  return {chosen.begin(), chosen.end()};
}

/// All indices, every 1024th first, then every 512th: wherever time is over, those that were looked
/// at are spread.
std::vector<std::size_t> spread_order(std::size_t all) {
  constexpr std::size_t kLargestStep = 1024;
  std::vector<std::size_t> order;
  order.reserve(all);
  for (std::size_t step = kLargestStep; step > 0; step /= 2) {
    for (std::size_t i = 0; i < all; i += step) {
      if (step == kLargestStep || i % (2 * step) != 0) order.push_back(i);
    }
  }
  return order;
}

/// What `weft check` predicts of a point.
struct Modelled {
  double seconds = 0;
  bool may_be_shorter = false;  ///< what it takes may be far less, if epochs begin alike
};

/// Nothing: it cannot be built.
std::optional<Modelled> modelled(const Sweep& sweep, const Point& point) {
  const auto loaded = sweep.base.load(simulated_overrides_of(sweep, point));
  if (!loaded.ok()) return {};
  const auto experiment = scenarios::build_experiment(loaded.value());
  if (!experiment.ok()) return {};
  const scenarios::Forecast forecast = scenarios::forecast(experiment.value());
  return Modelled{forecast.seconds, forecast.min_seconds < forecast.seconds};
}

/// The same of all points; those for which there is no time are as the others on average. Points
/// differ by orders of magnitude, as an in-cast of 2 and one of 256 do: a few that are run say
/// little of the rest without it.
std::vector<Modelled> modelled(const Sweep& sweep, const std::vector<Point>& points,
                               const std::function<bool()>& is_interrupted) {
  const auto until = std::chrono::steady_clock::now() + kModelTimeout;
  std::vector<std::optional<Modelled>> known(points.size());
  double sum = 0;
  std::size_t count = 0;
  for (const std::size_t i : spread_order(points.size())) {
    if (is_interrupted() || std::chrono::steady_clock::now() > until) break;
    known[i] = modelled(sweep, points[i]);
    if (!known[i]) continue;
    sum += known[i]->seconds;
    ++count;
  }
  const Modelled mean{count == 0 ? 0 : sum / static_cast<double>(count), false};
  std::vector<Modelled> all;
  all.reserve(points.size());
  for (const auto& one : known) all.push_back(one.value_or(mean));
  return all;
}

/// What a point took of a processor, and what the model says of it.
struct Sample {
  std::size_t point = 0;
  double seconds = 0;
  double modelled = 0;
  bool is_cut = false;  ///< it would have taken longer
};

/// Which points are run, in this order: those of the least number, the cheapest first, so that some
/// come to their ends; then the others, as they are spread.
std::vector<std::size_t> sample_order(const std::vector<Modelled>& model) {
  std::vector<std::size_t> order = spread(kMinSamples, model.size());
  std::ranges::stable_sort(order, {}, [&model](std::size_t i) { return model[i].seconds; });
  const std::set<std::size_t> first(order.begin(), order.end());
  for (const std::size_t i : spread_order(model.size())) {
    if (!first.contains(i)) order.push_back(i);
  }
  return order;
}

std::vector<Sample> run_samples(const Sweep& sweep, const std::vector<Point>& points,
                                const std::vector<Modelled>& model,
                                const std::function<bool()>& is_interrupted) {
  const auto until = std::chrono::steady_clock::now() + kSampleTimeout;
  const PointRunner work(sweep);
  std::vector<Sample> samples;
  double taken = 0;
  for (const std::size_t i : sample_order(model)) {
    const bool is_enough = taken >= kSampledSeconds || samples.size() == kMaxSamples;
    if (samples.size() >= kMinSamples && is_enough) break;
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= left.zero() || is_interrupted()) break;
    ProcessPool pool(1, {.time = left, .memory = {}}, work);
    pool.start(work.task_of(points[i]));
    while (pool.running() > 0) {
      for (const Report& report : pool.wait(std::chrono::milliseconds(100))) {
        samples.push_back(
            {i, report.cpu_seconds, model[i].seconds, report.status == Status::kTimeLimit});
        taken += report.cpu_seconds;
      }
    }
  }
  return samples;
}

/// By how much the model is off in samples: the machine, what is lost and sent again, and what
/// reuse spares. One that was cut off only says that it is no less.
double factor_of(const std::vector<Sample>& samples) {
  double seconds = 0;
  double modelled = 0;
  double at_least = 0;
  for (const Sample& sample : samples) {
    if (sample.modelled <= 0) continue;
    if (sample.is_cut) {
      at_least = std::max(at_least, sample.seconds / sample.modelled);
    } else {
      seconds += sample.seconds;
      modelled += sample.modelled;
    }
  }
  return modelled > 0 ? seconds / modelled : std::max(1.0, at_least);
}

std::size_t shared_values(const Point& a, const Point& b) {
  std::size_t shared = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) shared += a.values[i].text == b.values[i].text;
  return shared;
}

/// Those that a point is judged by. Whether reuse spares something depends on what a point is: of
/// points that may reuse, the samples that have as many values in common as any.
std::vector<Sample> samples_for(const std::vector<Point>& points,
                                const std::vector<Modelled>& model, std::size_t point,
                                const std::vector<Sample>& samples) {
  std::vector<Sample> alike;
  std::size_t max_shared = 0;
  for (const Sample& sample : samples) {
    if (model[sample.point].may_be_shorter != model[point].may_be_shorter) continue;
    const std::size_t shared =
        model[point].may_be_shorter ? shared_values(points[sample.point], points[point]) : 0;
    if (shared > max_shared) alike.clear();
    max_shared = std::max(max_shared, shared);
    if (shared == max_shared) alike.push_back(sample);
  }
  return alike;
}

/// The points that will be simulated of those that are estimated, and what estimating takes.
struct ChosenPoints {
  std::vector<Point> best;
  double seconds = 0;
};

ChosenPoints choose_points(const Sweep& sweep, const std::vector<Point>& points,
                           const std::function<bool()>& is_interrupted) {
  const auto until = std::chrono::steady_clock::now() + kModelTimeout;
  const std::clock_t begin = std::clock();
  const PointRunner work(sweep);
  std::vector<std::pair<double, std::size_t>> ranked;
  std::size_t estimated = 0;
  for (const std::size_t i : spread_order(points.size())) {
    if (is_interrupted() || std::chrono::steady_clock::now() > until) break;
    ++estimated;
    const Report report = work(work.estimate_task_of(points[i]));
    if (report.status != Status::kEstimated) continue;
    for (const auto& [name, value] : report.metrics) {
      if (name != sweep.choice->metric) continue;
      ranked.emplace_back(sweep.choice->goal == Goal::kMin ? value : -value, i);
    }
  }
  std::ranges::sort(ranked);
  ChosenPoints chosen;
  std::set<std::int64_t> configurations;
  for (const auto& [rank, i] : ranked) {
    if (configurations.size() == sweep.choice->best &&
        !configurations.contains(points[i].configuration)) {
      continue;
    }
    configurations.insert(points[i].configuration);
    chosen.best.push_back(points[i]);
  }
  if (estimated == 0) return chosen;
  chosen.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC *
                   static_cast<double>(points.size()) / static_cast<double>(estimated);
  return chosen;
}

/// Says how long `points`, or `count` like them, will take; `before` is for what comes first.
void print_forecast(const Sweep& sweep, const std::vector<Point>& points, std::size_t count,
                    std::size_t processes, double before,
                    const std::function<bool()>& is_interrupted) {
  if (points.empty()) {
    if (before > 0) print("  about " + format_time(before) + " of processor time\n");
    return;
  }
  const std::vector<Modelled> model = modelled(sweep, points, is_interrupted);
  const std::vector<Sample> samples = run_samples(sweep, points, model, is_interrupted);
  if (samples.empty()) return;
  double sum = 0;
  double corrected = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += model[i].seconds;
    corrected += kSecondsPerRecord;
    const auto own = std::ranges::find(samples, i, &Sample::point);
    corrected += own != samples.end() && !own->is_cut
                     ? own->seconds
                     : model[i].seconds * factor_of(samples_for(points, model, i, samples));
  }
  const double all =
      before + corrected * static_cast<double>(count) / static_cast<double>(points.size());
  std::string text = "  about " + format_time(all) + " of processor time";
  if (const std::size_t side_by_side = std::min(processes, count); side_by_side > 1) {
    text += fmt::format(", {} with {} processes on idle cores",
                        format_time(all / static_cast<double>(side_by_side)), processes);
  }
  double took = 0;
  for (const Sample& sample : samples) took += sample.seconds;
  const bool is_cut = std::ranges::any_of(samples, &Sample::is_cut);
  text += fmt::format(
      ": {} took {}{}; `weft check` alone predicts {}\n", counted(std::ssize(samples), "point"),
      format_time(took), is_cut ? " or more" : "",
      format_time(sum * static_cast<double>(count) / static_cast<double>(points.size())));
  print(text);
}

}  // namespace

void dry_run(const Sweep& sweep, const Plan& plan, std::size_t processes,
             const std::function<bool()>& is_interrupted) {
  // Loading and planning the sweep, which every run of it does as well.
  const double begun = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
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
    std::fflush(stdout);
    const ChosenPoints chosen = choose_points(sweep, points, is_interrupted);
    print_forecast(sweep, chosen.best, chosen.best.size(), processes, begun + chosen.seconds,
                   is_interrupted);
    return;
  }
  std::fflush(stdout);
  print_forecast(sweep, points, count, processes, begun, is_interrupted);
}

SweepForecast sweep_forecast(const Sweep& sweep, const Plan& plan,
                             const std::function<bool()>& is_interrupted) {
  const std::vector<Point> points = plan.points();
  SweepForecast forecast{.points = points.size()};
  for (const Modelled& one : modelled(sweep, points, is_interrupted)) {
    forecast.seconds += one.seconds;
  }
  return forecast;
}

}  // namespace weft::sweep
