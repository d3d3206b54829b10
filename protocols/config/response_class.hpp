#pragma once

#include <cstdint>
#include <string>

#include "protocols/config/switch_config.hpp"

namespace weft::protocols {

/// The class of highest priority outside of scale-up domains.
[[nodiscard]] std::uint8_t highest_class(const SwitchConfig& switches);

/// The number of the class that responses travel in: `name` is that of a class, kSameClass or
/// kHighestClass, and `of_data` the class of what they answer.
[[nodiscard]] std::uint8_t response_class(const SwitchConfig& switches, const std::string& name,
                                          std::uint8_t of_data);

}  // namespace weft::protocols
