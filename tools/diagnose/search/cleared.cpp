#include "tools/diagnose/search/cleared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tools/diagnose/model/matching.hpp"

namespace weft::diagnose {
namespace {

/// What weft may be off by in the bytes that a part carries: another algorithm, another channel.
constexpr double kBytesOff = 1.15;
/// A closed form of a change is off by this part of ln of what it makes slower (search.cpp).
constexpr double kFormError = 0.20;
/// A run that is faster than its own bytes is none of this model.
constexpr double kPossible = 1.05;

/// Kinds whose number is the part of a rate that is left, of resources by themselves and in both
/// directions. A NIC that pauses its switch is slow for what arrives alone, so that a run that is
/// well in the other direction says nothing of it.
bool is_of_parts(CulpritKind kind) {
  return kind == CulpritKind::kNic || kind == CulpritKind::kServer ||
         kind == CulpritKind::kUplinks || kind == CulpritKind::kLeaf ||
         kind == CulpritKind::kAllNics;
}

double busy_of(const Hypothesis& h, const Point& point) {
  double busy = 0;
  for (const std::uint32_t r : h.resources) busy = std::max(busy, point.busy_us[r]);
  return busy;
}

/// How many times as long as measured a run would have taken with a change. Nothing: the run is not
/// faster than that by more than weft's own error.
std::optional<double> too_fast_for(const Hypothesis& h, const Point& point) {
  // Its bytes alone: a bound, whatever the model is off by besides.
  const double busy = busy_of(h, point);
  const double bound = busy / h.value / point.measured_us;
  if (busy > kPossible * point.measured_us) return {};
  if (bound > kBytesOff + point.band_of_hashing) return bound;
  const double predicted = predicted_us(h, point);
  const double error =
      std::log1p(point.band) + kFormError * std::log(predicted / point.expected_us);
  const double longer = predicted / point.measured_us;
  if (std::log(longer) <= error) return {};
  return longer;
}

/// By curve: how many times as long as measured its runs would have taken with a change; curves
/// that do not exclude it are missing.
std::map<std::uint32_t, double> excluded_by(const Hypothesis& h, const EvidencePoints& evidence) {
  std::map<std::uint32_t, double> longest;
  std::map<std::uint32_t, int> counts;
  for (const Point& point : evidence.points) {
    if (evidence.curves[point.curve].is_guess) continue;
    if (point.measured_us > point.expected_us * (1 + point.band)) continue;
    // A library has other ways to be slow by all NICs than a program of perftest has.
    if (point.is_wire && h.kind == CulpritKind::kAllNics) continue;
    const auto longer = too_fast_for(h, point);
    if (!longer) continue;
    double& highest = longest[point.curve];
    highest = std::max(highest, *longer);
    ++counts[point.curve];
  }
  // One size alone may be noise.
  std::erase_if(longest, [&](const auto& found) {
    return !evidence.curves[found.first].is_matrix && counts[found.first] < 2;
  });
  return longest;
}

/// A hypothesis that is out, with the runs that say so.
struct Excluded {
  Hypothesis hypothesis;  ///< at the part of the rate that is said
  std::map<std::uint32_t, double> by;
};

/// Servers in place of their NICs where all of one are named.
std::vector<std::string> places_of(const Places& places, const std::vector<const Excluded*>& all) {
  std::vector<std::string> names;
  std::set<std::uint32_t> resources;
  for (const Excluded* one : all) resources.insert(one->hypothesis.resources.front());
  const auto is_in = [&](std::uint32_t nic) {
    return resources.contains(places.nics[nic].resource);
  };
  std::set<std::string> of_servers;
  for (const ServerPlace& server : places.servers) {
    if (server.nics.size() < 2 || !std::ranges::all_of(server.nics, is_in)) continue;
    names.push_back(server.name);
    for (const std::uint32_t nic : server.nics) of_servers.insert(places.nics[nic].name);
  }
  for (const Excluded* one : all) {
    if (!of_servers.contains(one->hypothesis.place)) names.push_back(one->hypothesis.place);
  }
  return names;
}

bool is_of_nics(const Places& places, const std::vector<std::string>& names) {
  return std::ranges::any_of(places.nics,
                             [&names](const NicPlace& nic) { return nic.name == names.back(); });
}

/// The run that clears the most of what is left, until all are said.
std::vector<Cleared> said_of(const std::vector<Excluded>& excluded, const char* what,
                             const EvidencePoints& evidence, const Places& places) {
  std::vector<const Excluded*> left;
  left.reserve(excluded.size());
  for (const Excluded& one : excluded) left.push_back(&one);
  std::vector<Cleared> all;
  while (!left.empty()) {
    std::map<std::uint32_t, int> counts;
    for (const Excluded* one : left) {
      for (const auto& [curve, longer] : one->by) ++counts[curve];
    }
    const std::uint32_t best =
        std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; })->first;
    std::vector<const Excluded*> own;
    Cleared cleared{.by = evidence.curves[best].name, .longer = 1e9};
    for (const Excluded* one : left) {
      const auto by = one->by.find(best);
      if (by == one->by.end()) continue;
      own.push_back(one);
      cleared.value = one->hypothesis.value;
      cleared.longer = std::min(cleared.longer, by->second);
    }
    cleared.places = places_of(places, own);
    cleared.text = fmt::format(
        "{}{}, by {}: with one at {:.2f} of its rate it would have taken {:.1f} times as long as "
        "it did",
        is_of_nics(places, cleared.places) ? "" : what, names_text(cleared.places), cleared.by,
        cleared.value, cleared.longer);
    all.push_back(std::move(cleared));
    std::erase_if(left, [best](const Excluded* one) { return one->by.contains(best); });
  }
  return all;
}

}  // namespace

std::vector<Cleared> take_out_cleared(std::vector<Fit>& fits, const EvidencePoints& evidence,
                                      const Places& places) {
  std::vector<Fit> out;
  std::erase_if(fits, [&](const Fit& fit) {
    const Hypothesis& h = fit.hypothesis;
    if (!is_of_parts(h.kind) || excluded_by(h, evidence).empty()) return false;
    out.push_back(fit);
    return true;
  });
  const std::vector<Fit> alike = undecided_among(fits);
  // A compromise between runs fits worse, which is as good as out.
  for (std::size_t i = alike.size(); i < fits.size(); ++i) out.push_back(fits[i]);
  std::vector<Cleared> cleared;
  for (const auto& [kind, what] : {std::pair(CulpritKind::kNic, "all NICs of "),
                                   std::pair(CulpritKind::kUplinks, "uplinks of ")}) {
    const auto suspect = std::ranges::find_if(alike, [kind = kind](const Fit& fit) {
      const CulpritKind is = fit.hypothesis.kind;
      return is == kind || (is == CulpritKind::kServer && kind == CulpritKind::kNic);
    });
    if (suspect == alike.end()) continue;
    std::vector<Excluded> own;
    for (const Fit& fit : out) {
      if (fit.hypothesis.kind != kind) continue;
      Hypothesis h = fit.hypothesis;
      h.value = suspect->hypothesis.value;
      auto by = excluded_by(h, evidence);
      if (!by.empty()) own.push_back({std::move(h), std::move(by)});
    }
    std::vector<Cleared> some = said_of(own, what, evidence, places);
    cleared.insert(cleared.end(), std::make_move_iterator(some.begin()),
                   std::make_move_iterator(some.end()));
  }
  return cleared;
}

}  // namespace weft::diagnose
