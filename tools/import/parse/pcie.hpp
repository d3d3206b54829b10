#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/import/facts/server.hpp"
#include "tools/import/parse/reading.hpp"

namespace weft::import {

/// A NIC of the catalogue, such as `connectx-7`, by its PCI vendor and device; nothing: not known.
[[nodiscard]] std::optional<std::string> nic_part(std::string_view vendor, std::string_view device);

/// Whether a text is the address of a PCI device: `0000:1b:00.0`.
[[nodiscard]] bool is_bus_id(std::string_view text);

/// Finds NICs whose slots are slower than those of their likes in the same server.
void find_slow_slots(Reading& reading, Server& server);

/// Whether GPUs that send to each other `links` NVLinks each must have switches between them: no
/// GPU has as many links as `peers` direct neighbours would take.
[[nodiscard]] bool needs_nvswitch(std::size_t peers, std::uint32_t links);

/// `2 sockets, 8 GPUs, 8 NICs`
[[nodiscard]] std::string server_contents(const Server& server);

}  // namespace weft::import
