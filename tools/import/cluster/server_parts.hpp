#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simcore/base/units.hpp"
#include "tools/import/facts/server.hpp"

namespace weft::import {

/// The part of the catalogue that a server with these GPUs and NVSwitches is; empty: none of them.
[[nodiscard]] std::string_view part_of(const Server& server);

/// The part that is likeliest where GPUs and their NVLinks are known, but not which GPUs they are;
/// `rate`: of its NICs. Empty: none of them.
[[nodiscard]] std::string_view likely_part(const Server& server, std::optional<BitsPerSecond> rate);

/// The part that is likeliest where nothing but the NICs is known; empty: nothing is likely.
[[nodiscard]] std::string_view likely_part(std::size_t nics, std::optional<BitsPerSecond> rate);

/// GPUs and NICs of a part that `part_of` or `likely_part` gives.
[[nodiscard]] std::uint32_t gpus_of(std::string_view part);
[[nodiscard]] std::uint32_t nics_of(std::string_view part);
[[nodiscard]] std::string_view nic_of(std::string_view part);

/// Of one NIC of such a server; 400 Gb/s where the part is not known.
[[nodiscard]] BitsPerSecond nic_rate_of(std::string_view part);

/// Of a NIC of the catalogue; 0: not known.
[[nodiscard]] BitsPerSecond nic_part_rate(std::string_view nic);

/// The NIC of the catalogue that runs at this rate, with one port.
[[nodiscard]] std::string_view nic_of_rate(BitsPerSecond rate);

}  // namespace weft::import
