#pragma once

#include <cstdint>
#include <string>

#include "protocols/config/switch_config.hpp"

namespace weft::protocols {

/// The class of highest priority outside of scale-up domains.
[[nodiscard]] ClassId highest_class(const SwitchConfig& switches);

/// The number of the class that responses travel in: `name` is that of a class, kSameClass or
/// kHighestClass, and `of_data` the class of what they answer.
[[nodiscard]] ClassId response_class(const SwitchConfig& switches, const std::string& name,
                                     ClassId of_data);

}  // namespace weft::protocols
