#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// The names of a hostlist such as `gpu[01-04,07],login1`, or what is wrong with it. More than
/// `limit` names are refused before they are made.
[[nodiscard]] std::variant<std::vector<std::string>, std::string> expand_hostlist(
    std::string_view text, std::size_t limit);

/// Slurm's topology.conf, of its plugins tree and block.
[[nodiscard]] std::optional<std::string_view> recognise_slurm_topology(const InputFile& file);
void read_slurm_topology(const InputFile& file, Description& description);

}  // namespace weft::import
