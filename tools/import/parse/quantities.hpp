#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "simcore/base/units.hpp"

/// Rates and lengths as operators write them. Units are part of the grammar; what no port runs at
/// is an error, with what may be meant.
namespace weft::import {

template <class T>
using OrProblem = std::variant<T, std::string>;

/// `400G`, `400Gbps`, `400 Gb/s`, `400GbE`, `400GBASE-DR4`.
[[nodiscard]] OrProblem<BitsPerSecond> parse_port_rate(std::string_view text);

/// Whether that is a unit of rates or of lengths, in whatever case.
[[nodiscard]] bool is_rate_unit(std::string_view unit);
[[nodiscard]] bool is_length_unit(std::string_view unit);

/// A count of Mb/s without unit, as sysfs, NCCL and SONiC have it.
[[nodiscard]] OrProblem<BitsPerSecond> port_rate_of_mbps(std::string_view text);

/// `3m`, `2.5 m`, `10ft`: a number with one of `length_units`.
[[nodiscard]] OrProblem<Millimetres> parse_cable_length(std::string_view text);

/// The same with the unit apart.
[[nodiscard]] OrProblem<Millimetres> parse_cable_length(std::string_view number,
                                                        std::string_view unit);

/// `400 Gb/s`
[[nodiscard]] std::string rate_text(BitsPerSecond rate);

/// What a PCIe link carries of payload in one direction: its lanes without line code, packets of
/// 256 bytes with 26 of headers and framing (PCI Express Base 5.0, 4.2 and 2.2).
[[nodiscard]] BitsPerSecond pcie_payload(double gigatransfers, std::uint32_t lanes);

}  // namespace weft::import
