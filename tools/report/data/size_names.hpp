#pragma once

#include <array>

#include "simcore/messages/size_class.hpp"

namespace weft::report {

/// What the page calls the size classes of messages.
inline constexpr std::array<const char*, kSizeClasses> kSizeNames{
    "up to 4 KiB", "up to 64 KiB", "up to 1 MiB", "up to 16 MiB", "over 16 MiB"};

}  // namespace weft::report
