#include "scenarios/build/rail_forwarding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "scenarios/checks/limits/limits.hpp"

namespace weft::scenarios {
namespace {

/// The hosts of a domain on a rail, ascending.
class RailHosts {
 public:
  explicit RailHosts(const Fabric& fabric) : fabric_(fabric), index_(fabric.hosts.size()) {
    for (std::size_t i = 0; i < fabric.hosts.size(); ++i) {
      const HostId host(i);
      const Node& node = fabric.host(host);
      if (node.rail < 0) continue;
      const auto domain = static_cast<std::size_t>(node.domain + 1);
      const auto rail = static_cast<std::size_t>(node.rail);
      if (hosts_.size() <= domain) hosts_.resize(domain + 1);
      if (hosts_[domain].size() <= rail) hosts_[domain].resize(rail + 1);
      index_[i] = hosts_[domain][rail].size();
      hosts_[domain][rail].push_back(host);
    }
  }

  [[nodiscard]] bool has_domain_on_two_rails() const {
    const auto has_hosts = [](const std::vector<HostId>& hosts) { return !hosts.empty(); };
    for (std::size_t domain = 1; domain < hosts_.size(); ++domain) {
      if (std::ranges::count_if(hosts_[domain], has_hosts) > 1) return true;
    }
    return false;
  }

  /// What comes from one server goes by its host on the receiver's rail: where it has several
  /// there, by that of the receiver's place among the hosts of its own server and rail.
  [[nodiscard]] collectives::Workload::RelayHosts relays(HostId from, HostId to) const {
    const Node& a = fabric_.host(from);
    const Node& b = fabric_.host(to);
    if (a.domain < 0 || a.domain == b.domain || a.rail < 0 || b.rail < 0 || a.rail == b.rail) {
      return {};
    }
    const auto& rails = hosts_[static_cast<std::size_t>(a.domain + 1)];
    const auto rail = static_cast<std::size_t>(b.rail);
    if (rail >= rails.size() || rails[rail].empty()) return {};
    return {rails[rail], index_[to.value()] % rails[rail].size()};
  }

 private:
  const Fabric& fabric_;
  std::vector<std::vector<std::vector<HostId>>> hosts_;  ///< by domain, from -1 on, and rail
  std::vector<std::size_t> index_;                       ///< by HostId: in its list
};

}  // namespace

Errors forward_by_rail(const Scenario& scenario, const Fabric& fabric,
                       collectives::Workload& workload) {
  if (!scenario.pxn.enabled) return {};
  const RailHosts rails(fabric);
  if (scenario.scale_up.empty() || !rails.has_domain_on_two_rails()) {
    return {
        Error{"forwards inside scale-up domains from rail to rail, and no domain of this fabric "
              "has GPUs on two rails; leave it out, or take servers with GPUs, such as "
              "hgx-h100, on a rail-optimised fabric",
              {.key = "pxn"}}};
  }
  workload.relay([&rails](HostId from, HostId to) { return rails.relays(from, to); },
                 scenario.pxn.chunk);
  return {};
}

Errors check_forwarded(const collectives::Workload& workload, const Traffic& traffic) {
  const double messages = traffic.of_iterations;
  if (workload.relays().empty() || messages <= kMaxMessagesAtOnce) return {};
  return {
      Error{fmt::format("makes {:.3g} messages at once, counting every chunk on both legs; a run "
                        "can follow at most {:.3g}: choose larger chunks",
                        messages, kMaxMessagesAtOnce),
            {.key = "pxn.chunk"}}};
}

}  // namespace weft::scenarios
