#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/import/source/remark.hpp"

namespace weft::import {

enum class DeviceKind : std::uint8_t { kServer, kSwitch };

/// What a file says of a server or a switch besides its cables.
struct Device {
  std::string name;
  std::optional<DeviceKind> kind;
  std::optional<std::uint32_t> tier;  ///< of a switch: 1 where servers are attached
  std::optional<std::string> part;    ///< of the catalogue, such as `quantum-2`
  SourceLocation where{};
};

/// Where a scheduler believes a server to be: under which of its switches or blocks.
struct Placement {
  std::string node;
  std::string group;
  bool is_block = false;  ///< a scale-up domain, not a switch
  SourceLocation where{};
};

/// One switch above others, as a scheduler has it: all switches of a tier are often one.
struct SwitchParent {
  std::string child;
  std::string parent;
  SourceLocation where{};
};

}  // namespace weft::import
