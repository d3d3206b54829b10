#pragma once

#include <string>
#include <utility>
#include <vector>

#include "protocols/config/switch_config.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"

/// Settings as texts that are equal where the settings are.
namespace weft::scenarios {

/// `393,192 B`.
[[nodiscard]] std::string bytes_text(Bytes bytes);
[[nodiscard]] std::string watchdog_text(const protocols::PfcWatchdogConfig& watchdog);

/// What a class is at a port: names of settings, and their values.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> values_of(
    const protocols::TrafficClass& traffic_class, const Port& port);

/// When an ingress port pauses its peer at the latest: with all of the shared buffer free but for
/// what the port holds itself.
[[nodiscard]] Bytes latest_xoff(const protocols::PfcConfig& pfc, Bytes shared);

}  // namespace weft::scenarios
