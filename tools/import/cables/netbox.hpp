#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// NetBox's CSV for importing cables.
[[nodiscard]] std::optional<std::string_view> recognise_netbox_csv(const InputFile& file);
void read_netbox_csv(const InputFile& file, Description& description);

/// What the button "Export" writes of the table of cables.
[[nodiscard]] std::optional<std::string_view> recognise_netbox_table(const InputFile& file);
void read_netbox_table(const InputFile& file, Description& description);

/// GET /api/dcim/cables/: one page, or a list of all.
[[nodiscard]] std::optional<std::string_view> recognise_netbox_api(const InputFile& file);
void read_netbox_api(const InputFile& file, Description& description);

}  // namespace weft::import
