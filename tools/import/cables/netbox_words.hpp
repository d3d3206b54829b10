#pragma once

#include <string>
#include <string_view>

#include "tools/import/facts/cable.hpp"
#include "tools/import/parse/cable_list.hpp"

/// What NetBox's three forms (import CSV, table export, API) share.
namespace weft::import {

/// One cable of NetBox in its words, from whichever form.
struct NetboxCable {
  std::string_view device_a, port_a, kind_a;
  std::string_view device_b, port_b, kind_b;
  std::string_view type, status, length, length_unit;
  bool unit_is_apart = true;  ///< the table export has `3.0 Meters` in one cell
  std::string what;           ///< `row 14`, for messages
  SourceLocation where{};
};

/// Takes cables that are connected, and counts the others.
class NetboxCables {
 public:
  NetboxCables(Reading& reading, std::string_view unit)
      : reading_(reading), cables_(reading, unit) {}

  void add(const NetboxCable& cable);
  /// Says what was left out, and `64 cables`.
  [[nodiscard]] std::string finish();

 private:
  [[nodiscard]] bool takes_status(const NetboxCable& cable);
  [[nodiscard]] bool takes_kind(std::string_view kind, std::string_view device,
                                const NetboxCable& cable);
  [[nodiscard]] bool has_end(std::string_view side, std::string_view device, std::string_view port,
                             const NetboxCable& cable);
  void read_medium(const NetboxCable& from, Cable& to);
  void read_length(const NetboxCable& from, Cable& to);

  Reading& reading_;
  CableList cables_;
  std::size_t planned_ = 0;
  std::size_t decommissioning_ = 0;
  std::size_t other_kinds_ = 0;
};

}  // namespace weft::import
