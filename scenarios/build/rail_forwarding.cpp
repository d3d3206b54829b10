#include "scenarios/build/rail_forwarding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "scenarios/checks/limits/limits.hpp"

namespace weft::scenarios {
namespace {

/// The hosts of a domain on a rail, ascending.
class RailHosts {
 public:
  explicit RailHosts(const Fabric& fabric) : fabric_(fabric) {
    for (std::size_t i = 0; i < fabric.hosts.size(); ++i) {
      const HostId host(i);
      if (fabric.host(host).rail >= 0) hosts_[place_of(host)].push_back(host);
    }
  }

  [[nodiscard]] bool has_domain_on_two_rails() const {
    const auto same_domain = [](const auto& a, const auto& b) {
      return a.first.first >= 0 && a.first.first == b.first.first;
    };
    return std::ranges::adjacent_find(hosts_, same_domain) != hosts_.end();
  }

  [[nodiscard]] std::vector<HostId> relays(HostId from, HostId to) const {
    const Node& a = fabric_.host(from);
    const Node& b = fabric_.host(to);
    if (a.domain < 0 || a.domain == b.domain || a.rail < 0 || b.rail < 0 || a.rail == b.rail) {
      return {};
    }
    const auto found = hosts_.find({a.domain, b.rail});
    if (found == hosts_.end()) return {};
    std::vector<HostId> relays = found->second;
    const std::vector<HostId>& siblings = hosts_.at(place_of(to));
    const auto place = std::ranges::lower_bound(siblings, to) - siblings.begin();
    std::rotate(relays.begin(), relays.begin() + place % std::ssize(relays), relays.end());
    return relays;
  }

 private:
  using Place = std::pair<std::int32_t, std::int32_t>;  ///< domain and rail
  [[nodiscard]] Place place_of(HostId host) const {
    return {fabric_.host(host).domain, fabric_.host(host).rail};
  }

  const Fabric& fabric_;
  std::map<Place, std::vector<HostId>> hosts_;
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
