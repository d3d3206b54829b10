#include "tools/diagnose/search/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>

#include "tools/diagnose/model/band.hpp"
#include "tools/diagnose/search/lone.hpp"

namespace weft::diagnose {

namespace {

bool is_last(const EvidencePoints& evidence, std::size_t i) {
  const Point& point = evidence.points[i];
  return std::ranges::none_of(evidence.points, [&point](const Point& other) {
    return other.curve == point.curve && other.bytes > point.bytes;
  });
}

}  // namespace

std::string lone_to_repeat(const EvidencePoints& evidence,
                           const std::vector<ComparedPoint>& compared) {
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const Curve& curve = evidence.curves[evidence.points[i].curve];
    if (compared[i].verdict != Verdict::kAlone || curve.is_matrix || !is_last(evidence, i))
      continue;
    const std::string again = repeating_command(curve, compared[i].bytes);
    if (again.empty()) continue;
    return fmt::format("run `{}` on the same servers, and hand over its log beside this one",
                       again);
  }
  return {};
}

std::vector<std::string> uncounted(const EvidencePoints& evidence,
                                   const std::vector<ComparedPoint>& compared) {
  std::vector<std::string> notes;
  for (std::uint32_t c = 0; c < evidence.curves.size(); ++c) {
    const Curve& curve = evidence.curves[c];
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < compared.size(); ++i) {
      const ComparedPoint& point = compared[i];
      if (evidence.points[i].curve != c || point.verdict != Verdict::kAlone) continue;
      if (curve.is_matrix) {
        ++pairs;
        continue;
      }
      const std::string again = repeating_command(curve, point.bytes);
      notes.push_back(fmt::format(
          "{}: {} bytes take {:.2f} times as long as expected (±{:.0f} %), and {}: one alone is "
          "taken for noise{}{}",
          curve.name, point.bytes, point.measured_us / point.expected_us, 100 * point.band,
          is_last(evidence, i) ? "no other size, repeated run or operation agrees"
                               : "the sizes beside it do not",
          again.empty() ? "" : ". It is measured again by ",
          again.empty() ? "" : "`" + again + "`"));
    }
    if (pairs == 0) continue;
    notes.push_back(
        fmt::format("{}: {} beyond the band {} no slower than other pairs, and all "
                    "pairs together may be off by {:.0f} %",
                    curve.name, pairs == 1 ? "a pair" : fmt::format("{} pairs", pairs),
                    pairs == 1 ? "is" : "are", 100 * std::expm1(curve.level)));
  }
  return notes;
}

std::string hidden_by_hashing(const EvidencePoints& evidence) {
  std::size_t sizes = 0;
  double slowest = 0;
  double band = 0;
  for (const Point& point : evidence.points) {
    const double slower = point.measured_us / point.expected_us;
    if (point.band_of_hashing <= 0 || slower <= 1 + point.band - point.band_of_hashing) continue;
    ++sizes;
    if (slower <= slowest) continue;
    slowest = slower;
    band = point.band;
  }
  if (sizes == 0) return {};
  return fmt::format(
      "{} too slow if the switches spray packets, by up to {:.2f} times. The band "
      "there is ±{:.0f} %, and not ±{:.0f} %, because load balancing was assumed: no "
      "file says that it is ECMP. `weft import --load-balancing spray` says that "
      "they spray",
      sizes == 1 ? "one size is" : fmt::format("{} sizes are", sizes), slowest, 100 * band,
      100 * (band - kCollisionsBand));
}

std::string shared_by_slow_pairs(const EvidencePoints& evidence,
                                 const std::vector<Anomaly>& anomalies, const Places& places) {
  std::vector<const Point*> slow;
  for (const Anomaly& anomaly : anomalies) {
    for (const std::size_t i : anomaly.points) {
      if (evidence.points[i].pair) slow.push_back(&evidence.points[i]);
    }
  }
  if (slow.size() < 2) return {};
  const auto has_server = [&slow](std::uint32_t s) {
    return std::ranges::all_of(
        slow, [s](const Point* p) { return p->pair->first == s || p->pair->second == s; });
  };
  for (std::uint32_t s = 0; s < places.servers.size(); ++s) {
    if (has_server(s)) {
      return fmt::format("all {} slow pairs are with {}", slow.size(), places.servers[s].name);
    }
  }
  const auto rail = slow.front()->rail;
  const bool is_one_rail =
      rail && std::ranges::all_of(slow, [&rail](const Point* p) { return p->rail == rail; });
  if (!is_one_rail) return {};
  std::set<std::string> leaves;
  for (const Point* p : slow) {
    for (const std::uint32_t s : {p->pair->first, p->pair->second}) {
      const auto& nics = places.servers[s].nics;
      if (*rail < nics.size()) leaves.insert(places.resources[places.nics[nics[*rail]].leaf].name);
    }
  }
  return fmt::format("all {} slow pairs are of rail {}{}", slow.size(), *rail,
                     leaves.size() == 1 ? ", whose NICs are attached to " + *leaves.begin() : "");
}

}  // namespace weft::diagnose
