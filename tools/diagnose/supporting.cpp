#include "tools/diagnose/supporting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "simcore/text/counted.hpp"

namespace weft::diagnose {
namespace {

/// Points of a curve, by whether they are findings and whether the change makes them slower.
struct Counts {
  std::size_t slow = 0;
  std::size_t slow_with = 0;
  std::size_t others = 0;
  std::size_t others_with = 0;
  double slowest = 1;
  double expected = 1;  ///< of the slowest, with the change
};

Counts counts_of(const Hypothesis& h, const EvidencePoints& evidence, std::uint32_t curve,
                 const std::vector<bool>& is_slow) {
  constexpr double kSlower = 1.02;
  Counts counts;
  for (std::size_t i = 0; i < evidence.points.size(); ++i) {
    const Point& point = evidence.points[i];
    if (point.curve != curve) continue;
    const double with = predicted_us(h, point) / point.expected_us;
    ++(is_slow[i] ? counts.slow : counts.others);
    if (with > kSlower) ++(is_slow[i] ? counts.slow_with : counts.others_with);
    const double slower = point.measured_us / point.expected_us;
    if (!is_slow[i] || slower <= counts.slowest) continue;
    counts.slowest = slower;
    counts.expected = with;
  }
  return counts;
}

}  // namespace

std::vector<std::string> supporting(const Hypothesis& hypothesis, const EvidencePoints& evidence,
                                    const std::vector<Anomaly>& anomalies) {
  std::vector<bool> is_slow(evidence.points.size());
  for (const Anomaly& anomaly : anomalies) {
    for (const std::size_t i : anomaly.points) is_slow[i] = true;
  }
  std::vector<std::string> lines;
  for (std::uint32_t c = 0; c < evidence.curves.size(); ++c) {
    const Curve& curve = evidence.curves[c];
    const Counts n = counts_of(hypothesis, evidence, c, is_slow);
    if (n.slow_with == 0 || (curve.is_matrix && n.slow + n.others < 2)) continue;
    if (!curve.is_matrix) {
      lines.push_back(
          fmt::format("{}: {} slower than expected, up to {:.2f} times; with it {:.2f} times by "
                      "the closed form",
                      curve.name, n.slow == 1 ? "1 size is" : fmt::format("{} sizes are", n.slow),
                      n.slowest, n.expected));
      continue;
    }
    lines.push_back(fmt::format(
        "{}: it is in {} of {} that {} slower{}", curve.name, n.slow_with, counted(n.slow, "pair"),
        n.slow == 1 ? "is" : "are",
        n.others == 0 ? "" : fmt::format(", and in {} of {} others", n.others_with, n.others)));
  }
  return lines;
}

}  // namespace weft::diagnose
