#include "tools/import/parse/pcie.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "simcore/text/quoted.hpp"
#include "tools/import/parse/quantities.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

struct KnownNic {
  std::uint64_t vendor;
  std::uint64_t device;
  std::string_view part;
};
constexpr std::array<KnownNic, 8> kKnownNics{{{0x15b3, 0x1017, "connectx-5"},
                                              {0x15b3, 0x1019, "connectx-5"},
                                              {0x15b3, 0x101b, "connectx-6"},
                                              {0x15b3, 0x101d, "connectx-6-dx"},
                                              {0x15b3, 0x1021, "connectx-7"},
                                              {0x15b3, 0x1023, "connectx-8"},
                                              {0x15b3, 0xa2d6, "bluefield-2"},
                                              {0x15b3, 0xa2dc, "bluefield-3"}}};

/// No GPU has more NVLinks (NVLink 4 and 5).
constexpr std::size_t kMaxNvlinks = 18;

}  // namespace

std::optional<std::string> nic_part(std::string_view vendor, std::string_view device) {
  const auto vendor_id = parse_hex(vendor);
  const auto device_id = parse_hex(device);
  for (const KnownNic& known : kKnownNics) {
    if (vendor_id == known.vendor && device_id == known.device) return std::string(known.part);
  }
  return std::nullopt;
}

bool is_bus_id(std::string_view text) {
  const std::size_t point = text.rfind('.');
  if (point == std::string_view::npos || point + 1 >= text.size()) return false;
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
  if (second == std::string_view::npos || second > point) return false;
  const auto is_hex = [](std::string_view part, std::size_t low, std::size_t high) {
    return part.size() >= low && part.size() <= high && std::ranges::all_of(part, [](char c) {
             return std::isxdigit(static_cast<unsigned char>(c)) != 0;
           });
  };
  return is_hex(text.substr(0, first), 4, 8) &&
         is_hex(text.substr(first + 1, second - first - 1), 2, 2) &&
         is_hex(text.substr(second + 1, point - second - 1), 2, 2) &&
         is_hex(text.substr(point + 1), 1, 1);
}

void find_slow_slots(Reading& reading, Server& server) {
  // Likes are NICs of one part and rate: a slow NIC for management is none.
  std::map<std::pair<std::string, std::int64_t>, BitsPerSecond> fastest;
  const auto kind_of = [](const ServerNic& nic) {
    return std::pair(nic.part.value_or(""), nic.rate ? nic.rate->value.count() : 0);
  };
  for (const ServerNic& nic : server.nics) {
    if (nic.pcie) fastest[kind_of(nic)] = std::max(fastest[kind_of(nic)], nic.pcie->value);
  }
  for (ServerNic& nic : server.nics) {
    if (!nic.pcie || nic.pcie->value >= fastest[kind_of(nic)]) continue;
    nic.full_pcie = Stated<BitsPerSecond>{fastest[kind_of(nic)], nic.pcie->where};
    const std::string of_rate = nic.rate ? " of " + rate_text(nic.rate->value) : "";
    reading.finding(
        nic.pcie->where,
        fmt::format("NIC {}: its PCIe link carries {}{}, that of its likes {}: it was trained with "
                    "fewer lanes or slower",
                    backquoted(nic.name), rate_text(nic.pcie->value), of_rate,
                    rate_text(nic.full_pcie->value)));
  }
}

bool needs_nvswitch(std::size_t peers, std::uint32_t links) { return peers * links > kMaxNvlinks; }

std::string server_contents(const Server& server) {
  return fmt::format("{}, {}, {}", counted(server.sockets, "socket"),
                     counted(server.gpus.size(), "GPU"), counted(server.nics.size(), "NIC"));
}

}  // namespace weft::import
