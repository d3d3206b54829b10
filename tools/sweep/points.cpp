#include "tools/sweep/points.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "simcore/random.hpp"

namespace weft::sweep {
namespace {

/// Above this a sweep is a mistake in the file: a point takes 10 us to enumerate and some kB to
/// keep.
constexpr std::uint64_t kMaxPoints = 1'000'000;
constexpr std::size_t kMaxErrors = 10;

Operand operand_of(const Value& value) {
  if (value.number) return *value.number;
  return value.text;
}

class Planner {
 public:
  explicit Planner(const Sweep& sweep) : sweep_(sweep), values_(sweep.parameters.size()) {}

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
      enumerate(0);
    }
    if (configurations_ == 0) return nothing_left();
    if (!errors_.empty()) return std::move(errors_);
    return std::move(plan_);
  }

 private:
  [[nodiscard]] std::size_t seeds() const { return std::max<std::size_t>(sweep_.seeds.size(), 1); }

  Errors check_size() {
    std::uint64_t count = seeds();
    const auto* sampling = std::get_if<Sampling>(&sweep_.strategy);
    if (sampling != nullptr) {
      count *= sampling->samples;
    } else {
      for (const Axis& axis : sweep_.axes) {
        if (count <= kMaxPoints) count *= std::max<std::size_t>(axis.rows.size(), 1);
      }
    }
    if (count <= kMaxPoints) return {};
    return {{"makes more than " + std::to_string(kMaxPoints) +
                 " points; use fewer values, or `strategy: {type: random, samples: N}`",
             {sweep_.file, 0, 0, "axes"}}};
  }

  Errors nothing_left() const {
    return {{"no point is left: each of the " + std::to_string(plan_.dropped) +
                 " combinations breaks a constraint",
             {sweep_.file, 0, 0, "constraints"}}};
  }

  void enumerate(std::size_t axis_index) {
    if (axis_index == sweep_.axes.size()) {
      if (is_allowed()) {
        add_configuration();
      } else {
        ++plan_.dropped;
      }
      return;
    }
    const Axis& axis = sweep_.axes[axis_index];
    for (const std::vector<Value>& row : axis.rows) {
      set(axis, row);
      enumerate(axis_index + 1);
    }
  }

  void set(const Axis& axis, const std::vector<Value>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) values_[axis.parameters[i]] = row[i];
  }

  /// Draws until enough combinations keep the constraints, in an order that the seed gives.
  Errors sample() {
    const auto& sampling = std::get<Sampling>(sweep_.strategy);
    const std::uint64_t attempts = std::uint64_t{sampling.samples} * 1'000 + 1'000;
    for (std::uint64_t i = 0; i < attempts && configurations_ < sampling.samples; ++i) {
      for (std::size_t a = 0; a < sweep_.axes.size(); ++a) {
        draw(sweep_.axes[a], RandomStream(sampling.seed, Purpose::kSweepSample, a), i);
      }
      if (is_allowed()) {
        add_configuration();
      } else {
        ++plan_.dropped;
      }
      if (errors_.size() >= kMaxErrors) return {};
    }
    if (configurations_ == sampling.samples || configurations_ == 0) return {};
    return {{"only " + std::to_string(configurations_) + " of " + std::to_string(attempts) +
                 " random combinations keep the constraints; widen the axes",
             {sweep_.file, 0, 0, "constraints"}}};
  }

  void draw(const Axis& axis, const RandomStream& stream, std::uint64_t counter) {
    if (!axis.range) {
      set(axis, axis.rows[stream.below(counter, axis.rows.size())]);
      return;
    }
    constexpr double kTwoTo53 = 9007199254740992.0;
    const double fraction = static_cast<double>(stream.bits(counter) >> 11U) / kTwoTo53;
    set(axis, {Value::of(axis.range->at(fraction))});
  }

  [[nodiscard]] bool is_allowed() const {
    const Lookup lookup = [this](const std::string& name) {
      return operand_at(sweep_, values_, name);
    };
    return std::ranges::all_of(
        sweep_.constraints, [&lookup](const Constraint& c) { return c.expression.holds(lookup); });
  }

  void add_configuration() {
    if (errors_.size() >= kMaxErrors) return;
    const std::int64_t configuration = configurations_++;
    Point point;
    point.configuration = configuration;
    if (const auto* bisection = std::get_if<Bisection>(&sweep_.strategy)) {
      check_group(point, *bisection);
      return;
    }
    for (std::size_t i = 0; i < seeds(); ++i) {
      if (!sweep_.seeds.empty()) values_.back() = Value::of(std::to_string(sweep_.seeds[i]));
      point.id = static_cast<std::int64_t>(plan_.points.size());
      point.values = values_;
      // Any seed is as good as the first.
      if (i == 0) check(point);
      plan_.points.push_back(point);
    }
  }

  void check_group(Point& group, const Bisection& bisection) {
    group.group = static_cast<std::int64_t>(plan_.groups.size());
    if (!sweep_.seeds.empty()) values_.back() = Value::of(std::to_string(sweep_.seeds[0]));
    for (const Number& end : {bisection.low, bisection.high}) {
      const Range range{end, end, false, bisection.is_integer};
      values_[bisection.parameter] = Value::of(range.at(0));
      group.values = values_;
      check(group);
    }
    plan_.groups.push_back(group);
  }

  /// Many points fail for the same reason; one of them tells it.
  void check(const Point& point) {
    for (Error& error : check_point(sweep_, point)) {
      const auto is_same = [&error](const Error& other) {
        const SourceLocation& a = error.where;
        const SourceLocation& b = other.where;
        return a.file == b.file && a.line == b.line && a.column == b.column && a.key == b.key;
      };
      if (std::ranges::none_of(errors_, is_same)) errors_.push_back(std::move(error));
    }
  }

  const Sweep& sweep_;
  std::vector<Value> values_;
  Plan plan_;
  std::int64_t configurations_ = 0;
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

Result<Plan> make_plan(const Sweep& sweep) { return Planner(sweep).plan(); }

}  // namespace weft::sweep
