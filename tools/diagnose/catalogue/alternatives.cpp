#include "tools/diagnose/catalogue/alternatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "collectives/nccl/nccl_tuning.hpp"

namespace weft::diagnose {
namespace {

using collectives::NcclAlgorithm;
using collectives::NcclEstimate;
using collectives::NcclMachine;
using collectives::Operation;
using collectives::Protocol;
using What = Alternative::What;

/// Sizes of a curve that are simulated, and algorithms and protocols of NCCL.
constexpr std::size_t kSizes = 5;
constexpr std::size_t kChoices = 4;
/// An alternative that slows nothing that is slow by this much explains nothing, as a logarithm.
constexpr double kVisible = 0.05;
constexpr double kSlow = 1.1;
constexpr double kSlowWire = 1.2;
/// What NCCL would not choose is off by less of ln, of the smallest size that is a finding.
constexpr double kFarOff = 0.4;
/// Latency of copies shows up to this size.
constexpr std::int64_t kLatencyBytes = std::int64_t{4} << 20U;

struct NamedAlgorithm {
  NcclAlgorithm nccl;
  const char* name;  ///< weft's
};
constexpr std::array<NamedAlgorithm, 4> kAlgorithms{{{NcclAlgorithm::kRing, "ring"},
                                                     {NcclAlgorithm::kTree, "double-binary-tree"},
                                                     {NcclAlgorithm::kNvls, "nvls"},
                                                     {NcclAlgorithm::kNvlsTree, "nvls-tree"}}};

struct NamedProtocol {
  Protocol protocol;
  const char* nccl;
};
constexpr std::array<NamedProtocol, 3> kProtocols{
    {{Protocol::kLl, "LL"}, {Protocol::kLl128, "LL128"}, {Protocol::kSimple, "Simple"}}};

/// GB/s of a GPU's NVLink, for what NCCL chooses by.
double nvlink_of(GpuGeneration generation) {
  constexpr std::array<double, 4> kRates{120, 240, 370.8, 721.8};
  return kRates[static_cast<std::size_t>(generation)];
}

std::set<std::uint32_t> servers_of(const Places& places, const Call& call) {
  std::set<std::uint32_t> used;
  for (std::uint32_t s = 0; s < places.servers.size(); ++s) {
    for (const std::uint32_t host : places.servers[s].hosts) {
      if (std::ranges::find(call.hosts, host) != call.hosts.end()) used.insert(s);
    }
  }
  return used;
}

/// What NCCL would consider for a call, the fastest by its model first.
std::vector<NcclEstimate> estimates(const Simulator& healthy, const Call& call) {
  const auto run = healthy.choice(call);
  const Places& places = healthy.places();
  const auto used = servers_of(places, call);
  if (!run || !run.value().gpus || used.empty()) return {};
  const ServerPlace& server = places.servers[*used.begin()];
  const double rate =
      server.nics.empty()
          ? 0
          : static_cast<double>(places.nics[server.nics.front()].rate.count()) / 8e9;
  const auto nodes = static_cast<std::uint32_t>(used.size());
  NcclMachine machine =
      collectives::nccl_machine({.generation = *run.value().gpus,
                                 .nodes = nodes,
                                 .gpus = static_cast<std::uint32_t>(call.hosts.size()) / nodes,
                                 .nvlink = nvlink_of(*run.value().gpus),
                                 .nics = static_cast<std::uint32_t>(server.nics.size()),
                                 .nic = rate});
  machine.has_nvls = *run.value().gpus >= GpuGeneration::kHopper && machine.ranks_per_node() > 1;
  return collectives::nccl_estimates(call.operation, static_cast<double>(call.size.count()),
                                     machine);
}

bool is_of(const Alternative& alternative, const NcclEstimate& e) {
  if (alternative.what == What::kProtocol) {
    return alternative.name ==
           std::string("NCCL_PROTO=") +
               std::ranges::find(kProtocols, e.protocol, &NamedProtocol::protocol)->nccl;
  }
  return alternative.name == std::string("NCCL_ALGO=") + name_of(e.algorithm);
}

/// Whether calls of this operation differ with it, on this number of servers.
bool concerns(const Alternative& alternative, Operation operation, std::size_t servers) {
  switch (alternative.what) {
    case What::kAlgorithm:
      return operation == Operation::kAllReduce;
    case What::kProtocol:
      return operation == Operation::kAllReduce || operation == Operation::kAllGather ||
             operation == Operation::kReduceScatter || operation == Operation::kBroadcast ||
             operation == Operation::kReduce;
    case What::kThresholds:
    case What::kHostMemory:
      break;
  }
  return servers > 1;
}

std::vector<Alternative> choices_of_nccl() {
  std::vector<Alternative> all;
  all.reserve(std::size(kAlgorithms) + 2);
  for (const NamedAlgorithm& a : kAlgorithms) {
    all.push_back({.what = What::kAlgorithm,
                   .name = std::string("NCCL_ALGO=") + name_of(a.nccl),
                   .algorithm = a.name});
  }
  for (const NamedProtocol& p : kProtocols) {
    all.push_back({.what = What::kProtocol,
                   .name = std::string("NCCL_PROTO=") + p.nccl,
                   .execution = {std::string("protocol: ") + name_of(p.protocol)}});
  }
  return all;
}

/// Of a point: the call whose time it is.
Call call_of(const Places& places, const Curve& curve, const Point& point) {
  Call call = *curve.call;
  call.size = Bytes(point.bytes);
  if (!point.pair) return call;
  call.hosts.clear();
  for (const std::uint32_t s : {point.pair->first, point.pair->second}) {
    const auto& hosts = places.servers[s].hosts;
    call.hosts.insert(call.hosts.end(), hosts.begin(), hosts.end());
  }
  return call;
}

/// A time that is a finding, and what NCCL would consider for its call.
struct Considered {
  const Point* point;
  const Curve* curve;
  std::vector<NcclEstimate> estimates;
};

/// How far NCCL's model is from the findings with it, on average; nothing: it is not slower there.
std::optional<double> distance(const Alternative& alternative,
                               const std::vector<Considered>& findings) {
  double sum = 0;
  double slowest = 0;
  std::size_t count = 0;
  for (const auto& [point, curve, all] : findings) {
    if (!concerns(alternative, curve->call->operation, curve->servers.size())) return {};
    const auto own = std::ranges::find_if(
        all, [&alternative](const NcclEstimate& e) { return is_of(alternative, e); });
    if (own == all.end()) continue;
    const double slower = std::log(own->time_us / all.front().time_us);
    slowest = std::max(slowest, slower);
    sum += std::abs(std::log(point->measured_us / point->expected_us) - slower);
    ++count;
  }
  if (count == 0 || slowest < kVisible) return {};
  return sum / static_cast<double>(count);
}

/// Those of NCCL's algorithms and protocols that its own model makes likeliest.
std::vector<Alternative> likely_choices(const Simulator& healthy,
                                        const std::vector<const Point*>& findings,
                                        const EvidencePoints& evidence) {
  std::vector<Considered> considered;
  for (const Point* point : findings) {
    const Curve& curve = evidence.curves[point->curve];
    considered.push_back(
        {point, &curve, estimates(healthy, call_of(healthy.places(), curve, *point))});
  }
  std::vector<std::pair<double, Alternative>> ranked;
  for (Alternative& alternative : choices_of_nccl()) {
    const auto far = distance(alternative, considered);
    if (far) ranked.emplace_back(*far, std::move(alternative));
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<double, Alternative>::first);
  std::vector<Alternative> all;
  for (auto& [far, alternative] : ranked) {
    if (all.size() < kChoices) all.push_back(std::move(alternative));
  }
  return all;
}

/// ln of how much longer a call takes with it; nothing: it cannot run so.
std::optional<double> longer_by(Simulator& healthy, const Alternative& alternative, Call call) {
  call.size = std::min(call.size, Simulator::largest(call.hosts.size()));
  const auto well = healthy.run(call);
  if (!well) return {};
  const auto run = healthy.run(alternative_call(healthy, alternative, call));
  if (!run) return {};
  return std::log(run.value().time_us / well.value().time_us);
}

/// Whether the smallest finding is about as slow with it.
bool is_near(Simulator& healthy, const Alternative& alternative,
             const std::vector<const Point*>& findings, const EvidencePoints& evidence) {
  const Point& point = **std::ranges::min_element(findings, {}, &Point::bytes);
  const auto longer = longer_by(healthy, alternative,
                                call_of(healthy.places(), evidence.curves[point.curve], point));
  if (!longer) return false;
  return std::abs(*longer - std::log(point.measured_us / point.expected_us)) < kFarOff;
}

/// The sizes that are simulated: the first, the last, and some between, up to what packets bear.
std::vector<std::int64_t> sizes_of(const std::set<std::int64_t>& all, std::int64_t highest) {
  std::vector<std::int64_t> possible;
  possible.reserve(all.size());
  for (const std::int64_t size : all) possible.push_back(std::min(size, highest));
  possible.erase(std::unique(possible.begin(), possible.end()), possible.end());
  if (possible.size() <= kSizes) return possible;
  std::vector<std::int64_t> some;
  for (std::size_t i = 0; i < kSizes; ++i) {
    some.push_back(possible[i * (possible.size() - 1) / (kSizes - 1)]);
  }
  return some;
}

double between(const std::map<std::int64_t, double>& known, std::int64_t size) {
  const auto above = known.lower_bound(size);
  if (above == known.end()) return known.rbegin()->second;
  if (above == known.begin() || above->first == size) return above->second;
  const auto below = std::prev(above);
  const double part =
      std::log(static_cast<double>(size) / static_cast<double>(below->first)) /
      std::log(static_cast<double>(above->first) / static_cast<double>(below->first));
  return below->second + part * (above->second - below->second);
}

/// By size, ln of how much longer calls of a curve take. Empty: they cannot run so.
std::map<std::int64_t, double> of_sizes(Simulator& healthy, const Alternative& alternative,
                                        const EvidencePoints& evidence, std::uint32_t c) {
  const Curve& curve = evidence.curves[c];
  std::set<std::int64_t> all;
  for (const Point& point : evidence.points) {
    if (point.curve == c) all.insert(point.bytes);
  }
  std::map<std::int64_t, double> known;
  for (const std::int64_t size :
       sizes_of(all, Simulator::largest(curve.call->hosts.size()).count())) {
    Call call = *curve.call;
    call.size = Bytes(size);
    const auto longer = longer_by(healthy, alternative, call);
    if (!longer) return {};
    known.emplace(size, *longer);
  }
  return known;
}

/// Of pairs that are compared with each other alone it says how much longer each takes than the
/// fastest: what is expected of them is what the fastest took.
void make_relative(const EvidencePoints& evidence, std::vector<double>& longer) {
  std::map<std::uint32_t, double> fastest;
  for (std::size_t i = 0; i < longer.size(); ++i) {
    const std::uint32_t curve = evidence.points[i].curve;
    if (!evidence.curves[curve].is_relative) continue;
    double& lowest = fastest.emplace(curve, longer[i]).first->second;
    lowest = std::min(lowest, longer[i]);
  }
  for (std::size_t i = 0; i < longer.size(); ++i) {
    const auto found = fastest.find(evidence.points[i].curve);
    if (found != fastest.end()) longer[i] -= found->second;
  }
}

/// Adds what all points take with it. False: it cannot be, or it slows nothing that is slow.
bool add_times(Simulator& healthy, const Alternative& alternative, EvidencePoints& evidence) {
  const Places& places = healthy.places();
  std::vector<double> longer(evidence.points.size());
  std::map<std::uint32_t, std::map<std::int64_t, double>> of_curve;
  std::map<std::string, double> of_relation;
  for (std::size_t i = 0; i < evidence.points.size(); ++i) {
    const Point& point = evidence.points[i];
    const Curve& curve = evidence.curves[point.curve];
    const std::size_t servers = point.pair ? 2 : curve.servers.size();
    if (!curve.call || !concerns(alternative, curve.call->operation, servers)) continue;
    if (point.pair) {
      const std::string key = fmt::format("{} {} {}", point.curve, point.bytes,
                                          places.relation(point.pair->first, point.pair->second));
      auto known = of_relation.find(key);
      if (known == of_relation.end()) {
        const auto found = longer_by(healthy, alternative, call_of(places, curve, point));
        if (!found) return false;
        known = of_relation.emplace(key, *found).first;
      }
      longer[i] = known->second;
    } else {
      auto known = of_curve.find(point.curve);
      if (known == of_curve.end()) {
        auto found = of_sizes(healthy, alternative, evidence, point.curve);
        if (found.empty()) return false;
        known = of_curve.emplace(point.curve, std::move(found)).first;
      }
      longer[i] = between(known->second, point.bytes);
    }
  }
  make_relative(evidence, longer);
  double slowest = 0;
  for (std::size_t i = 0; i < longer.size(); ++i) {
    const Point& point = evidence.points[i];
    const bool is_slow = point.measured_us > kSlow * point.expected_us;
    if (is_slow) slowest = std::max(slowest, longer[i]);
  }
  if (slowest < kVisible) return false;
  for (std::size_t i = 0; i < evidence.points.size(); ++i) {
    Point& point = evidence.points[i];
    point.alternative_us.push_back(point.expected_us * std::exp(longer[i]));
  }
  return true;
}

std::vector<Alternative> settings_of_network(const Simulator& healthy) {
  const auto marks = [&healthy](const char* from, const char* all) {
    return Alternative{.what = What::kThresholds,
                       .changes = {fmt::format("{}={{type: red, kmin: {}, kmax: {}, pmax: 1}}",
                                               class_key(healthy, "ecn"), from, all)}};
  };
  return {marks("4KB", "8KB"),
          marks("8KB", "32KB"),
          {.what = What::kHostMemory,
           .execution = {fmt::format("network_step_latency: {:.0f}us", kCopyMicroseconds)}}};
}

}  // namespace

std::string class_key(const Simulator& healthy, const std::string& key) {
  const scenarios::Scenario& scenario = healthy.scenario();
  if (!scenario.lists_classes || scenario.jobs.empty()) return "fabric." + key;
  return fmt::format("fabric.classes[{}].{}", scenario.jobs.front().traffic_class.value(), key);
}

Call alternative_call(const Simulator& healthy, const Alternative& alternative, Call call) {
  if (alternative.what == What::kAlgorithm) {
    // With one algorithm alone NCCL still chooses among its protocols.
    for (const NcclEstimate& e : estimates(healthy, call)) {
      if (!is_of(alternative, e)) continue;
      call.execution.push_back(std::string("protocol: ") + name_of(e.protocol));
      break;
    }
    call.algorithm = alternative.algorithm;
  }
  call.changes.insert(call.changes.end(), alternative.changes.begin(), alternative.changes.end());
  call.execution.insert(call.execution.end(), alternative.execution.begin(),
                        alternative.execution.end());
  return call;
}

void add_alternatives(Simulator& healthy, const std::vector<Anomaly>& findings,
                      EvidencePoints& evidence) {
  std::vector<const Point*> slow;
  for (const Anomaly& finding : findings) {
    for (const std::size_t i : finding.points) {
      const Point& point = evidence.points[i];
      if (!point.is_wire) slow.push_back(&point);
      // All of these leave perftest as it is, but for noise.
      if (point.is_wire && point.measured_us > kSlowWire * point.expected_us) return;
    }
  }
  if (slow.empty()) return;
  std::vector<Alternative> all = likely_choices(healthy, slow, evidence);
  std::erase_if(all, [&](const Alternative& a) { return !is_near(healthy, a, slow, evidence); });
  const bool has_latency = std::ranges::any_of(evidence.points, [](const Point& point) {
    return !point.pair && point.bytes <= kLatencyBytes &&
           point.measured_us > kSlow * point.expected_us;
  });
  for (Alternative& a : settings_of_network(healthy)) {
    if (a.what != What::kHostMemory || has_latency) all.push_back(std::move(a));
  }
  for (Alternative& alternative : all) {
    if (!add_times(healthy, alternative, evidence)) continue;
    evidence.alternatives.push_back(std::move(alternative));
  }
}

}  // namespace weft::diagnose
