#include "tools/sweep/plan/bisection_search.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "simcore/text/quantity_text.hpp"

namespace weft::sweep {
namespace {

double count_of(const Number& number) {
  return number.dimension == nullptr ? number.value : static_cast<double>(number.count);
}

}  // namespace

BisectionSearch::BisectionSearch(const Sweep& sweep, const Point& group)
    : sweep_(sweep),
      bisection_(std::get<Bisection>(sweep.strategy)),
      group_(group),
      low_(count_of(bisection_.low)),
      high_(count_of(bisection_.high)),
      is_whole_(bisection_.low.dimension != nullptr || bisection_.is_integer) {
  // The tolerance is in SI units, counts in base units.
  const double scale = bisection_.high.value == 0 ? 1 : high_ / bisection_.high.value;
  tolerance_ = bisection_.tolerance * scale;
  if (is_whole_) tolerance_ = std::max(tolerance_, 1.0);
  const double halvings = std::ceil(std::log2((high_ - low_) / tolerance_));
  max_steps_ = 4 + static_cast<std::size_t>(std::max(halvings, 0.0));
  const double low = low_;
  open(high_);
  open(low);
}

std::size_t BisectionSearch::seed_count() const {
  return std::max<std::size_t>(sweep_.seeds.size(), 1);
}

Value BisectionSearch::value_of(double count) const {
  if (bisection_.low.dimension == nullptr) return Value::of(number_text(count));
  return Value::of(quantity_text(std::llround(count), *bisection_.low.dimension));
}

void BisectionSearch::open(double value) {
  steps_[next_step_] = {next_step_, value, seed_count(), true};
  ++next_step_;
}

std::vector<Point> BisectionSearch::open_points() const {
  std::vector<Point> points;
  for (const auto& [index, step] : steps_) {
    Point point = group_;
    point.configuration =
        group_.group * static_cast<std::int64_t>(max_steps_) + static_cast<std::int64_t>(index);
    point.values[bisection_.parameter] = value_of(step.value);
    for (std::size_t s = 0; s < seed_count(); ++s) {
      point.id = point.configuration * static_cast<std::int64_t>(seed_count()) +
                 static_cast<std::int64_t>(s);
      if (!sweep_.seeds.empty()) {
        point.values.back() = Value::of(std::to_string(sweep_.seeds[s]));
      }
      points.push_back(point);
    }
  }
  return points;
}

void BisectionSearch::note(const Point& point, std::optional<bool> holds) {
  const auto first = group_.group * static_cast<std::int64_t>(max_steps_);
  const auto found = steps_.find(static_cast<std::size_t>(point.configuration - first));
  if (found == steps_.end()) return;
  if (!holds) {
    steps_.clear();
    return;
  }
  Step& step = found->second;
  step.holds = step.holds && *holds;
  if (--step.waiting > 0) return;
  const Step answered = step;
  steps_.erase(found);
  advance(answered);
}

void BisectionSearch::advance(const Step& step) {
  // Step 0 is the high end and must hold, step 1 the low end and must not: otherwise the threshold
  // is not between them.
  const bool has_no_threshold = (step.index == 0 && !step.holds) || (step.index == 1 && step.holds);
  if (has_no_threshold) steps_.clear();
  if (step.index >= 2) (step.holds ? high_ : low_) = step.value;
  if (has_no_threshold || !steps_.empty()) return;
  if (high_ - low_ <= tolerance_) return;
  // Whole tolerances from the low end: values that people can read.
  const double half = (high_ - low_) / 2;
  open(low_ + std::max(std::floor(half / tolerance_), 1.0) * tolerance_);
}

}  // namespace weft::sweep
