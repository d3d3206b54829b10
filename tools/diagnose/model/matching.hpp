#pragma once

#include <cstdint>
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
};

/// Servers by the names of their hosts; where the cluster knows none of them, in their order, which
/// is said in `remarks`. Errors: it is another machine.
[[nodiscard]] Result<std::vector<std::uint32_t>> matched_servers(
    const Places& places, const std::vector<std::string>& hosts, const std::string& what,
    std::vector<std::string>& remarks);

[[nodiscard]] Result<MatchedRanks> matched_ranks(const Places& places,
                                                 const evidence::MeasuredOn& on,
                                                 const std::string& what,
                                                 std::vector<std::string>& remarks);

/// Adds a remark once.
void say_once(std::vector<std::string>& remarks, std::string remark);

}  // namespace weft::diagnose
