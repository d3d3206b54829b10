#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/diagnose/model/places.hpp"
#include "tools/evidence/measurements.hpp"

namespace weft::diagnose {

/// Servers of the cluster that a measurement ran on, and its ranks.
struct MatchedRanks {
  std::vector<std::uint32_t> servers;
  std::vector<std::uint32_t> hosts;  ///< HostIds by rank
  /// Nobody says on which servers of the cluster it ran: the first ones are taken.
  bool is_guess = false;
};

/// Servers that stand for hosts whose names the cluster does not know.
using ServersInOrder = std::map<std::string, std::uint32_t, std::less<>>;

/// One server for each of `hosts` that the cluster does not know, in natural order, so that a host
/// is the same server in all logs. Empty: there are more of them than servers.
[[nodiscard]] ServersInOrder servers_in_order(const Places& places, std::vector<std::string> hosts);

/// Servers by the names of their hosts; where the cluster knows none of them, `in_order`, which
/// is said in `remarks`. Errors: it is another machine.
[[nodiscard]] Result<std::vector<std::uint32_t>> matched_servers(
    const Places& places, const ServersInOrder& in_order, const std::vector<std::string>& hosts,
    const std::string& what, std::vector<std::string>& remarks);

[[nodiscard]] Result<MatchedRanks> matched_ranks(const Places& places,
                                                 const ServersInOrder& in_order,
                                                 const evidence::MeasuredOn& on,
                                                 const std::string& what,
                                                 std::vector<std::string>& remarks);

/// All names of hosts, as the logs have them.
[[nodiscard]] std::vector<std::string> hosts_of(const std::vector<evidence::Series>& series,
                                                const std::vector<evidence::PairSeries>& pairs);

/// `gpu01, gpu02 and gpu03`; of many how many more there are. At least one.
[[nodiscard]] std::string names_text(const std::vector<std::string>& names);

/// Those of `some` that are among `others`, too.
[[nodiscard]] std::vector<std::string> common_names(const std::vector<std::string>& some,
                                                    const std::vector<std::string>& others);

/// Adds a remark once.
void say_once(std::vector<std::string>& remarks, std::string remark);

}  // namespace weft::diagnose
