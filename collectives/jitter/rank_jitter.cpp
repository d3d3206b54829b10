#include "collectives/jitter/rank_jitter.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace weft::collectives {

namespace {

constexpr double kMinFactor = 1e-3;
constexpr double kMaxFactor = 1e6;

void check_factor(const char* key, double factor, std::vector<schema::Problem>& problems) {
  if (factor >= kMinFactor && factor <= kMaxFactor) return;
  problems.push_back({key, "is " + std::to_string(factor) + "; 0.001 to 1000000 are possible"});
}

/// The product of all throttles that hold at a time.
double throttle_at(const std::vector<Throttle>& throttles, Picoseconds time) {
  double factor = 1;
  for (const Throttle& throttle : throttles) {
    if (throttle.start <= time && time < throttle.start + throttle.length) {
      factor *= throttle.factor;
    }
  }
  return factor;
}

std::vector<Throttle> merged(std::vector<Throttle> throttles, const std::vector<Throttle>& others) {
  throttles.insert(throttles.end(), others.begin(), others.end());
  std::vector<Picoseconds> edges;
  edges.reserve(2 * throttles.size());
  for (const Throttle& throttle : throttles) {
    edges.push_back(throttle.start);
    edges.push_back(throttle.start + throttle.length);
  }
  std::sort(edges.begin(), edges.end());
  std::vector<Throttle> pieces;
  pieces.reserve(edges.size());
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const double factor = throttle_at(throttles, edges[i]);
    if (edges[i] == edges[i + 1] || factor == 1) continue;
    pieces.push_back({edges[i], edges[i + 1] - edges[i], factor});
  }
  return pieces;
}

}  // namespace

void check_noise(const RankJitter& noise, std::vector<schema::Problem>& problems) {
  check_factor("factor", noise.factor, problems);
  if (noise.pause) {
    if (noise.pause->length < Picoseconds(0)) problems.push_back({"pause.length", "is negative"});
    if (noise.pause->period <= noise.pause->length) {
      problems.push_back({"pause.period", "is not longer than the pause; nothing would be done"});
    }
  }
  Picoseconds over;
  for (std::size_t i = 0; i < noise.throttles.size(); ++i) {
    const Throttle& throttle = noise.throttles[i];
    const std::string key = "throttles[" + std::to_string(i) + "]";
    check_factor((key + ".factor").c_str(), throttle.factor, problems);
    if (throttle.length < Picoseconds(0)) problems.push_back({key + ".length", "is negative"});
    if (i > 0 && throttle.start < over) {
      problems.push_back({key + ".start", "is before the one before is over"});
    }
    over = throttle.start + throttle.length;
  }
}

RankJitter combined(const RankJitter& first, const RankJitter& second) {
  RankJitter both = first;
  both.factor *= second.factor;
  if (second.jitter.distribution != Jitter::Distribution::kNone) both.jitter = second.jitter;
  if (second.pause) both.pause = second.pause;
  both.throttles = merged(first.throttles, second.throttles);
  return both;
}

}  // namespace weft::collectives
