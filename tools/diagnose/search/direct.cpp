#include "tools/diagnose/search/direct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simcore/text/counted.hpp"
#include "tools/diagnose/catalogue/hypotheses.hpp"
#include "tools/diagnose/model/matching.hpp"

namespace weft::diagnose {
namespace {

using evidence::HostNetwork;

/// What NCCL says of one run: NCCL_DEBUG_FILE writes a file for each process, so that the lines of
/// a communicator stand in many.
struct RunNetwork {
  std::map<std::string, HostNetwork> hosts;  ///< those that have lines
  std::size_t nodes = 0;
  std::set<std::uint32_t> ranks;  ///< that have lines
  std::size_t all_ranks = 0;
  bool has_network = false;
};

void join(const HostNetwork& more, HostNetwork& all) {
  all.direct += more.direct;
  all.through += more.through;
  all.nics.insert(more.nics.begin(), more.nics.end());
  if (more.sockets) all.sockets = all.sockets.value_or(false) || *more.sockets;
  if (more.gpu_direct) all.gpu_direct = all.gpu_direct.value_or(true) && *more.gpu_direct;
  // One process with a path beyond the host bridge suffices.
  if (all.worst_path.empty() || more.worst_path == "SYS") all.worst_path = more.worst_path;
}

std::vector<RunNetwork> runs_of(const std::vector<evidence::NcclLog>& logs) {
  std::vector<RunNetwork> all;
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> known;
  for (const evidence::NcclLog& log : logs) {
    const auto [at, is_new] = known.emplace(std::pair(log.id, log.on.ranks), all.size());
    if (is_new) all.emplace_back();
    RunNetwork& run = all[at->second];
    for (const auto& [host, network] : log.networks) join(network, run.hosts[host]);
    run.nodes = std::max({run.nodes, std::size_t{log.nodes}, run.hosts.size()});
    for (const evidence::NcclRank& rank : log.seen) run.ranks.insert(rank.rank);
    run.all_ranks = log.on.ranks;
    run.has_network |= run.nodes > 1 || !log.nets.empty();
  }
  return all;
}

/// It sends or receives, and not all of it with GPU-direct.
bool lacks_direct(const HostNetwork& host) {
  return host.through > 0 || (host.direct == 0 && host.gpu_direct == false);
}

/// As the cluster calls it.
std::string server_name(const Places& places, const std::string& host) {
  const auto server = places.server_named(host);
  return server ? places.servers[*server].name : host;
}

struct Finding {
  Culprit culprit;
  /// Most servers of the same run have it not: a fault, whatever else is wrong.
  bool singles_out = false;
};

class DirectFindings {
 public:
  explicit DirectFindings(const Places& places) : places_(places) {}

  [[nodiscard]] std::vector<Finding> take() { return std::move(all_); }

  void add(const RunNetwork& run) {
    if (!run.has_network) return;
    const auto uses_sockets = [](const HostNetwork& h) { return h.sockets.value_or(false); };
    find(run, "sockets", uses_sockets, "{} has NET/Socket: TCP instead of RDMA");
    find(
        run, "gpu-direct-off",
        [&](const HostNetwork& h) { return lacks_direct(h) && !uses_sockets(h); },
        "{} has no GDRDMA: data pass through host memory");
    find(
        run, "nic-affinity", [](const HostNetwork& h) { return h.worst_path == "SYS"; },
        "{} has paths beyond the host bridge (SYS): a GPU uses a NIC of the other socket");
    add_fewer_nics(run);
  }

 private:
  /// `meant` gets what the finding is said of: NCCL's log, or NCCL's log of some servers. Those
  /// that are the fewer ones of a run are a finding each. Returns how many there are.
  template <class IsSo>
  std::size_t find(const RunNetwork& run, const char* kind, IsSo is_so, std::string_view meant) {
    std::vector<std::string> hosts;
    for (const auto& [host, network] : run.hosts) {
      if (is_so(network)) hosts.push_back(host);
    }
    if (hosts.empty()) return 0;
    const std::size_t others = run.hosts.size() - hosts.size();
    const bool singles_out = hosts.size() <= others;
    if (singles_out || hosts.size() == 1) {
      for (const std::string& host : hosts) {
        add_one(run, kind, host, meant);
        all_.back().singles_out = singles_out;
        if (!singles_out) continue;
        all_.back().culprit.confidence = 0.95;
        all_.back().culprit.evidence.push_back(
            "its log is as it should be of " +
            counted(static_cast<std::int64_t>(others), "other server"));
      }
      return hosts.size();
    }
    std::vector<std::string> servers;
    servers.reserve(hosts.size());
    for (const std::string& host : hosts) servers.push_back(server_name(places_, host));
    const bool is_everywhere =
        others == 0 && run.nodes == run.hosts.size() && run.ranks.size() == run.all_ranks;
    const std::string of = is_everywhere ? "NCCL's log" : "NCCL's log of " + names_text(servers);
    all_.push_back(
        {.culprit = {
             .kind = kind, .confidence = 0.8, .why = fmt::format(fmt::runtime(meant), of)}});
    return 1;
  }

  void add_one(const RunNetwork& run, const char* kind, const std::string& host,
               std::string_view meant) {
    const std::string server = server_name(places_, host);
    Culprit found{.kind = kind,
                  .places = {server},
                  .confidence = 0.8,
                  .why = fmt::format(fmt::runtime(meant), "NCCL's log of " + server)};
    const HostNetwork& network = run.hosts.find(host)->second;
    if (found.kind == name_of(CulpritKind::kGpuDirect) && network.through > 0) {
      found.evidence.push_back(
          fmt::format("{} of {} sends and receives of its channels are without GDRDMA",
                      network.through, network.through + network.direct));
    }
    all_.push_back({.culprit = std::move(found)});
  }

  void add_fewer_nics(const RunNetwork& run) {
    std::size_t own = 0;
    for (const ServerPlace& server : places_.servers) own = std::max(own, server.nics.size());
    std::size_t fewest = own;
    for (const auto& [host, network] : run.hosts) {
      if (!network.nics.empty()) fewest = std::min(fewest, network.nics.size());
    }
    const std::size_t found = find(
        run, "fewer-nics",
        [own](const HostNetwork& h) { return !h.nics.empty() && h.nics.size() < own; },
        "{} has fewer NICs than a server: NCCL_IB_HCA, or NICs that are down");
    for (std::size_t i = all_.size() - found; i < all_.size(); ++i) {
      all_[i].culprit.why += fmt::format(" ({} of {})", fewest, own);
      all_[i].culprit.value = static_cast<double>(fewest) / static_cast<double>(own);
    }
  }

  const Places& places_;
  std::vector<Finding> all_;
};

std::vector<Finding> findings_of(const Places& places, const evidence::Measurements& measured) {
  DirectFindings found(places);
  for (const RunNetwork& run : runs_of(measured.nccl_logs)) found.add(run);
  std::vector<Finding> all = found.take();
  for (const evidence::Remark& remark : measured.remarks) {
    if (remark.severity != import::Severity::kFinding) continue;
    all.push_back({.culprit = {.kind = "log", .confidence = 0.5, .why = remark.to_string()}});
  }
  return all;
}

/// Whether a cause that times suggest may be the finding: of the whole cluster, or of its servers.
bool may_be(const Places& places, const Culprit& cause, const Culprit& finding) {
  if (cause.places.empty() || cause.places.size() > 2) return true;
  return std::ranges::any_of(cause.places, [&](const std::string& place) {
    return std::ranges::any_of(finding.places, [&](const std::string& server) {
      const auto number = places.server_named(server);
      if (place == server) return true;
      return number && std::ranges::any_of(places.servers[*number].nics, [&](std::uint32_t nic) {
               return places.nics[nic].name == place;
             });
    });
  });
}

/// Some servers differ from the others: that is wrong, and is mended before times are looked at.
void put_first(const Places& places, std::vector<Culprit> findings, Diagnosis& diagnosis) {
  if (findings.empty()) return;
  std::vector<std::string> kinds;
  const auto is_one = [&](const Culprit& cause) {
    const auto same = std::ranges::find_if(
        findings, [&](const Culprit& finding) { return may_be(places, cause, finding); });
    if (same == findings.end()) return false;
    if (cause.kind != same->kind) {
      kinds.push_back(cause.kind);
    } else {
      same->explained = cause.explained;
    }
    return true;
  };
  std::erase_if(diagnosis.culprits, is_one);
  std::erase_if(diagnosis.undecided, is_one);
  std::vector<std::string> servers;
  for (const Culprit& finding : findings) say_once(servers, finding.places.front());
  diagnosis.culprits.insert(diagnosis.culprits.begin(), findings.begin(), findings.end());
  diagnosis.nothing_explains_it = false;
  diagnosis.next_measurement = fmt::format("mend it on {}, and measure again", names_text(servers));
  if (kinds.empty()) return;
  diagnosis.next_measurement +=
      fmt::format(": by times alone it could be {} as well", names_text(kinds));
}

/// What NCCL says of itself names what `all-nics` can be. Beside causes that cannot be told apart
/// nothing is a culprit.
void join_finding(const Culprit& finding, Diagnosis& diagnosis) {
  const auto add_evidence = [&finding](Culprit& culprit) {
    culprit.evidence.push_back(finding.why);
    culprit.evidence.insert(culprit.evidence.end(), finding.evidence.begin(),
                            finding.evidence.end());
  };
  const auto known = std::ranges::find(diagnosis.culprits, finding.kind, &Culprit::kind);
  if (known != diagnosis.culprits.end()) return add_evidence(*known);
  if (diagnosis.undecided.empty()) {
    diagnosis.culprits.push_back(finding);
    return;
  }
  const auto same = std::ranges::find(diagnosis.undecided, finding.kind, &Culprit::kind);
  if (same != diagnosis.undecided.end() && finding.kind != "log") {
    add_evidence(*same);
    std::rotate(diagnosis.undecided.begin(), same, same + 1);
    return;
  }
  const bool is_possible =
      finding.kind != "log" && std::ranges::any_of(diagnosis.undecided, [](const Culprit& c) {
        return c.kind == name_of(CulpritKind::kAllNics) ||
               c.kind == name_of(CulpritKind::kGpuDirect);
      });
  if (!is_possible) {
    diagnosis.undecided.push_back(finding);
    return;
  }
  Culprit named = finding;
  named.explained = diagnosis.undecided.front().explained;
  diagnosis.undecided.insert(diagnosis.undecided.begin(), std::move(named));
}

}  // namespace

void join_direct(const Places& places, const evidence::Measurements& measured,
                 Diagnosis& diagnosis) {
  std::vector<Culprit> of_some;
  for (Finding& found : findings_of(places, measured)) {
    if (found.singles_out) {
      of_some.push_back(std::move(found.culprit));
    } else {
      join_finding(found.culprit, diagnosis);
    }
  }
  put_first(places, std::move(of_some), diagnosis);
}

}  // namespace weft::diagnose
