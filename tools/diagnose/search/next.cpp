#include "tools/diagnose/search/next.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>

#include "simcore/text/counted.hpp"
#include "tools/diagnose/model/matching.hpp"
#include "tools/diagnose/search/commands.hpp"

namespace weft::diagnose {
namespace {

/// A measurement, by what it would find: a number for each hypothesis, ln of a slowdown, for every
/// value that is measured.
struct Candidate {
  std::string text;
  std::vector<std::vector<double>> results;  ///< by hypothesis
};

/// What an alternative makes of a call, where no number says it.
constexpr double kAssumed = 0.3;

/// What NCCL makes of a call between two servers, whichever they are.
double of_library(const Hypothesis& h) {
  if (h.kind == CulpritKind::kAlgorithm) return kAssumed;
  const bool is_slow = h.kind == CulpritKind::kChannels || h.kind == CulpritKind::kGpuDirect;
  return is_slow ? -std::log(h.value) : 0;
}

/// What a resource and its server make of two servers' bandwidth, per NIC.
double slowdown(const Fit& fit, const Places& places, std::uint32_t nic, bool crosses) {
  const Hypothesis& h = fit.hypothesis;
  const double slower = h.value > 0 && h.value < 1 ? -std::log(h.value) : 0;
  switch (h.kind) {
    case CulpritKind::kCollisions:
      return crosses ? slower / 2 : 0;  // of some pairs
    case CulpritKind::kThresholds:
      return crosses ? kAssumed : 0;
    case CulpritKind::kUplinks:
      return crosses && places.nics[nic].leaf == h.resources.front() ? slower : 0;
    case CulpritKind::kChannels:
    case CulpritKind::kStraggler:
    case CulpritKind::kGpuDirect:
    case CulpritKind::kAlgorithm:
    case CulpritKind::kLoss:
      return 0;
    default:
      return std::ranges::find(h.resources, places.nics[nic].resource) == h.resources.end()
                 ? 0
                 : slower;
  }
}

std::vector<std::uint32_t> servers_in(const EvidencePoints& evidence) {
  std::set<std::uint32_t> all;
  for (const Curve& curve : evidence.curves) all.insert(curve.servers.begin(), curve.servers.end());
  return {all.begin(), all.end()};
}

/// With a command that writes the matrix, for servers with as many GPUs each.
std::string pair_matrix_text(const Places& places, const std::vector<std::uint32_t>& servers) {
  std::string text = fmt::format(
      "run `all_reduce_perf -b 1G -e 1G` on every pair of the {} servers alone, and "
      "hand over the matrix of pairs",
      servers.size());
  std::vector<std::string> names;
  const std::size_t gpus = places.servers[servers.front()].hosts.size();
  for (const std::uint32_t s : servers) {
    if (places.servers[s].hosts.size() != gpus) return text;
    names.push_back(places.servers[s].name);
  }
  if (names.size() > 16) return text;
  return text +
         fmt::format(
             ". With Open MPI this writes it:\n      `set -- {}; echo src,dst,op,bytes,busbw_GBs > "
             "pairs.csv; for a; do shift; for b; do mpirun -np {} -H $a:{},$b:{} all_reduce_perf "
             "-b 1G -e 1G -g 1 | awk -v pair=$a,$b '$1 == 1073741824 {{print pair "
             "\",all_reduce,1073741824,\" $8}}' >> pairs.csv; done; done`",
             fmt::join(names, " "), 2 * gpus, gpus, gpus);
}

/// Two-server all-reduce of every pair.
Candidate pair_matrix(const Places& places, const std::vector<Fit>& fits,
                      const std::vector<std::uint32_t>& servers) {
  Candidate candidate{pair_matrix_text(places, servers), {}};
  for (const Fit& fit : fits) {
    std::vector<double> results;
    for (std::size_t i = 0; i < servers.size(); ++i) {
      for (std::size_t j = i + 1; j < servers.size(); ++j) {
        double slowest = of_library(fit.hypothesis);
        const bool crosses = places.crosses_uplinks(servers[i], servers[j]);
        for (const std::uint32_t s : {servers[i], servers[j]}) {
          for (const std::uint32_t nic : places.servers[s].nics) {
            slowest = std::max(slowest, slowdown(fit, places, nic, crosses));
          }
        }
        results.push_back(slowest);
      }
    }
    candidate.results.push_back(std::move(results));
  }
  return candidate;
}

/// NICs that perftest was run on, one pair of servers at a time.
std::set<std::uint32_t> measured_nics(const Places& places, const EvidencePoints& evidence) {
  std::set<std::uint32_t> all;
  for (const Point& point : evidence.points) {
    if (!point.is_wire || !point.pair || !point.rail) continue;
    for (const std::uint32_t s : {point.pair->first, point.pair->second}) {
      const auto& own = places.servers[s].nics;
      if (*point.rail < own.size()) all.insert(own[*point.rail]);
    }
  }
  return all;
}

/// Servers whose NICs are suspected, and one beside them to measure against; all where none is.
std::vector<std::uint32_t> suspected_servers(const Places& places, const std::vector<Fit>& fits,
                                             const std::vector<std::uint32_t>& servers) {
  std::set<std::uint32_t> suspects;
  for (const Fit& fit : fits) {
    const CulpritKind kind = fit.hypothesis.kind;
    if (kind != CulpritKind::kNic && kind != CulpritKind::kServer) continue;
    for (const NicPlace& nic : places.nics) {
      const auto& own = fit.hypothesis.resources;
      if (std::ranges::find(own, nic.resource) != own.end()) suspects.insert(nic.server);
    }
  }
  std::vector<std::uint32_t> some;
  bool has_other = false;
  for (const std::uint32_t s : servers) {
    if (!suspects.contains(s) && std::exchange(has_other, true)) continue;
    some.push_back(s);
  }
  return suspects.empty() ? servers : some;
}

/// A command that runs perftest from each of these servers to the next on these rails, one run at a
/// time, into files that diagnose reads: each NIC sends once and receives once. Empty: names of
/// NICs differ from server to server.
std::string rails_command(const Places& places, const std::vector<std::uint32_t>& servers,
                          const std::set<std::size_t>& rails) {
  if (servers.size() < 2 || servers.size() > 16) return {};
  std::vector<std::string> names;
  std::vector<std::string> devices;
  names.reserve(servers.size());
  for (const std::uint32_t s : servers) names.push_back(places.servers[s].name);
  for (const std::size_t rail : rails) {
    devices.push_back(device_of(places, servers.front(), rail));
    for (const std::uint32_t s : servers) {
      if (rail >= places.servers[s].nics.size()) return {};
      if (device_of(places, s, rail) != devices.back()) return {};
    }
  }
  return fmt::format(
      ":\n      `for d in {}; do a={}; for b in {}; do ssh -n $b timeout 60 ib_write_bw -d $d > "
      "/dev/null & sleep 2; ssh -n $a timeout 60 ib_write_bw -d $d $b > ib_write_bw-$a-$b-$d.txt; "
      "wait; a=$b; done; done`",
      fmt::join(devices, " "), names.back(), fmt::join(names, " "));
}

std::string servers_text(const Places& places, const std::vector<std::uint32_t>& servers) {
  std::vector<std::string> names;
  names.reserve(servers.size());
  for (const std::uint32_t s : servers) names.push_back(places.servers[s].name);
  return names_text(names);
}

std::string rails_text(const Places& places, const std::vector<std::uint32_t>& servers,
                       const std::set<std::size_t>& rails) {
  return fmt::format(
      "run `ib_write_bw` from each of {} to the next and from the last to the first, on "
      "{} {} (the NICs of that number, from 0 on): {} of some seconds, one after the "
      "other. Hand over the files, or a matrix for each rail{}",
      servers_text(places, servers), rails.size() == 1 ? "rail" : "rails", fmt::join(rails, ", "),
      counted(static_cast<std::int64_t>(servers.size() * rails.size()), "run"),
      rails_command(places, servers, rails));
}

/// perftest around the NICs of a rail, for each rail that is suspected and was not measured. A slow
/// NIC is in two runs, and one that pauses its switch in one.
Candidate rail_matrices(const Places& places, const std::vector<Fit>& fits,
                        const std::vector<std::uint32_t>& servers,
                        const std::set<std::uint32_t>& measured) {
  std::set<std::size_t> rails;
  for (const Fit& fit : fits) {
    for (const std::uint32_t s : servers) {
      const auto& own = places.servers[s].nics;
      for (std::size_t r = 0; r < own.size(); ++r) {
        const bool is_suspected = slowdown(fit, places, own[r], false) > 0.05;
        if (is_suspected && !measured.contains(own[r])) rails.insert(r);
      }
    }
  }
  Candidate candidate{rails_text(places, servers, rails), {}};
  for (const Fit& fit : fits) {
    std::vector<double> results;
    for (const std::uint32_t s : servers) {
      for (const std::uint32_t nic : places.servers[s].nics) {
        // One flow at a time meets no other. What was measured would be the same again.
        results.push_back(measured.contains(nic) ? 0 : slowdown(fit, places, nic, false));
      }
    }
    candidate.results.push_back(std::move(results));
  }
  return candidate;
}

/// The same call inside of one server.
Candidate one_server(const Places& places, const std::vector<Fit>& fits,
                     const std::vector<std::uint32_t>& servers) {
  const ServerPlace& server = places.servers[servers.front()];
  Candidate candidate{
      fmt::format(
          "run `NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH all_reduce_perf -b 1M -e 1G -f "
          "2 -g {}` on {} alone, and hand over all that it prints",
          server.hosts.size(), server.name),
      {}};
  for (const Fit& fit : fits) {
    const Hypothesis& h = fit.hypothesis;
    const bool is_inside = h.kind == CulpritKind::kChannels || h.kind == CulpritKind::kAlgorithm;
    candidate.results.push_back({is_inside ? of_library(h) : 0.0});
  }
  return candidate;
}

/// Pairs of hypotheses of different kinds whose results would differ by more than noise; then those
/// of one kind and different places, which count less.
double told_apart(const Candidate& candidate, const std::vector<Fit>& fits) {
  constexpr double kNoise = 0.10;
  double told = 0;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    for (std::size_t j = i + 1; j < fits.size(); ++j) {
      const auto& a = candidate.results[i];
      const auto& b = candidate.results[j];
      double highest = 0;
      for (std::size_t k = 0; k < a.size(); ++k) highest = std::max(highest, std::abs(a[k] - b[k]));
      if (highest <= kNoise) continue;
      told += fits[i].hypothesis.kind != fits[j].hypothesis.kind ? 1 : 0.01;
    }
  }
  return told;
}

/// One of each kind and, of its places, up to three. A NIC that pauses its switch is looked for
/// where slow ones are.
std::vector<Fit> representatives(const std::vector<Fit>& fits) {
  const bool has_slow_nics = std::ranges::any_of(
      fits, [](const Fit& fit) { return fit.hypothesis.kind == CulpritKind::kNic; });
  std::vector<Fit> some;
  for (const Fit& fit : fits) {
    if (has_slow_nics && fit.hypothesis.kind == CulpritKind::kStorm) continue;
    const auto same = [&fit](const Fit& f) { return f.hypothesis.kind == fit.hypothesis.kind; };
    if (std::ranges::count_if(some, same) < 3) some.push_back(fit);
  }
  return some;
}

/// Whether a curve is that of one server alone.
bool has_one_server(const EvidencePoints& evidence) {
  return std::ranges::any_of(evidence.curves, [](const Curve& curve) {
    return curve.call && !curve.is_matrix && curve.servers.size() == 1;
  });
}

/// Whether there are no kinds but these.
bool has_kinds(const std::vector<Fit>& fits, std::initializer_list<CulpritKind> kinds) {
  return std::ranges::all_of(fits, [kinds](const Fit& fit) {
    return std::ranges::find(kinds, fit.hypothesis.kind) != kinds.end();
  });
}

/// Whether all blame one NIC: it is slow, or it pauses its switch.
bool is_one_nic(const std::vector<Fit>& fits) {
  return has_kinds(fits, {CulpritKind::kNic, CulpritKind::kStorm}) &&
         std::ranges::all_of(fits, [&fits](const Fit& fit) {
           return fit.hypothesis.place == fits.front().hypothesis.place;
         });
}

/// What tells a kind from those whose times are the same; nullptr: a measurement does.
const char* sign_of(CulpritKind kind) {
  switch (kind) {
    case CulpritKind::kStorm:
      return "run `ib_write_bw` towards the NIC and from it, and read `ethtool -S` on it before "
             "and after: where `tx_prio3_pause` grows and only what arrives is slow, it pauses its "
             "switch";
    case CulpritKind::kMtu:
      return "read the line `Mtu` of perftest, or active_mtu of `ibv_devinfo`";
    case CulpritKind::kGpuDirect:
      return "send NCCL's log (NCCL_DEBUG=INFO): without GPU-direct its channels have no GDRDMA";
    case CulpritKind::kAlgorithm:
      return "send NCCL's log (NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,TUNING): it has what is "
             "set, and the algorithm of each call";
    case CulpritKind::kThresholds:
      return "read `np_ecn_marked_roce_packets` and `rp_cnp_handled` of the NICs before and after, "
             "and the thresholds of ECN of the switches";
    case CulpritKind::kLoss:
      return "read `out_of_sequence`, `packet_seq_err` and `local_ack_timeout_err` of the NICs and "
             "the drops of switch ports before and after";
    default:
      return nullptr;
  }
}

/// Empty: nothing tells them apart.
std::string what_to_read(const std::vector<Fit>& fits) {
  std::vector<std::string> signs;
  for (const Fit& fit : fits) {
    const char* sign = sign_of(fit.hypothesis.kind);
    if (sign == nullptr || std::ranges::find(signs, sign) != signs.end()) continue;
    signs.emplace_back(sign);
  }
  return fmt::format("{}", fmt::join(signs, "; "));
}

bool has_pairs(const EvidencePoints& evidence, bool of_wire) {
  return std::ranges::any_of(evidence.points, [of_wire](const Point& p) {
    return p.pair.has_value() && p.is_wire == of_wire;
  });
}

}  // namespace

std::string pairs_to_measure(const EvidencePoints& evidence, const Places& places) {
  const auto servers = servers_in(evidence);
  if (servers.size() < 3 || has_pairs(evidence, false)) return {};
  return pair_matrix_text(places, servers);
}

std::string where_nothing_explains(const Places& places, const EvidencePoints& evidence) {
  const auto servers = servers_in(evidence);
  if (servers.size() < 2) return {};
  std::string pairs = pairs_to_measure(evidence, places);
  if (!pairs.empty()) return pairs;
  const auto measured = measured_nics(places, evidence);
  std::set<std::size_t> rails;
  for (const std::uint32_t s : servers) {
    const auto& own = places.servers[s].nics;
    for (std::size_t r = 0; r < own.size(); ++r) {
      if (!measured.contains(own[r])) rails.insert(r);
    }
  }
  if (!rails.empty()) return rails_text(places, servers, rails);
  return "read the counters of NICs and switch ports before and after a slow run, and hand them "
         "over "
         "as well";
}

std::string next_measurement(const Places& places, const std::vector<Fit>& undecided,
                             const EvidencePoints& evidence) {
  const auto servers = servers_in(evidence);
  const std::vector<Fit> fits = representatives(undecided);
  if (fits.empty() || servers.empty()) return {};
  if (is_one_nic(undecided)) return what_to_read(undecided);
  std::string counters = what_to_read(undecided);
  if (has_kinds(fits, {CulpritKind::kAllNics, CulpritKind::kMtu})) {
    return "run `ib_write_bw` between two servers in GPU memory (`--use_cuda=0`) and in the "
           "host's, with `-q 1` and `-q 4`, and send NCCL's log (NCCL_DEBUG=INFO)" +
           (counters.empty() ? "" : "; " + counters);
  }
  if (fits.size() == 1) return counters;
  std::string commands =
      perftest_commands(places, undecided, servers, measured_nics(places, evidence));
  if (!commands.empty()) return commands;
  std::vector<Candidate> candidates;
  if (servers.size() > 2 && !has_pairs(evidence, false)) {
    candidates.push_back(pair_matrix(places, fits, servers));
  }
  candidates.push_back(rail_matrices(places, fits, suspected_servers(places, undecided, servers),
                                     measured_nics(places, evidence)));
  if (!has_one_server(evidence)) candidates.push_back(one_server(places, fits, servers));
  const auto told = [&fits](const Candidate& c) { return told_apart(c, fits); };
  const auto best = std::ranges::max_element(candidates, {}, told);
  if (told(*best) <= 0) return counters;
  const bool has_loss = std::ranges::any_of(
      undecided, [](const Fit& fit) { return fit.hypothesis.kind == CulpritKind::kLoss; });
  return best->text + (has_loss ? std::string("; ") + sign_of(CulpritKind::kLoss) : "");
}

}  // namespace weft::diagnose
