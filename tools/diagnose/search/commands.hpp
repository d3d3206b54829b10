#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tools/diagnose/model/places.hpp"
#include "tools/diagnose/search/search.hpp"

namespace weft::diagnose {

/// `mlx5_1` of `n01/mlx5_1`; of a NIC whose name has no server, its number.
[[nodiscard]] std::string device_of(const Places& places, std::uint32_t server, std::size_t rail);

/// Commands of perftest, with the names of their files, that tell apart what one server can be slow
/// by, or which of two NICs it is. Empty: more than that is undecided.
[[nodiscard]] std::string perftest_commands(const Places& places, const std::vector<Fit>& undecided,
                                            const std::vector<std::uint32_t>& servers,
                                            const std::set<std::uint32_t>& measured);

}  // namespace weft::diagnose
