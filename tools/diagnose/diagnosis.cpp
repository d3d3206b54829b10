#include "tools/diagnose/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/diagnose/catalogue/alternatives.hpp"
#include "tools/diagnose/catalogue/packets.hpp"
#include "tools/diagnose/model/evidence_points.hpp"
#include "tools/diagnose/model/matching.hpp"
#include "tools/diagnose/search/direct.hpp"
#include "tools/diagnose/search/links.hpp"
#include "tools/diagnose/search/next.hpp"
#include "tools/diagnose/search/notes.hpp"
#include "tools/diagnose/search/statements.hpp"
#include "tools/diagnose/supporting.hpp"

namespace weft::diagnose {
namespace {

/// How many kinds are simulated by packets.
constexpr std::size_t kConfirmed = 5;

/// `is_finding`: an anomaly is of it.
ComparedPoint compared(const Point& point, const Curve& curve, const Places& places,
                       bool is_finding) {
  ComparedPoint c{.curve = curve.name,
                  .bytes = point.bytes,
                  .measured_us = point.measured_us,
                  .expected_us = point.expected_us,
                  .band = point.band,
                  .bus_factor = point.bus_factor};
  if (point.pair) {
    c.pair = {places.servers[point.pair->first].name, places.servers[point.pair->second].name};
  }
  const double slower = point.measured_us / point.expected_us;
  if (point.bytes_per_nic > 1.05 * point.nic_gigabytes * 1e3 * point.measured_us) {
    c.verdict = Verdict::kFasterThanTheWire;
  } else if (is_finding) {
    c.verdict = Verdict::kSlower;
  } else if (slower > 1 + point.band) {
    c.verdict = Verdict::kAlone;
  }
  return c;
}

/// Kinds with all their places, in the order of fits.
std::vector<Culprit> culprits_of(const std::vector<Fit>& fits) {
  std::vector<Culprit> all;
  double weights = 0;
  for (const Fit& fit : fits) weights += std::exp(fits.front().score - fit.score);
  for (const Fit& fit : fits) {
    const Hypothesis& h = fit.hypothesis;
    const std::string kind = name_of(h.kind);
    const double share = std::exp(fits.front().score - fit.score) / weights;
    const auto known = std::ranges::find(all, kind, &Culprit::kind);
    if (known != all.end()) {
      if (!h.place.empty()) known->places.push_back(h.place);
      known->confidence += share;
      continue;
    }
    all.push_back({.kind = kind,
                   .places = h.place.empty() ? std::vector<std::string>() : std::vector{h.place},
                   .value = has_rate(h.kind) || h.kind == CulpritKind::kStraggler
                                ? std::optional(h.value)
                                : std::nullopt,
                   .explained = fit.explained,
                   .confidence = share,
                   .why = meaning_of(h.kind)});
  }
  const auto penalty = [&fits](const Culprit& c) {
    return std::ranges::find(fits, c.kind,
                             [](const Fit& f) { return std::string(name_of(f.hypothesis.kind)); })
        ->hypothesis.penalty;
  };
  std::ranges::stable_sort(all, {}, penalty);
  return all;
}

/// What packets contradict comes last; the measurements do not order the others, so that frequent
/// causes come first, as culprits_of has them.
void rank_by_packets(std::vector<Culprit>& culprits) {
  double lowest = 1e9;
  for (const Culprit& c : culprits) lowest = std::min(lowest, c.packets_off.value_or(1e9));
  const double highest = 2 * std::max(lowest, 0.2);
  std::ranges::stable_sort(culprits, {}, [highest](const Culprit& c) {
    return c.packets_off.value_or(0) > highest ? 1 : 0;
  });
}

void confirm(Simulator& healthy, const EvidencePoints& evidence, const std::vector<Fit>& fits,
             std::vector<Culprit>& culprits) {
  std::size_t confirmed = 0;
  for (Culprit& culprit : culprits) {
    // Where many NICs are suspected, one that pauses its switch is simulated as a slow one.
    if (culprit.kind == name_of(CulpritKind::kStorm) && culprit.places.size() > 2) continue;
    if (confirmed++ == kConfirmed) break;
    const auto first = std::ranges::find_if(
        fits, [&](const Fit& fit) { return name_of(fit.hypothesis.kind) == culprit.kind; });
    Fit fit = *first;
    culprit.packets_off = confirm_by_packets(healthy, fit, evidence);
    if (culprit.packets_off && culprit.value) culprit.value = fit.hypothesis.value;
  }
  rank_by_packets(culprits);
}

/// What the files of the cluster show is the first thing to look at, among what fits alike. They
/// show slow links and settings that differ, and no pauses.
void put_known_faults_first(const Simulator& healthy, std::vector<Culprit>& culprits) {
  const auto is_known = [&healthy](const std::string& place) {
    const auto& faulty = healthy.faulty();
    if (std::ranges::find(faulty, place) != faulty.end()) return true;
    return std::ranges::any_of(healthy.odd_parts(), [&place](const OddPart& part) {
      return std::ranges::find(part.nodes, place) != part.nodes.end();
    });
  };
  const auto is_said = [&is_known](const Culprit& culprit) {
    return culprit.kind != name_of(CulpritKind::kStorm) && !culprit.places.empty() &&
           is_known(culprit.places.front());
  };
  for (Culprit& culprit : culprits) {
    std::stable_partition(culprit.places.begin(), culprit.places.end(), is_known);
    if (!is_said(culprit)) continue;
    culprit.why += fmt::format("; the scenario says so of {}", culprit.places.front());
  }
  std::stable_partition(culprits.begin(), culprits.end(), is_said);
}

void add_whereabouts(const Simulator& healthy, std::vector<Culprit>& culprits) {
  for (Culprit& culprit : culprits) {
    culprit.whereabouts.clear();
    culprit.cables.clear();
    const bool is_one = culprit.kind == name_of(CulpritKind::kNic) && culprit.places.size() < 3;
    for (const std::string& place : culprit.places) {
      culprit.whereabouts.push_back(healthy.places().whereabouts(place));
      culprit.cables.push_back(is_one ? healthy.cables().of(place) : "");
    }
  }
}

void search(Simulator& healthy, const std::vector<Anomaly>& anomalies, EvidencePoints& evidence,
            const DiagnosisOptions& options, Diagnosis& diagnosis) {
  add_alternatives(healthy, anomalies, evidence);
  std::vector<Fit> fits = fits_of(evidence, healthy.places());
  diagnosis.cleared = take_out_cleared(fits, evidence, healthy.places());
  if (fits.empty() || !explains(fits.front())) {
    diagnosis.nothing_explains_it = true;
    std::string shared = shared_by_slow_pairs(evidence, anomalies, healthy.places());
    if (!shared.empty()) diagnosis.notes.push_back(std::move(shared));
    diagnosis.next_measurement = where_nothing_explains(healthy.places(), evidence);
    return;
  }
  const std::vector<Fit> alike = undecided_among(fits);
  std::vector<Culprit> culprits = culprits_of(alike);
  if (options.confirms_by_packets) confirm(healthy, evidence, alike, culprits);
  put_known_faults_first(healthy, culprits);
  const bool is_decided = culprits.size() == 1 && culprits.front().places.size() <= 1;
  if (is_decided) {
    culprits.front().evidence = supporting(alike.front().hypothesis, evidence, anomalies);
  }
  diagnosis.next_measurement = next_measurement(healthy.places(), alike, evidence);
  (is_decided ? diagnosis.culprits : diagnosis.undecided) = std::move(culprits);
}

/// Every point beside its band, and what of that is a finding.
void compare(const Simulator& healthy, const EvidencePoints& evidence,
             const std::vector<Anomaly>& anomalies, Diagnosis& diagnosis) {
  std::vector<bool> is_finding(evidence.points.size());
  for (const Anomaly& anomaly : anomalies) {
    diagnosis.anomalies.push_back(anomaly.text);
    for (const std::size_t i : anomaly.points) is_finding[i] = true;
  }
  for (std::size_t i = 0; i < evidence.points.size(); ++i) {
    const Point& point = evidence.points[i];
    diagnosis.compared.push_back(
        compared(point, evidence.curves[point.curve], healthy.places(), is_finding[i]));
  }
  diagnosis.notes = uncounted(evidence, diagnosis.compared);
  for (const OddPart& part : healthy.odd_parts()) {
    diagnosis.notes.push_back("the scenario shows: " + part.text);
  }
  if (anomalies.empty()) diagnosis.next_measurement = lone_to_repeat(evidence, diagnosis.compared);
  if (!anomalies.empty() || !healthy.written().assumes_load_balancing) return;
  std::string hidden = hidden_by_hashing(evidence);
  if (hidden.empty()) return;
  diagnosis.notes.push_back(std::move(hidden));
  const std::string pairs = pairs_to_measure(evidence, healthy.places());
  if (!pairs.empty()) diagnosis.next_measurement = pairs;
}

void add_warnings(const evidence::Measurements& measured, Diagnosis& diagnosis) {
  for (const evidence::Remark& remark : measured.remarks) {
    if (remark.severity != import::Severity::kWarning) continue;
    say_once(diagnosis.warnings, Error{.message = remark.text, .where = remark.where}.to_string());
  }
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAsExpected:
      return "as expected";
    case Verdict::kSlower:
      return "slower";
    case Verdict::kAlone:
      return "beyond its band, not counted";
    case Verdict::kFasterThanTheWire:
      return "faster than the wire allows";
    case Verdict::kNotComparable:
      break;
  }
  return "not comparable";
}

Result<Diagnosis> diagnose(Simulator& healthy, const evidence::Measurements& measured,
                           const evidence::Measurements* baseline,
                           const DiagnosisOptions& options) {
  auto points = evidence_points(healthy, measured, baseline);
  if (!points) return points.errors();
  EvidencePoints& evidence = points.value();
  Diagnosis diagnosis;
  add_warnings(measured, diagnosis);
  if (baseline != nullptr) add_warnings(*baseline, diagnosis);
  for (const std::string& warning : evidence.warnings) say_once(diagnosis.warnings, warning);
  diagnosis.remarks = evidence.remarks;
  for (const std::string& fault : healthy.left_out()) {
    diagnosis.remarks.push_back("the scenario's own faults are left out: " + fault);
  }
  const auto is_too_fast = [](const ComparedPoint& p) {
    return p.verdict == Verdict::kFasterThanTheWire;
  };
  const std::vector<Anomaly> anomalies = anomalies_of(evidence, healthy.places());
  compare(healthy, evidence, anomalies, diagnosis);
  if (evidence.points.empty()) {
    diagnosis.verdict = Verdict::kNotComparable;
  } else if (!anomalies.empty()) {
    diagnosis.verdict = Verdict::kSlower;
    search(healthy, anomalies, evidence, options, diagnosis);
  } else if (std::ranges::any_of(diagnosis.compared, is_too_fast)) {
    diagnosis.verdict = Verdict::kFasterThanTheWire;
  }
  join_link_tests(healthy.places(), evidence, measured, diagnosis);
  join_direct(healthy.places(), measured, diagnosis);
  join_statements(healthy, evidence, measured, diagnosis);
  add_whereabouts(healthy, diagnosis.culprits);
  add_whereabouts(healthy, diagnosis.undecided);
  return diagnosis;
}

}  // namespace weft::diagnose
