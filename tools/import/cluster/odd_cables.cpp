#include "tools/import/cluster/odd_cables.hpp"

#include <string>
#include <utility>

#include "scenarios/checks/odd/cabling.hpp"
#include "simcore/base/escape.hpp"

namespace weft::import {
namespace {

scenarios::Cabling cabling_of(const Cluster& cluster) {
  scenarios::Cabling cabling;
  for (const ClusterServer& server : cluster.servers) {
    scenarios::Cabling::Server& own = cabling.servers.emplace_back();
    own.name = server.name;
    for (const ClusterNic& nic : server.nics) own.nics.push_back(nic.name);
  }
  for (const ClusterSwitch& one : cluster.switches) {
    cabling.switches.push_back({one.name, one.tier.value_or(0)});
  }
  const auto end = [](const ClusterEnd& one) {
    return scenarios::Cabling::End{one.is_server, one.device, one.nic};
  };
  for (const ClusterCable& cable : cluster.cables) {
    if (cable.a.is_server) cabling.switches[cable.b.device].tier = 1;
    cabling.cables.push_back({end(cable.a), end(cable.b),
                              cable.rate ? cable.rate->value : BitsPerSecond(),
                              cable.rate ? cable.rate->from : std::string()});
  }
  return cabling;
}

}  // namespace

void check_cabling(const Cluster& cluster, Remarks& remarks) {
  for (const scenarios::OddCable& odd : scenarios::find_odd_cables(cabling_of(cluster))) {
    std::string text = odd.text;
    if (!odd.cables.empty()) text += " (" + escaped(cluster.cables[odd.cables.front()].from) + ")";
    add_finding(remarks, {}, std::move(text));
  }
}

}  // namespace weft::import
