#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "simcore/base/units.hpp"
#include "tools/import/source/remark.hpp"

namespace weft::import {

/// A port, as the file that names it writes it: an interface, or its alias.
struct PortName {
  std::string device;  ///< empty: the device that the file was taken from, which it does not name
  std::string port;
  /// LLDP sends what the operating system of the port's device calls it, which may be an alias that
  /// only the settings of that device resolve.
  bool may_be_alias = false;

  auto operator<=>(const PortName&) const = default;
  [[nodiscard]] std::string to_string() const { return device + " " + port; }
};

/// How a file knows its cables. Where files differ, what is seen wins over what is planned.
enum class Knowledge : std::uint8_t {
  kSeen,        ///< the devices heard each other: LLDP, ibnetdiscover
  kConfigured,  ///< a device is told its neighbour: SONiC's DEVICE_NEIGHBOR
  kDocumented,  ///< somebody wrote it down: NetBox, spreadsheets, planners
};

/// One cable, as one file says it.
struct Cable {
  PortName a;
  PortName b;
  std::optional<Stated<BitsPerSecond>> rate;
  std::optional<Stated<Millimetres>> length;
  std::optional<Stated<std::string>> medium;  ///< `copper` or `fibre`
  std::optional<Stated<BitsPerSecond>>
      full_rate;  ///< that both ends could run at, where it is more
  /// What the device of `b` says of its port in words that somebody chose. It is no name of a port,
  /// but often points back at `a`: `leaf01:Ethernet256`.
  std::optional<std::string> note;
  Knowledge known_by = Knowledge::kDocumented;
  SourceLocation where{};
};

}  // namespace weft::import
