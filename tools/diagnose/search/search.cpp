#include "tools/diagnose/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>

#include "tools/diagnose/search/lone.hpp"

namespace weft::diagnose {
namespace {

// Calibrated: set on planted faults in packets (tests/diagnose/planted.hpp, cases 100 to 299), so
// that the right one scores best.

/// The closed form of a fault is off by this part of ln of the slowdown.
constexpr double kFormTolerance = 0.20;
/// Congestion control slows what waits at a slow link further: up to this part more, of the same.
constexpr double kReaction = 0.35;
/// One point beyond any hypothesis says no more than this.
constexpr double kWorstDeviation = 12;
/// A pair whose flows meet is a free number.
constexpr double kMeetingPair = 0.8;
/// Below this part of others that are alike a pair or a NIC is a finding.
constexpr double kLikes = 0.9;
/// How many times as long as measured a pair that is well may be said to take.
constexpr double kTooWell = 1.25;
/// Tolerances by which a call is faster than a constant lets it be.
constexpr double kFarTooFast = 4;
/// A call that only time-outs explain: how long it takes is drawn.
constexpr double kLostCall = 0.6;
/// Packets are simulated of an alternative: it is off by less of ln of the slowdown.
constexpr double kAlternativeTolerance = 0.10;
/// Which flows are marked is drawn: what that makes of times differs from run to run.
constexpr double kMarkingTolerance = 0.5;
/// A NIC that pauses leaves its senders slow for long: up to this part more.
constexpr double kStormReaction = 1.0;
/// Fits whose scores differ by less are not told apart.
constexpr double kTold = 2.0;

struct Residual {
  double value;  ///< ln(measured / predicted)
  double tolerance;
};

double tolerance_of(CulpritKind kind, const Point& point, double predicted) {
  // Where nothing is changed the closed form adds no error.
  const double change = std::log(predicted / point.expected_us);
  if (kind == CulpritKind::kAlgorithm) {
    return std::hypot(point.tolerance, kAlternativeTolerance * change);
  }
  if (kind == CulpritKind::kThresholds) {
    return std::hypot(point.tolerance, kMarkingTolerance * change);
  }
  const double usual = std::hypot(point.tolerance, kFormTolerance * change);
  const double reaction = kind == CulpritKind::kStorm ? kStormReaction : kReaction;
  const bool is_slower_still = point.measured_us > predicted;
  return usual + (is_slower_still ? reaction * change : 0);
}

/// The common factor of a curve that fits its residuals best, within what is allowed.
double level_of(std::vector<Residual> residuals, double highest) {
  std::ranges::sort(residuals, {}, &Residual::value);
  double weight = 0;
  for (const Residual& r : residuals) weight += 1 / r.tolerance;
  double below = 0;
  for (const Residual& r : residuals) {
    below += 1 / r.tolerance;
    if (2 * below >= weight) return std::clamp(r.value, -highest, highest);
  }
  return 0;
}

/// By curve.
std::vector<std::vector<Residual>> residuals_of(const Hypothesis& h, const EvidencePoints& evidence,
                                                double* freedom) {
  std::vector<std::vector<Residual>> residuals(evidence.curves.size());
  for (const Point& point : evidence.points) {
    double predicted = predicted_us(h, point);
    const bool has_own_paths = h.kind == CulpritKind::kCollisions && point.pair.has_value();
    if (has_own_paths) {
      // Any number of flows may meet, or none.
      Hypothesis none = h;
      none.value = 1;
      const double slowed = point.measured_us / point.expected_us;
      predicted = predicted_us(none, point);
      if (point.crosses_uplinks && slowed > 1 + 2 * point.tolerance && slowed < 6) {
        predicted = point.measured_us;
        *freedom += kMeetingPair;
      }
    }
    if (h.kind == CulpritKind::kLoss && has_timed_out(point)) {
      predicted = point.measured_us;
      *freedom += kLostCall;
    }
    const bool is_free = has_own_paths || predicted == point.measured_us;
    const double tolerance = is_free ? point.tolerance : tolerance_of(h.kind, point, predicted);
    residuals[point.curve].push_back({std::log(point.measured_us / predicted), tolerance});
  }
  return residuals;
}

std::vector<double> deviations_of(const Hypothesis& h, const EvidencePoints& evidence,
                                  double* freedom) {
  std::vector<double> deviations;
  const auto residuals = residuals_of(h, evidence, freedom);
  for (std::size_t c = 0; c < residuals.size(); ++c) {
    const double level = level_of(residuals[c], evidence.curves[c].level);
    for (const Residual& r : residuals[c]) {
      deviations.push_back(std::min(kWorstDeviation, std::abs(r.value - level) / r.tolerance));
    }
  }
  return deviations;
}

/// The number in [from, to] that scores best: a grid of equal ratios, then finer ones.
void fit_value(Hypothesis& h, const EvidencePoints& evidence, double from, double to) {
  constexpr int kSteps = 24;
  double low = std::log(from);
  double high = std::log(to);
  for (int pass = 0; pass < 3; ++pass) {
    double best = low;
    double lowest = std::numeric_limits<double>::infinity();
    const double step = (high - low) / kSteps;
    for (int i = 0; i <= kSteps; ++i) {
      h.value = std::exp(low + i * step);
      const double score = score_of(h, evidence);
      if (score >= lowest) continue;
      lowest = score;
      best = low + i * step;
    }
    h.value = std::exp(best);
    low = std::max(std::log(from), best - step);
    high = std::min(std::log(to), best + step);
  }
}

/// A NIC that pauses its switch sends at its full rate: perftest from it is not slow.
bool sends_slowly(const Hypothesis& h, const EvidencePoints& evidence) {
  const std::uint32_t nic = h.resources.front();
  return std::ranges::any_of(evidence.points, [nic](const Point& point) {
    if (!point.is_wire || !point.rail || point.busy_us[nic] <= 0) return false;
    const bool is_sender = point.receiver && *point.receiver != nic;
    return is_sender && point.expected_us < kLikes * point.measured_us;
  });
}

/// Whether a change concerns all pairs of servers alike.
bool is_of_all(CulpritKind kind) {
  return kind == CulpritKind::kAllNics || kind == CulpritKind::kChannels ||
         kind == CulpritKind::kMtu || kind == CulpritKind::kGpuDirect ||
         kind == CulpritKind::kAlgorithm || kind == CulpritKind::kThresholds;
}

bool is_well(const Point& point) {
  return point.measured_us <= point.expected_us * (1 + point.band);
}

/// Pairs of a matrix that are well beside slow ones, and that a change would make slow.
std::ptrdiff_t pairs_too_well_for(const Hypothesis& h, const EvidencePoints& evidence) {
  const auto has_slow_pair = [&evidence](std::uint32_t curve) {
    return std::ranges::any_of(evidence.points,
                               [&](const Point& p) { return p.curve == curve && !is_well(p); });
  };
  return std::ranges::count_if(evidence.points, [&](const Point& point) {
    return evidence.curves[point.curve].is_matrix && is_well(point) &&
           predicted_us(h, point) > kTooWell * point.measured_us && has_slow_pair(point.curve);
  });
}

/// A constant is in every call. One that a measurement is far too fast for is none, however well it
/// fits the others. Nor is it a change of all pairs where two of a matrix are well and others slow.
bool is_refuted(const Hypothesis& h, const EvidencePoints& evidence) {
  if (h.kind == CulpritKind::kStorm) return sends_slowly(h, evidence);
  if (is_of_all(h.kind)) return pairs_too_well_for(h, evidence) >= 2;
  if (h.kind != CulpritKind::kStraggler) return false;
  return std::ranges::any_of(evidence.points, [&](const Point& point) {
    const double short_of = std::log(predicted_us(h, point) / point.measured_us);
    return short_of > kFarTooFast * point.tolerance + evidence.curves[point.curve].level;
  });
}

/// perftest has no library: what it finds slow is slow, whatever else is explained. So is a pair of
/// servers that a change of one NIC or server does not concern.
std::uint32_t contradicting_links(const Hypothesis& h, const EvidencePoints& evidence) {
  if (h.kind == CulpritKind::kCollisions) return 0;
  const bool is_of_one = h.kind == CulpritKind::kNic || h.kind == CulpritKind::kServer ||
                         h.kind == CulpritKind::kLeaf || h.kind == CulpritKind::kStorm;
  return static_cast<std::uint32_t>(std::ranges::count_if(evidence.points, [&](const Point& point) {
    if (!point.is_wire && !(is_of_one && evidence.curves[point.curve].is_matrix)) return false;
    const double predicted = predicted_us(h, point);
    return std::log(point.measured_us / predicted) >=
           kWorstDeviation * tolerance_of(h.kind, point, predicted);
  }));
}

/// Without a fault.
struct Null {
  double score = 0;
  double above_noise = 0;  ///< that part of it which noise does not make
};

Null null_of(const EvidencePoints& evidence) {
  constexpr double kNoise = 0.5;
  const Hypothesis none{.kind = CulpritKind::kStraggler, .value = 0, .penalty = 0};
  Null null;
  double freedom = 0;
  for (const double deviation : deviations_of(none, evidence, &freedom)) {
    null.score += deviation;
    null.above_noise += std::max(0.0, deviation - kNoise);
  }
  return null;
}

/// What perftest finds that a NIC sends, as a part of what is expected, if that is slow: nothing
/// else says its rate as well. What arrives at a slow NIC is slower still, for its senders are
/// marked and back off. Nothing: no run was from it, or one is well.
std::optional<double> measured_share(const Hypothesis& h, const EvidencePoints& evidence) {
  if (h.kind != CulpritKind::kNic) return {};
  const std::uint32_t nic = h.resources.front();
  double highest = 0;
  for (const Point& point : evidence.points) {
    const bool is_sender = point.is_wire && point.rail && point.busy_us[nic] > 0 &&
                           point.receiver && *point.receiver != nic;
    if (is_sender) highest = std::max(highest, point.expected_us / point.measured_us);
  }
  if (highest == 0 || highest >= kLikes) return {};
  return highest;
}

Fit fit(Hypothesis h, const EvidencePoints& evidence, const Null& without) {
  if (const auto share = measured_share(h, evidence)) {
    h.value = *share;
    h.is_measured = true;
  }
  const bool is_fixed = h.is_measured || h.kind == CulpritKind::kMtu ||
                        h.kind == CulpritKind::kAlgorithm || h.kind == CulpritKind::kLoss;
  if (is_fixed) {
    // Nothing to fit.
  } else if (h.kind == CulpritKind::kThresholds) {
    fit_value(h, evidence, 0.3, 2);
  } else if (h.kind == CulpritKind::kStraggler) {
    double highest = 1;
    for (const Point& p : evidence.points)
      highest = std::max(highest, p.measured_us - p.expected_us);
    fit_value(h, evidence, 0.5, 2 * highest);
  } else {
    fit_value(h, evidence, 0.03, 0.97);
  }
  double freedom = 0;
  std::vector<double> deviations = deviations_of(h, evidence, &freedom);
  std::ranges::sort(deviations);
  const double score = score_of(h, evidence);
  const std::uint32_t contradicting = contradicting_links(h, evidence);
  return {.hypothesis = std::move(h),
          .score = score,
          .explained = without.above_noise > 0
                           ? std::clamp((without.score - score) / without.above_noise, 0.0, 1.0)
                           : 0,
          .worst = deviations.empty() ? 0 : deviations[(deviations.size() - 1) * 9 / 10],
          .contradicting = contradicting};
}

/// Of what is expected.
double rate_of(const Point& point) { return point.expected_us / point.measured_us; }

/// `gpu01 and gpu03`.
std::string pair_text(const Point& point, const Places& places) {
  return places.servers[point.pair->first].name + " and " + places.servers[point.pair->second].name;
}

void add_pair_anomalies(const EvidencePoints& evidence, const Places& places, std::uint32_t c,
                        std::vector<Anomaly>& all) {
  std::vector<std::size_t> own;
  std::vector<double> every;
  for (std::size_t i = 0; i < evidence.points.size(); ++i) {
    if (evidence.points[i].curve != c) continue;
    own.push_back(i);
    every.push_back(rate_of(evidence.points[i]));
  }
  if (every.empty()) return;
  // What most pairs reach where at least half are well; else the best quarter.
  std::ranges::sort(every);
  const double usual = every[every.size() * 3 / 4];
  const double lowest = std::exp(-evidence.curves[c].level);
  if (usual < lowest) {
    Anomaly slow{
        fmt::format("{}: {} reach {:.0f} % of what is expected", evidence.curves[c].name,
                    own.size() == 1 ? pair_text(evidence.points[own.front()], places) : "pairs",
                    100 * usual),
        c,
        {}};
    std::ranges::copy_if(own, std::back_inserter(slow.points),
                         [&](std::size_t i) { return rate_of(evidence.points[i]) < lowest; });
    all.push_back(std::move(slow));
    return;
  }
  for (const std::size_t i : own) {
    const double rate = rate_of(evidence.points[i]);
    if (rate >= kLikes * usual) continue;
    all.push_back(
        {fmt::format("{}: {} reach {:.0f} % of what other pairs do", evidence.curves[c].name,
                     pair_text(evidence.points[i], places), 100 * rate / usual),
         c,
         {i}});
  }
}

/// Two sizes side by side beyond their bands; one alone is noise, but for lone.hpp.
void add_curve_anomalies(const EvidencePoints& evidence, std::uint32_t c,
                         std::vector<Anomaly>& all) {
  std::vector<std::size_t> beside;  // each other, and beyond their bands
  const auto end_row = [&] {
    for (const std::size_t i : beside) {
      if (beside.size() < 2) break;
      const Point& point = evidence.points[i];
      all.push_back(
          {fmt::format("{}: {} bytes take {:.2f} times as long as expected (±{:.0f} %)",
                       evidence.curves[c].name, point.bytes, 1 / rate_of(point), 100 * point.band),
           c,
           {i}});
    }
    beside.clear();
  };
  for (std::size_t i = 0; i < evidence.points.size(); ++i) {
    const Point& point = evidence.points[i];
    if (point.curve != c) continue;
    if (point.measured_us / point.expected_us > 1 + point.band) {
      beside.push_back(i);
    } else {
      end_row();
    }
  }
  end_row();
}

}  // namespace

std::vector<Anomaly> anomalies_of(const EvidencePoints& evidence, const Places& places) {
  std::vector<Anomaly> all;
  for (std::uint32_t c = 0; c < evidence.curves.size(); ++c) {
    if (evidence.curves[c].is_matrix) {
      add_pair_anomalies(evidence, places, c, all);
      continue;
    }
    add_curve_anomalies(evidence, c, all);
  }
  add_lone_findings(evidence, all);
  return all;
}

double score_of(const Hypothesis& h, const EvidencePoints& evidence) {
  double score = h.penalty;
  for (const double deviation : deviations_of(h, evidence, &score)) score += deviation;
  return score;
}

std::vector<Fit> fits_of(const EvidencePoints& evidence, const Places& places) {
  const Null without = null_of(evidence);
  std::vector<Fit> fits;
  for (Hypothesis& h : catalogue(places, evidence)) {
    Fit found = fit(std::move(h), evidence, without);
    if (!is_refuted(found.hypothesis, evidence)) fits.push_back(std::move(found));
  }
  std::ranges::stable_sort(fits, {}, &Fit::score);
  return fits;
}

std::vector<Fit> undecided_among(const std::vector<Fit>& fits) {
  std::vector<Fit> alike;
  for (const Fit& f : fits) {
    if (f.score <= fits.front().score + kTold) alike.push_back(f);
  }
  // Among what fits alike, what leaves a slow run of perftest unexplained is out.
  const std::uint32_t fewest =
      std::ranges::min_element(alike, {}, &Fit::contradicting)->contradicting;
  std::erase_if(alike, [fewest](const Fit& f) { return f.contradicting > fewest; });
  return alike;
}

bool explains(const Fit& fit) {
  return fit.explained >= 0.5 && fit.worst <= 3 && fit.contradicting < 2;
}

}  // namespace weft::diagnose
