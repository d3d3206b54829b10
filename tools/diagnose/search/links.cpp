#include "tools/diagnose/search/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tools/diagnose/catalogue/hypotheses.hpp"
#include "tools/diagnose/model/matching.hpp"

namespace weft::diagnose {
namespace {

using Names = std::vector<std::string>;

/// Of what is expected, what perftest finds of a healthy NIC.
constexpr double kHealthyShare = 0.9;

/// perftest between two NICs.
struct LinkTest {
  std::vector<std::uint32_t> nics;
  double share = 0;  ///< of what they carry
  std::string text;
  bool is_well = false;
  bool is_single = false;  ///< it is no cell of a matrix
};

bool has(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<LinkTest> link_tests(const Places& places, const EvidencePoints& evidence) {
  std::vector<LinkTest> all;
  for (const Point& point : evidence.points) {
    if (!point.is_wire || !point.pair || !point.rail) continue;
    LinkTest test;
    double rate = 0;
    for (const std::uint32_t s : {point.pair->first, point.pair->second}) {
      const auto& own = places.servers[s].nics;
      if (*point.rail >= own.size()) continue;
      test.nics.push_back(own[*point.rail]);
      const double gigabits = static_cast<double>(places.nics[own[*point.rail]].rate.count()) / 1e9;
      rate = rate == 0 ? gigabits : std::min(rate, gigabits);
    }
    if (test.nics.size() < 2 || rate <= 0) continue;
    const double found = static_cast<double>(point.bytes) * 8e-3 / point.measured_us;
    test.share = found / rate;
    test.is_well = point.expected_us / point.measured_us >= kHealthyShare;
    test.text =
        fmt::format("{} from {} to {} finds {:.1f} of {:.0f} Gb/s", point.operation,
                    places.nics[test.nics[0]].name, places.nics[test.nics[1]].name, found, rate);
    test.is_single = std::ranges::count(evidence.points, point.curve, &Point::curve) == 1;
    all.push_back(std::move(test));
  }
  return all;
}

/// NICs that a test found well are not what slows another.
std::vector<Culprit> findings_of(const Places& places, const std::vector<LinkTest>& tests) {
  std::set<std::uint32_t> well;
  for (const LinkTest& test : tests) {
    if (test.is_well) well.insert(test.nics.begin(), test.nics.end());
  }
  std::vector<Culprit> all;
  for (const LinkTest& test : tests) {
    if (test.is_well || !test.is_single) continue;
    Names both;
    Names left;
    for (const std::uint32_t nic : test.nics) {
      both.push_back(places.nics[nic].name);
      if (!well.contains(nic)) left.push_back(places.nics[nic].name);
    }
    if (left.empty()) left = both;
    const auto same = std::ranges::find_if(
        all, [&left](const Culprit& c) { return !common_names(c.places, left).empty(); });
    if (same != all.end()) {
      same->places = common_names(same->places, left);
      same->value = std::min(*same->value, test.share);
      same->evidence.push_back(test.text);
      continue;
    }
    all.push_back({.kind = name_of(CulpritKind::kNic),
                   .places = left,
                   .value = test.share,
                   .confidence = 0.9,
                   .why = meaning_of(CulpritKind::kNic),
                   .evidence = {test.text}});
  }
  return all;
}

/// Whether a cause would slow one of these NICs.
bool agrees(const Places& places, const Culprit& cause, const Names& nics) {
  if (cause.kind == name_of(CulpritKind::kAllNics) || cause.kind == name_of(CulpritKind::kMtu)) {
    return true;
  }
  for (const NicPlace& nic : places.nics) {
    if (!has(nics, nic.name)) continue;
    if (has(cause.places, nic.name) || has(cause.places, places.servers[nic.server].name) ||
        has(cause.places, places.resources[nic.leaf].name)) {
      return true;
    }
  }
  return false;
}

/// Adds the evidence of a finding to causes that agree with it. False: none does.
bool supports(const Places& places, const Culprit& finding, bool narrows, Diagnosis& diagnosis) {
  bool is_support = false;
  for (auto* causes : {&diagnosis.culprits, &diagnosis.undecided}) {
    for (Culprit& cause : *causes) {
      if (!agrees(places, cause, finding.places)) continue;
      is_support = true;
      cause.evidence.insert(cause.evidence.end(), finding.evidence.begin(), finding.evidence.end());
      const Names left = common_names(cause.places, finding.places);
      if (narrows && !left.empty()) cause.places = left;
    }
  }
  return is_support;
}

/// perftest whose file does not say between whom: of a NIC of that name.
void join_nameless(const Places& places, const evidence::PairSeries& pairs, Diagnosis& diagnosis) {
  if (!pairs.operation.ends_with("-bw") || pairs.values.size() != 1 || places.nics.empty()) return;
  if (pairs.bytes > 0 && pairs.bytes < kMinWireBytes) return;
  const evidence::PairValue& value = pairs.values.front();
  if (!value.from.empty()) return;
  double rate = 0;
  for (const NicPlace& nic : places.nics) {
    rate = std::max(rate, static_cast<double>(nic.rate.count()) / 8e9);
  }
  if (value.gigabytes_per_second >= kHealthyShare * rate) return;
  const std::string nic = pairs.nic.value_or("a NIC");
  Culprit finding{.kind = name_of(CulpritKind::kNic),
                  .places = {nic},
                  .value = value.gigabytes_per_second / rate,
                  .confidence = 0.5,
                  .why = "the file does not say between which servers",
                  .evidence = {fmt::format("{} of {} finds {:.1f} of {:.0f} Gb/s", pairs.operation,
                                           nic, 8 * value.gigabytes_per_second, 8 * rate)}};
  Culprit of_all = finding;
  of_all.places.clear();
  for (std::uint32_t s = 0; s < places.servers.size(); ++s) {
    if (const auto own = places.nic_of(s, nic, pairs.rail)) {
      of_all.places.push_back(places.nics[*own].name);
    }
  }
  if (supports(places, of_all, true, diagnosis)) return;
  if (diagnosis.next_measurement.empty()) {
    diagnosis.next_measurement = fmt::format(
        "name the file of perftest after client, server and NIC, such as "
        "`ib_write_bw-{}-{}-{}.txt`, and hand it over again",
        places.servers.front().name, places.servers.back().name, pairs.nic.value_or("mlx5_0"));
  }
  if (diagnosis.verdict == Verdict::kAsExpected) diagnosis.verdict = Verdict::kSlower;
  diagnosis.undecided.push_back(std::move(finding));
}

}  // namespace

void join_link_tests(const Places& places, const EvidencePoints& evidence,
                     const evidence::Measurements& measured, Diagnosis& diagnosis) {
  const std::vector<Culprit> findings = findings_of(places, link_tests(places, evidence));
  for (const Culprit& finding : findings) {
    if (supports(places, finding, findings.size() == 1, diagnosis)) continue;
    const bool is_decided = finding.places.size() == 1 && diagnosis.undecided.empty();
    (is_decided ? diagnosis.culprits : diagnosis.undecided).push_back(finding);
  }
  for (const evidence::PairSeries& pairs : measured.pairs) join_nameless(places, pairs, diagnosis);
  auto& undecided = diagnosis.undecided;
  const bool is_one =
      diagnosis.culprits.empty() && undecided.size() == 1 && undecided.front().places.size() == 1 &&
      std::ranges::find(places.resources, undecided.front().places.front(), &Resource::name) !=
          places.resources.end();
  if (!is_one) return;
  diagnosis.culprits.swap(undecided);
  diagnosis.next_measurement.clear();
}

}  // namespace weft::diagnose
