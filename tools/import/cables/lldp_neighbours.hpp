#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tools/import/parse/cable_list.hpp"

namespace weft::import {

/// One neighbour, as LLDP has it.
struct LldpNeighbour {
  std::string_view local_port;
  std::string_view device;
  bool is_nameless = false;  ///< `device` is a MAC: firmware of a NIC has answered
  std::string_view port_id;
  bool is_interface_name = false;  ///< the sender says that its port id is a name
  std::string_view description;
  bool is_bridge = false;
  bool is_router = false;
  bool is_station = false;  ///< it says that it is nothing else
  SourceLocation where{};
};

/// Makes cables and devices of neighbours of one device, which the file does not name.
class LldpNeighbours {
 public:
  explicit LldpNeighbours(Reading& reading) : reading_(reading), cables_(reading, "line") {}

  void add(const LldpNeighbour& neighbour);
  /// Adds the devices, and says what was found: `8 neighbours`.
  [[nodiscard]] std::string finish();

 private:
  Reading& reading_;
  CableList cables_;
  std::map<std::string, Device> devices_;
};

}  // namespace weft::import
