#include "tools/diagnose/search/statements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tools/diagnose/catalogue/hypotheses.hpp"
#include "tools/diagnose/model/matching.hpp"
#include "tools/evidence/counters/counter_meaning.hpp"

namespace weft::diagnose {
namespace {

using evidence::CounterCulprit;
using evidence::CounterStatement;

/// What a statement says of kinds and places.
struct Testimony {
  std::string kind{};
  std::vector<std::string> places{};  ///< one of these; empty: anywhere
  std::string text{};
  bool decides = true;  ///< else it is also seen where all is well
  std::optional<CounterStatement> counter{};
  bool is_alike = false;  ///< at most ports, so that it singles out none
};

/// The kind that a counter speaks for; empty: none that is searched for.
std::string kind_of(CounterCulprit culprit) {
  switch (culprit) {
    case CounterCulprit::kLink:
    case CounterCulprit::kPcie:
      return name_of(CulpritKind::kNic);
    case CounterCulprit::kPause:
      return name_of(CulpritKind::kStorm);
    case CounterCulprit::kLoss:
      return name_of(CulpritKind::kLoss);
    case CounterCulprit::kMarks:
      return name_of(CulpritKind::kThresholds);
    case CounterCulprit::kHost:
    case CounterCulprit::kCongestion:
      break;
  }
  return {};
}

/// NICs whose counters these are, by name, or by the interface or switch port that the scenario's
/// comment of their cable names. Of a server whose interfaces no comment names: all of its own.
std::vector<std::string> nics_of(const Simulator& healthy, const CounterStatement& statement) {
  const Places& places = healthy.places();
  std::vector<std::string> own;
  std::vector<std::string> of_server;
  for (const NicPlace& nic : places.nics) {
    const std::string& server = places.servers[nic.server].name;
    const std::string cable = healthy.cables().of(nic.name);
    const auto says = [&cable](const std::string& text) {
      return cable.find(text) != std::string::npos;
    };
    const bool is_here = server == statement.device;
    const bool is_named =
        is_here && (nic.name == server + "/" + statement.port || nic.name == statement.port ||
                    says("; " + statement.port + " to "));
    const bool is_switch_port =
        says("to " + statement.device + "[") && says(" to " + statement.port + ",");
    if (!statement.port.empty() && (is_named || is_switch_port)) own.push_back(nic.name);
    if (is_here) of_server.push_back(nic.name);
  }
  return own.empty() ? of_server : own;
}

std::vector<Testimony> of_counters(const Simulator& healthy,
                                   const evidence::Measurements& measured) {
  auto statements = evidence::counter_statements(measured.counters);
  for (CounterStatement& s : evidence::nic_qos_statements(measured.nic_qos)) {
    statements.push_back(std::move(s));
  }
  std::vector<Testimony> all;
  for (const CounterStatement& statement : statements) {
    Testimony one{.kind = kind_of(statement.culprit), .text = statement.text};
    const bool has_place =
        one.kind == name_of(CulpritKind::kNic) || one.kind == name_of(CulpritKind::kStorm);
    if (has_place) one.places = nics_of(healthy, statement);
    // Of a port that no NIC is known to have: it may be of any.
    const bool is_common = statement.culprit == CounterCulprit::kCongestion ||
                           statement.culprit == CounterCulprit::kMarks;
    one.decides = !is_common && (!has_place || !one.places.empty());
    if (!statement.counter.empty()) one.counter = statement;
    one.is_alike = has_place && !statement.stands_out;
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<Testimony> of_packets(const EvidencePoints& evidence,
                                  const evidence::Measurements& measured) {
  std::set<std::uint32_t> small;
  for (const evidence::PairSeries& pairs : measured.pairs) {
    if (pairs.mtu > 0 && pairs.mtu < evidence.payload) small.insert(pairs.mtu);
  }
  std::vector<Testimony> all;
  all.reserve(small.size());
  for (const std::uint32_t mtu : small) {
    all.push_back(
        {.kind = name_of(CulpritKind::kMtu),
         .places = {fmt::format("{} bytes", mtu)},
         .text = fmt::format("perftest ran with packets of {} bytes, and {:.0f} are meant", mtu,
                             evidence.payload)});
  }
  return all;
}

/// False: it is of another kind or place. `of_kind`: all places of the kind that something decides
/// for, so that no order of files selects one of them.
bool supports(const Testimony& testimony, const std::vector<std::string>& of_kind,
              Culprit& culprit) {
  // Drops of a leaf's ports are what makes it slow.
  if (culprit.kind == name_of(CulpritKind::kLeaf) && testimony.counter &&
      testimony.kind == name_of(CulpritKind::kLoss)) {
    if (std::ranges::find(culprit.places, testimony.counter->device) == culprit.places.end()) {
      return false;
    }
    culprit.evidence.push_back(testimony.text);
    return true;
  }
  if (culprit.kind != testimony.kind) return false;
  if (!testimony.places.empty() && !culprit.places.empty()) {
    if (common_names(culprit.places, testimony.places).empty()) return false;
    if (testimony.decides) culprit.places = common_names(culprit.places, of_kind);
  }
  culprit.evidence.push_back(testimony.text);
  return true;
}

/// `8 ports of leaf04, up to 4211`, `enp95s0np0 of 8 devices, up to 200411`.
std::string owners_text(const std::vector<const CounterStatement*>& same) {
  std::set<std::string> devices;
  std::set<std::string> ports;
  std::uint64_t highest = 0;
  for (const CounterStatement* one : same) {
    devices.insert(one->device);
    ports.insert(one->port);
    highest = std::max(highest, one->value);
  }
  const std::string owners =
      devices.size() == 1 ? fmt::format("{} ports of {}", same.size(), *devices.begin())
      : ports.size() == 1 && !ports.begin()->empty()
          ? fmt::format("{} of {} devices", *ports.begin(), devices.size())
          : fmt::format("{} ports of {} devices", same.size(), devices.size());
  return fmt::format("{}, up to {}", owners, highest);
}

/// What no cause was found for: one remark for each counter, whichever ports have it.
void remark_on(const std::vector<const Testimony*>& unused, std::vector<std::string>& remarks) {
  std::map<std::string, std::vector<const CounterStatement*>> by_counter;
  for (const Testimony* one : unused) {
    if (one->counter) by_counter[one->counter->counter].push_back(&*one->counter);
  }
  std::set<std::string> said;
  for (const Testimony* one : unused) {
    const auto same = one->counter ? by_counter.find(one->counter->counter) : by_counter.end();
    if (same == by_counter.end() || same->second.size() == 1) {
      remarks.push_back("no cause was found for " + one->text);
    } else if (said.insert(same->first).second) {
      remarks.push_back(fmt::format("no cause was found for {}, {}: {}", same->first,
                                    one->counter->counts, owners_text(same->second)));
    }
  }
}

/// Counters that are alike at most ports: they single out none.
void remark_on_alike(const std::vector<Testimony>& all, std::vector<std::string>& remarks) {
  std::map<std::string, std::vector<const CounterStatement*>> alike;
  for (const Testimony& one : all) {
    if (one.counter && one.is_alike) alike[one.counter->counter].push_back(&*one.counter);
  }
  for (const auto& [counter, same] : alike) {
    remarks.push_back(fmt::format("{} singles out no port: {}", counter, owners_text(same)));
  }
}

/// `tree` of `double-binary-tree`: as logs have it.
std::string in_logs(const std::string& algorithm) {
  return algorithm == "double-binary-tree" ? "tree" : algorithm;
}

/// `nvls-tree` of `NCCL_ALGO=NVLSTree`, `ll128` of `NCCL_PROTO=LL128`.
std::string value_in_logs(const std::string& variable) {
  std::string value = variable.substr(variable.find('=') + 1);
  std::ranges::transform(value, value.begin(), [](char c) {
    return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return value == "nvlstree" ? "nvls-tree" : value;
}

/// What NCCL's logs say of the calls of curves.
struct LoggedChoices {
  std::vector<evidence::Choice> choices{};
  bool is_as_expected = true;
};

LoggedChoices logged_choices(const Simulator& healthy, const EvidencePoints& evidence,
                             const evidence::Measurements& measured) {
  LoggedChoices all;
  for (const evidence::NcclLog& log : measured.nccl_logs) {
    for (const evidence::Choice& choice : log.choices) {
      for (const Curve& curve : evidence.curves) {
        const bool is_same = curve.call && !curve.is_matrix && choice.operation == "all-reduce" &&
                             curve.call->operation == collectives::Operation::kAllReduce &&
                             log.on.ranks == curve.call->hosts.size();
        if (!is_same) continue;
        Call call = *curve.call;
        call.size = Bytes(choice.bytes);
        const auto meant = healthy.choice(call);
        if (!meant) continue;
        all.choices.push_back(choice);
        all.is_as_expected &= in_logs(meant.value().algorithm) == choice.algorithm &&
                              meant.value().protocol == choice.protocol;
        break;
      }
    }
  }
  return all;
}

/// Of algorithms only those are left that the log does not contradict. True: the log supports one.
bool hold_against_log(const LoggedChoices& logged, std::vector<Culprit>& causes) {
  const auto at = std::ranges::find(causes, name_of(CulpritKind::kAlgorithm),
                                    [](const Culprit& c) -> const std::string& { return c.kind; });
  if (at == causes.end() || logged.choices.empty()) return false;
  if (logged.is_as_expected) {
    causes.erase(at);
    return false;
  }
  const auto is_contradicted = [&logged](const std::string& place) {
    const bool is_algorithm = place.starts_with("NCCL_ALGO=");
    return std::ranges::any_of(logged.choices, [&](const evidence::Choice& choice) {
      return (is_algorithm ? choice.algorithm : choice.protocol) != value_in_logs(place);
    });
  };
  std::erase_if(at->places, is_contradicted);
  if (at->places.empty()) {
    causes.erase(at);
    return false;
  }
  at->evidence.emplace_back("NCCL's log has this choice in every call");
  return true;
}

/// One of those that times do not tell apart, for which alone something else speaks.
void decide(const std::set<std::string>& supported, Diagnosis& diagnosis) {
  auto& undecided = diagnosis.undecided;
  std::stable_partition(undecided.begin(), undecided.end(),
                        [&supported](const Culprit& c) { return supported.contains(c.kind); });
  const bool is_alone = undecided.size() == 1 || (supported.size() == 1 && !undecided.empty() &&
                                                  supported.contains(undecided.front().kind));
  if (!is_alone || undecided.front().places.size() > 1 || !diagnosis.culprits.empty()) return;
  diagnosis.culprits.push_back(std::move(undecided.front()));
  undecided.clear();
  diagnosis.next_measurement.clear();
}

}  // namespace

void join_statements(const Simulator& healthy, const EvidencePoints& evidence,
                     const evidence::Measurements& measured, Diagnosis& diagnosis) {
  std::vector<Testimony> all = of_counters(healthy, measured);
  for (Testimony& t : of_packets(evidence, measured)) all.push_back(std::move(t));
  remark_on_alike(all, diagnosis.remarks);
  std::erase_if(all, [](const Testimony& testimony) { return testimony.is_alike; });
  const std::size_t before = diagnosis.undecided.size();
  std::map<std::string, std::vector<std::string>> decided_places;
  for (const Testimony& testimony : all) {
    if (!testimony.decides) continue;
    std::vector<std::string>& places = decided_places[testimony.kind];
    places.insert(places.end(), testimony.places.begin(), testimony.places.end());
  }
  std::set<std::string> supported;
  std::vector<const Testimony*> unused;
  for (const Testimony& testimony : all) {
    bool is_used = false;
    for (auto* causes : {&diagnosis.culprits, &diagnosis.undecided}) {
      for (Culprit& culprit : *causes) {
        if (!supports(testimony, decided_places[testimony.kind], culprit)) continue;
        is_used = true;
        if (testimony.decides) supported.insert(culprit.kind);
      }
    }
    if (!is_used && testimony.decides) unused.push_back(&testimony);
  }
  remark_on(unused, diagnosis.remarks);
  const LoggedChoices logged = logged_choices(healthy, evidence, measured);
  if (hold_against_log(logged, diagnosis.undecided)) {
    supported.insert(name_of(CulpritKind::kAlgorithm));
  }
  hold_against_log(logged, diagnosis.culprits);
  if (!supported.empty() || diagnosis.undecided.size() < before) decide(supported, diagnosis);
  if (!diagnosis.anomalies.empty() && diagnosis.culprits.empty() && diagnosis.undecided.empty()) {
    diagnosis.nothing_explains_it = true;
  }
}

}  // namespace weft::diagnose
