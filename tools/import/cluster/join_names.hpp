#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/cluster/cluster.hpp"
#include "tools/import/source/natural_order.hpp"

namespace weft::import {

/// The one of these names that differs from `name` in case at most; null: none.
[[nodiscard]] const std::string* name_in_any_case(const std::set<std::string, NaturalOrder>& names,
                                                  std::string_view name);

/// The longest of these names that a file is called after: `gpu01` of `nccl-topo-gpu01.xml`; null:
/// none.
[[nodiscard]] const std::string* named_after(const std::string& file,
                                             const std::set<std::string, NaturalOrder>& names);

/// Names of devices and ports as everybody else has them, whatever their case is. A device that a
/// file was taken from and does not name is found by the name of the file; aliases of ports are
/// resolved by the settings of their switch. Returns the switches whose aliases no file resolves,
/// so that their ports are those of another file: a swap of two of them is not seen.
std::set<std::string, NaturalOrder> resolve_names(Description& description);

/// `10.0.0.1` or a MAC address: what a device is called where nobody named it.
[[nodiscard]] bool is_address(std::string_view name);

/// Which devices are servers, and which switches. A device that cannot be told is an error.
class DeviceKinds {
 public:
  DeviceKinds(Description& description, const JoinOptions& options);

  [[nodiscard]] bool is_server(const std::string& name) const { return servers_.contains(name); }
  [[nodiscard]] const std::set<std::string, NaturalOrder>& servers() const { return servers_; }
  [[nodiscard]] const std::set<std::string, NaturalOrder>& switches() const { return switches_; }

 private:
  void take_what_files_say(const Description& description);
  void take_what_ports_say(const Description& description);
  void complain(Description& description, const std::set<std::string, NaturalOrder>& all) const;

  std::set<std::string, NaturalOrder> servers_;
  std::set<std::string, NaturalOrder> switches_;
};

/// The PCI bus of an interface whose name says it, as `enp24s0np0` does (systemd's predictable
/// names); nothing: it does not.
[[nodiscard]] std::optional<std::uint32_t> bus_of_interface(std::string_view interface);

/// The PCI bus of an address such as `0000:18:00.0`.
[[nodiscard]] std::optional<std::uint32_t> bus_of_address(std::string_view address);

}  // namespace weft::import
