#include "tools/diagnose/catalogue/packets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/diagnose/catalogue/alternatives.hpp"

namespace weft::diagnose {
namespace {

/// The largest size of a curve that packets are simulated of, two smaller ones.
std::vector<const Point*> tried(const EvidencePoints& evidence) {
  std::vector<const Point*> points;
  for (const Point& p : evidence.points) {
    const Curve& curve = evidence.curves[p.curve];
    if (curve.is_matrix || !curve.call) continue;
    if (Bytes(p.bytes) > Simulator::largest(curve.call->hosts.size())) continue;
    points.push_back(&p);
  }
  std::ranges::stable_sort(points,
                           [](const Point* a, const Point* b) { return a->bytes > b->bytes; });
  if (points.size() > 3) points.resize(3);
  return points;
}

/// The call with the change; nothing: the language cannot express it.
std::optional<Call> changed_call(const Simulator& healthy, const Hypothesis& h,
                                 const EvidencePoints& evidence, Call call,
                                 std::uint32_t channels) {
  if (h.kind == CulpritKind::kAlgorithm || h.kind == CulpritKind::kThresholds) {
    return alternative_call(healthy, evidence.alternatives[h.alternative], std::move(call));
  }
  const PacketChange change = packet_change(h, healthy.places(), channels);
  if (change.is_empty() && h.kind != CulpritKind::kLoss) return {};
  call.changes = change.changes;
  call.execution = change.execution;
  call.keys = change.keys;
  if (h.kind == CulpritKind::kLoss) {
    // What buffers bear of a lossy class is not known.
    call.changes = {class_key(healthy, "flow_control") + "=none",
                    class_key(healthy, "egress_limit") + "=500KB"};
  }
  return call;
}

/// How much slower than the healthy run packets are with the change; nothing: they cannot be.
std::optional<double> slowdown(Simulator& healthy, const Hypothesis& h, const Point& point,
                               const EvidencePoints& evidence) {
  Call call = *evidence.curves[point.curve].call;
  call.size = Bytes(point.bytes);
  const auto well = healthy.run(call);
  if (!well) return {};
  const auto changed = changed_call(healthy, h, evidence, call, well.value().channels);
  if (!changed) return {};
  const auto run = healthy.run(*changed);
  if (!run) return {};
  return std::log(run.value().time_us / well.value().time_us);
}

/// Of three draws of paths the one that comes closest.
double best_seed(Simulator& healthy, Hypothesis h, const Point& point,
                 const EvidencePoints& evidence) {
  const double wanted = std::log(point.measured_us / point.expected_us);
  double best = 1;
  double lowest = 1e9;
  for (const double seed : {1.0, 2.0, 3.0}) {
    h.value = seed;
    const auto now = slowdown(healthy, h, point, evidence);
    if (!now || std::abs(*now - wanted) >= lowest) continue;
    lowest = std::abs(*now - wanted);
    best = seed;
  }
  return best;
}

}  // namespace

std::optional<double> confirm_by_packets(Simulator& healthy, Fit& fit,
                                         const EvidencePoints& evidence) {
  const auto points = tried(evidence);
  if (points.empty()) return {};
  const Point& largest = *points.front();
  const double wanted = std::log(largest.measured_us / largest.expected_us);
  Hypothesis& h = fit.hypothesis;
  if (has_rate(h.kind) && h.kind != CulpritKind::kMtu && !h.is_measured) {
    // Congestion control reacts to a slow link: the closed form finds too small a part of the rate.
    double low = h.value;
    double high = 1;
    for (int i = 0; i < 4; ++i) {
      const double value = h.value;
      const auto now = slowdown(healthy, h, largest, evidence);
      if (!now) return {};
      (*now > wanted ? low : high) = value;
      if (std::abs(*now - wanted) < 0.03) break;
      h.value = std::sqrt(low * high);
    }
  }
  if (h.kind == CulpritKind::kCollisions) h.value = best_seed(healthy, h, largest, evidence);
  double off = 0;
  for (const Point* p : points) {
    const auto now = slowdown(healthy, h, *p, evidence);
    if (!now) return {};
    off = std::max(off, std::abs(std::log(p->measured_us / p->expected_us) - *now));
  }
  return off;
}

}  // namespace weft::diagnose
