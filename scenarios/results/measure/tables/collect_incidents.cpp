#include "scenarios/results/measure/tables/collect_incidents.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "protocols/observation/port_incident.hpp"
#include "protocols/packet/ids.hpp"

namespace weft::scenarios {
namespace {

using protocols::Fault;
using protocols::PortIncident;
using protocols::QueuePairId;

IncidentKind kind_of(const FaultSpec& fault) {
  struct Kinds {
    IncidentKind operator()(const NicPause& /*f*/) const { return IncidentKind::kNicPause; }
    IncidentKind operator()(const LinkRate& /*f*/) const { return IncidentKind::kLinkRate; }
    IncidentKind operator()(const LinkDown& /*f*/) const { return IncidentKind::kLinkDown; }
    IncidentKind operator()(const SwitchDown& /*f*/) const { return IncidentKind::kSwitchDown; }
    IncidentKind operator()(const LinkLatency& /*f*/) const { return IncidentKind::kLinkLatency; }
    IncidentKind operator()(const BitErrors& /*f*/) const { return IncidentKind::kBitErrors; }
    IncidentKind operator()(const Flapping& /*f*/) const { return IncidentKind::kFlapping; }
  };
  return std::visit(Kinds(), fault.what);
}

std::string place_of(const FaultSpec& fault) {
  if (const auto* pause = std::get_if<NicPause>(&fault.what)) return pause->host;
  if (const auto* off = std::get_if<SwitchDown>(&fault.what)) return off->node;
  const LinkSelection& links = *links_of(fault);
  return links.from + (links.to.empty() ? "" : " to " + links.to);
}

/// It takes time without dropping anything: what it meets in time is slower for it.
bool slows_down(const IncidentResult& r) {
  constexpr std::array kKinds{IncidentKind::kLinkRate, IncidentKind::kLinkLatency,
                              IncidentKind::kNicPause, IncidentKind::kPauseStorm};
  return std::ranges::find(kKinds, r.kind) != kKinds.end();
}

/// Iterations of all jobs that ended, and how much longer they took than those without incidents.
class Slowness {
 public:
  Slowness(const Results& results, const std::vector<IncidentResult>& incidents) {
    for (const IterationResult& i : results.iterations) {
      if (!i.is_estimated) all_.push_back({i.job, i.start, i.end});
    }
    for (const CollectiveResult& c : results.collectives) {
      if (!c.is_estimated) all_.push_back({c.job, c.start, c.end});
    }
    for (const IncidentResult& r : incidents) {
      for (Iteration& i : all_) i.is_touched = i.is_touched || i.meets(r);
    }
    usual_ = medians([](const Iteration& i) { return !i.is_touched; });
    has_unusual_ =
        std::ranges::any_of(all_, [this](const Iteration& i) { return !usual_.contains(i.job); });
  }

  /// Of the iterations that `r` touched, the one that took longest beyond its usual time. Where
  /// incidents touched all of a job, those count as usual that `r` did not touch.
  [[nodiscard]] std::optional<Picoseconds> by(const IncidentResult& r) const {
    Medians usual = usual_;
    if (has_unusual_) {
      const Medians others = medians([&r](const Iteration& i) { return !i.meets(r); });
      usual.insert(others.begin(), others.end());
    }
    std::optional<Picoseconds> worst;
    for (const Iteration& i : all_) {
      const auto known = usual.find(i.job);
      if (known == usual.end() || !i.meets(r)) continue;
      const Picoseconds slower = i.end - i.start - known->second;
      worst = std::max(worst.value_or(slower), slower);
    }
    return worst;
  }

 private:
  using Medians = std::map<std::uint32_t, Picoseconds>;  ///< by job
  struct Iteration {
    std::uint32_t job;
    Picoseconds start;
    Picoseconds end;
    bool is_touched = false;

    [[nodiscard]] bool meets(const IncidentResult& r) const {
      if (r.packets > 0) return *r.first_loss <= end && *r.last_loss >= start;
      return slows_down(r) && r.begin <= end && r.end.value_or(Picoseconds::max()) >= start;
    }
  };

  template <class Counts>
  [[nodiscard]] Medians medians(Counts counts) const {
    std::map<std::uint32_t, std::vector<Picoseconds>> times;
    for (const Iteration& i : all_) {
      if (counts(i)) times[i.job].push_back(i.end - i.start);
    }
    Medians medians;
    for (auto& [job, some] : times) {
      std::ranges::sort(some);
      medians[job] = some[(some.size() - 1) / 2];
    }
    return medians;
  }

  std::vector<Iteration> all_;
  Medians usual_;             ///< of those without incidents
  bool has_unusual_ = false;  ///< incidents touched all of some job
};

/// Finds what failed from the faults of the scenario and from what ports and senders wrote down.
class IncidentCollector {
 public:
  IncidentCollector(const EndedRun& run, const Results& results)
      : run_(run), results_(results), names_(class_names(run.experiment.scenario.switches)) {
    for (const protocols::SenderNotices& notices : run.network->notices()) {
      if (notices.receiver.is_none()) continue;
      std::vector<Picoseconds>& told = told_[run.experiment.fabric.hosts[notices.receiver.value()]];
      told.insert(told.end(), notices.told.begin(), notices.told.end());
    }
    for (auto& [node, told] : told_) std::ranges::sort(told);
  }

  std::vector<IncidentResult> all() {
    std::map<Key, std::set<PortId>> planned;
    for (const Fault& fault : run_.experiment.faults) {
      if (fault.at > results_.simulated) continue;
      const PortId peer = run_.experiment.fabric.port(fault.port).peer;
      const bool flaps = std::holds_alternative<Flapping>(spec(fault.incident).what);
      const PortId cable = flaps ? std::min(fault.port, peer) : PortId(0U);
      planned[{fault.at, fault.incident, cable}].insert(fault.port);
      times_[{fault.at, fault.incident, cable}] = fault;
    }
    std::vector<IncidentResult> found;
    found.reserve(planned.size());
    for (const auto& [key, ports] : planned) found.push_back(planned_incident(key, ports));
    add_others(found);
    const Slowness slowness(results_, found);
    for (IncidentResult& r : found) r.slower = slowness.by(r);
    std::ranges::stable_sort(found, {}, [](const IncidentResult& r) {
      return std::tuple(r.begin, r.fault.value_or(Fault::kForever.count()), r.place);
    });
    return found;
  }

 private:
  /// When it began, the fault, and the lower port of a cable that flaps.
  using Key = std::tuple<Picoseconds, std::uint32_t, PortId>;
  using Losers = std::set<QueuePairId>;

  [[nodiscard]] const FaultSpec& spec(std::uint32_t number) const {
    return run_.experiment.scenario.faults[number];
  }

  IncidentResult planned_incident(const Key& key, const std::set<PortId>& ports) {
    const auto& [begin, number, cable] = key;
    const Fabric& fabric = run_.experiment.fabric;
    const Fault& fault = times_[key];
    IncidentResult r;
    r.kind = kind_of(spec(number));
    r.fault = number;
    r.begin = begin;
    r.place = std::holds_alternative<Flapping>(spec(number).what)
                  ? fabric.node(fabric.port(cable).node).name + " to " +
                        fabric.node(fabric.peer_node(cable)).name
                  : place_of(spec(number));
    if (fault.until <= results_.simulated) r.end = fault.until;
    if (fault.until != Fault::kForever) r.until = fault.until;
    if (fault.kind == Fault::Kind::kLinkDown) {
      add_outage(r, ports);
    } else if (fault.kind == Fault::Kind::kLinkErrors) {
      Losers losers;
      for (const PortId port : ports) {
        add_losses(r, losers, fabric.port(port).peer, PortIncident::Kind::kErrors);
      }
      note_repeats(r, losers);
    }
    return r;
  }

  /// `ports`: at both ends of what was down.
  void add_outage(IncidentResult& r, const std::set<PortId>& ports) {
    r.port = r.begin;
    r.ports.assign(ports.begin(), ports.end());
    if (const auto& converges = run_.experiment.scenario.convergence; converges) {
      const auto& changes = run_.experiment.route_changes.changes;  // by time
      const Picoseconds when = r.begin + *converges;
      const auto change = std::ranges::lower_bound(changes, when, {}, &RouteChanges::Change::at);
      const bool is_there = change != changes.end() && change->at == when;
      if (is_there && when <= results_.simulated) r.routes = when;
    }
    Losers losers;
    for (const PortId port : ports) {
      add_losses(r, losers, port, PortIncident::Kind::kOutage);
      note_told(r, port);
    }
    note_repeats(r, losers);
  }

  void add_losses(IncidentResult& r, Losers& losers, PortId port, PortIncident::Kind kind) const {
    for (const PortIncident& incident : run_.network->incidents(port)) {
      if (incident.kind == kind && incident.begin == r.begin) add(r, losers, incident);
    }
  }

  static void add(IncidentResult& r, Losers& losers, const PortIncident& incident) {
    if (incident.packets == 0) return;
    r.packets += incident.packets;
    r.bytes += incident.bytes;
    r.first_loss = std::min(r.first_loss.value_or(incident.first_loss), incident.first_loss);
    r.last_loss = std::max(r.last_loss.value_or(incident.last_loss), incident.last_loss);
    const std::vector<QueuePairId> lost = incident.losers.ascending();
    losers.insert(lost.begin(), lost.end());
  }

  void note_repeats(IncidentResult& r, const Losers& losers) const {
    r.queue_pairs = losers.size();
    for (const QueuePairId qp : losers) {
      const ConnectionId connection = run_.network->name_of(qp.value()).connection;
      if (r.connections.empty() || r.connections.back() < connection) {
        r.connections.push_back(connection);
      }
    }
    const auto notices = run_.network->notices();
    if (notices.empty()) return;
    for (const QueuePairId qp : losers) {
      const std::vector<Picoseconds>& repeats = notices[qp.value()].repeats;
      const auto first = std::ranges::lower_bound(repeats, *r.first_loss);
      if (first == repeats.end()) continue;
      r.repeat = std::min(r.repeat.value_or(*first), *first);
    }
  }

  /// Senders heard by a port status that `port` of a host was down, before it failed again.
  void note_told(IncidentResult& r, PortId port) const {
    const Fabric& fabric = run_.experiment.fabric;
    const NodeId node = fabric.port(port).node;
    if (fabric.node(node).kind != NodeKind::kHost) return;
    Picoseconds next = Fault::kForever;
    for (const PortIncident& incident : run_.network->incidents(port)) {
      if (incident.begin > r.begin) next = std::min(next, incident.begin);
    }
    const auto told = told_.find(node);
    if (told == told_.end()) return;
    const auto first = std::ranges::lower_bound(told->second, r.begin);
    if (first == told->second.end() || *first >= next) return;
    r.told = std::min(r.told.value_or(*first), *first);
  }

  /// What no fault of the scenario is by itself.
  void add_others(std::vector<IncidentResult>& found) const {
    const Fabric& fabric = run_.experiment.fabric;
    for (std::uint32_t p = 0; p < fabric.ports.size(); ++p) {
      for (const PortIncident& incident : run_.network->incidents(PortId(p))) {
        const bool is_storm = incident.kind == PortIncident::Kind::kStorm;
        const bool is_hole =
            incident.kind == PortIncident::Kind::kUnreached && incident.packets > 0;
        const bool is_given_up = incident.kind == PortIncident::Kind::kGivenUp;
        if (!is_storm && !is_hole && !is_given_up) continue;
        IncidentResult r;
        r.kind = is_storm  ? IncidentKind::kPauseStorm
                 : is_hole ? IncidentKind::kNoRoute
                           : IncidentKind::kRetryGaveUp;
        if (is_given_up) r.port = incident.noticed;
        r.place = fabric.port_name(PortId(p));
        r.begin = incident.begin;
        if (is_storm) {
          r.watchdog = incident.noticed;
          r.traffic_class = names_[incident.traffic_class];
        }
        if (incident.end != PortIncident::kLasting) r.end = incident.end;
        Losers losers;
        add(r, losers, incident);
        note_repeats(r, losers);
        found.push_back(std::move(r));
      }
    }
  }

  const EndedRun& run_;
  const Results& results_;
  const IdVector<ClassId, std::string> names_;
  std::map<NodeId, std::vector<Picoseconds>> told_;  ///< by host whose planes were lost, ascending
  std::map<Key, Fault> times_;                       ///< one of the faults of an incident
};

}  // namespace

void collect_incidents(const EndedRun& run, Results& results) {
  if (run.network == nullptr) return;  // nothing is lost where there are no packets
  results.incidents = IncidentCollector(run, results).all();
}

}  // namespace weft::scenarios
