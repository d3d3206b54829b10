#include "tools/sweep/plan/points.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "simcore/base/random.hpp"

namespace weft::sweep {
namespace {

/// Above this a sweep is a mistake in the file: recording takes a millisecond per point.
constexpr std::uint64_t kMaxPoints = 1'000'000;
/// Combinations that are drawn at most, to find some that keep the constraints.
constexpr std::uint64_t kMaxAttempts = 2 * kMaxPoints;
constexpr std::size_t kMaxErrors = 10;
/// What checking points before the first one runs may take.
constexpr std::chrono::seconds kCheckTimeout{1};

Operand operand_of(const Value& value) {
  if (value.number) return *value.number;
  return value.text;
}

std::size_t seeds_of(const Sweep& sweep) { return std::max<std::size_t>(sweep.seeds.size(), 1); }

void set(const Axis& axis, const std::vector<Value>& row, std::vector<Value>& values) {
  for (std::size_t i = 0; i < row.size(); ++i) values[axis.parameters[i]] = row[i];
}

/// The values of a drawn combination, in an order that the seed gives.
void draw(const Sweep& sweep, std::uint64_t combination, std::vector<Value>& values) {
  const std::uint64_t seed = std::get<Sampling>(sweep.strategy).seed;
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
    const Axis& axis = sweep.axes[a];
    const RandomStream stream(seed, Purpose::kSweepSample, a);
    if (!axis.range) {
      set(axis, axis.rows[stream.below(combination, axis.rows.size())], values);
      continue;
    }
    constexpr double kTwoTo53 = 9007199254740992.0;
    const double fraction = static_cast<double>(stream.bits(combination) >> 11U) / kTwoTo53;
    set(axis, {Value::of(axis.range->at(fraction))}, values);
  }
}

/// Sets what the axes say of a combination: of a grid, whose last axis is the fastest, or drawn.
void set_combination(const Sweep& sweep, std::uint64_t combination, std::vector<Value>& values) {
  if (std::holds_alternative<Sampling>(sweep.strategy)) return draw(sweep, combination, values);
  for (std::size_t a = sweep.axes.size(); a-- > 0;) {
    const Axis& axis = sweep.axes[a];
    set(axis, axis.rows[combination % axis.rows.size()], values);
    combination /= axis.rows.size();
  }
}

class Planner {
 public:
  explicit Planner(const Sweep& sweep)
      : sweep_(sweep), values_(sweep.parameters.size()), plan_(sweep) {}

  Result<Plan> plan() {
    if (Errors errors = check_size(); !errors.empty()) return errors;
    if (std::holds_alternative<Sampling>(sweep_.strategy)) {
      if (Errors errors = sample(); !errors.empty()) return errors;
    } else {
      // Constraints see the end of a bisection where its condition is expected to hold.
      if (const auto* bisection = std::get_if<Bisection>(&sweep_.strategy)) {
        const Range end{bisection->high, bisection->high, false, bisection->is_integer};
        values_[bisection->parameter] = Value::of(end.at(1));
      }
      for (std::uint64_t i = 0; i < combinations_; ++i) take(i);
    }
    if (plan_.configuration_count() == 0 && plan_.groups.empty()) return nothing_left();
    check_configurations();
    if (!errors_.empty()) return std::move(errors_);
    return std::move(plan_);
  }

 private:
  Errors check_size() {
    std::uint64_t count = seeds_of(sweep_);
    const auto* sampling = std::get_if<Sampling>(&sweep_.strategy);
    if (sampling != nullptr) {
      count *= sampling->samples;
    } else {
      for (const Axis& axis : sweep_.axes) {
        if (count <= kMaxPoints) count *= std::max<std::size_t>(axis.rows.size(), 1);
      }
      combinations_ = count / seeds_of(sweep_);
    }
    if (count <= kMaxPoints) return {};
    return {{"makes more than " + std::to_string(kMaxPoints) +
                 " points; use fewer values, or `strategy: {type: random, samples: N}`",
             {sweep_.file, 0, 0, "axes"}}};
  }

  Errors nothing_left() const {
    const language::Mark place =
        sweep_.constraints.empty() ? language::Mark{} : sweep_.constraints.front().mark;
    return {{"no point is left: each of the " + std::to_string(plan_.dropped) +
                 " combinations breaks a constraint",
             {sweep_.file, place.line, place.column, "constraints"}}};
  }

  /// Draws until enough combinations keep the constraints.
  Errors sample() {
    const auto& sampling = std::get<Sampling>(sweep_.strategy);
    const std::uint64_t attempts =
        std::min(std::uint64_t{sampling.samples} * 1'000 + 1'000, kMaxAttempts);
    for (std::uint64_t i = 0; i < attempts && plan_.configuration_count() < sampling.samples; ++i) {
      take(i);
    }
    const std::size_t found = plan_.configuration_count();
    if (found == sampling.samples || found == 0) return {};
    return {{"only " + std::to_string(found) + " of " + std::to_string(attempts) +
                 " random combinations keep the constraints; widen the axes",
             {sweep_.file, 0, 0, "constraints"}}};
  }

  /// Plans a combination, unless it breaks a constraint.
  void take(std::uint64_t combination) {
    const auto* bisection = std::get_if<Bisection>(&sweep_.strategy);
    if (bisection != nullptr || !sweep_.constraints.empty()) {
      set_combination(sweep_, combination, values_);
      if (!is_allowed()) {
        ++plan_.dropped;
        return;
      }
    }
    if (bisection == nullptr) return plan_.add(combination);
    Point group;
    group.configuration = group.group = static_cast<std::int64_t>(plan_.groups.size());
    if (!sweep_.seeds.empty()) values_.back() = Value::of(std::to_string(sweep_.seeds[0]));
    group.values = values_;
    plan_.groups.push_back(std::move(group));
  }

  [[nodiscard]] bool is_allowed() const {
    const Lookup lookup = [this](const std::string& name) {
      return operand_at(sweep_, values_, name);
    };
    return std::ranges::all_of(
        sweep_.constraints, [&lookup](const Constraint& c) { return c.expression.holds(lookup); });
  }

  /// One of each configuration, as any seed is as good as the first. Where time does not suffice
  /// for all, steps of a golden section spread those that are checked over all axes. Where points
  /// are chosen, those that cannot be run are a result: one that can is enough.
  void check_configurations() {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point until = Clock::now() + kCheckTimeout;
    const std::size_t count = std::max(plan_.configuration_count(), plan_.groups.size());
    auto step = static_cast<std::size_t>(0.618 * static_cast<double>(count)) | 1U;
    while (std::gcd(step, count) != 1) ++step;
    const std::size_t max_errors = sweep_.choice ? count : kMaxErrors;
    for (std::size_t i = 0; i < count && errors_.size() < max_errors; ++i) {
      const std::size_t configuration = i * step % count;
      if (plan_.groups.empty()) {
        if (check(plan_.point(configuration * seeds_of(sweep_))) && sweep_.choice) {
          errors_.clear();
          return;
        }
      } else {
        check_group(plan_.groups[configuration]);
      }
      if (Clock::now() < until) continue;
      if (sweep_.choice) errors_.clear();
      return;
    }
  }

  /// At both ends of the bisection.
  void check_group(Point group) {
    const auto& bisection = std::get<Bisection>(sweep_.strategy);
    for (const Number& end : {bisection.low, bisection.high}) {
      const Range range{end, end, false, bisection.is_integer};
      group.values[bisection.parameter] = Value::of(range.at(0));
      check(group);
    }
  }

  /// Whether the point can be run. Many points fail for the same reason; one of them tells it.
  bool check(const Point& point) {
    Errors errors = check_point(sweep_, point);
    for (Error& error : errors) {
      const auto is_same = [&error](const Error& other) {
        const SourceLocation& a = error.where;
        const SourceLocation& b = other.where;
        return a.file == b.file && a.line == b.line && a.column == b.column && a.key == b.key;
      };
      if (std::ranges::none_of(errors_, is_same)) errors_.push_back(std::move(error));
    }
    return errors.empty();
  }

  const Sweep& sweep_;
  std::vector<Value> values_;
  Plan plan_;
  std::uint64_t combinations_ = 0;  ///< of a grid
  Errors errors_;
};

}  // namespace

Operand operand_at(const Sweep& sweep, const std::vector<Value>& values, const std::string& name) {
  for (std::size_t i = 0; i < sweep.parameters.size(); ++i) {
    const Parameter& parameter = sweep.parameters[i];
    if (parameter.name == name || parameter.path == name) return operand_of(values[i]);
  }
  const auto base = sweep.base_values.find(name);
  if (base == sweep.base_values.end()) return std::nullopt;
  return operand_of(Value::of(base->second));
}

Errors check_point(const Sweep& sweep, const Point& point) {
  const auto loaded = sweep.base.load(overrides_of(sweep, point));
  if (loaded.ok()) return {};
  Errors errors = sweep.located(loaded.errors(), point);
  const std::string at = description(sweep.parameters, point.values);
  for (Error& error : errors) error.message += " (at " + at + ")";
  return errors;
}

std::size_t Plan::size() const { return combinations_.size() * seeds_of(*sweep_); }

std::vector<Point> Plan::points() const {
  std::vector<Point> all;
  all.reserve(size());
  for (std::size_t id = 0; id < size(); ++id) all.push_back(point(id));
  return all;
}

Point Plan::point(std::size_t id) const {
  const std::size_t seeds = seeds_of(*sweep_);
  const std::size_t configuration = id / seeds;
  Point point;
  point.id = static_cast<std::int64_t>(id);
  point.configuration = static_cast<std::int64_t>(configuration);
  point.values.resize(sweep_->parameters.size());
  set_combination(*sweep_, combinations_[configuration], point.values);
  if (!sweep_->seeds.empty()) {
    point.values.back() = Value::of(std::to_string(sweep_->seeds[id % seeds]));
  }
  return point;
}

Result<Plan> make_plan(const Sweep& sweep) { return Planner(sweep).plan(); }

}  // namespace weft::sweep
