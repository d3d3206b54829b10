#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// `lldpctl -f json` and `-f json0` of lldpd: the neighbours of one host or switch.
[[nodiscard]] std::optional<std::string_view> recognise_lldpctl(const InputFile& file);
void read_lldpctl(const InputFile& file, Description& description);

/// `show lldp table` of SONiC: the neighbours of one switch.
[[nodiscard]] std::optional<std::string_view> recognise_lldp_table(const InputFile& file);
void read_lldp_table(const InputFile& file, Description& description);

}  // namespace weft::import
