#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "tools/import/facts/format.hpp"

namespace weft::import {

inline constexpr std::array kNetboxCsvNeeded{"side_a_device", "side_a_name", "side_b_device",
                                             "side_b_name"};
inline constexpr std::array kNetboxCsvKnown{
    "side_a_type", "side_b_type", "side_a_site", "side_b_site", "type",
    "status",      "tenant",      "label",       "color",       "length",
    "length_unit", "description", "comments",    "tags",        "id"};
inline constexpr std::array kNetboxTableNeeded{"Device A", "Termination A", "Device B",
                                               "Termination B"};
inline constexpr std::array kNetboxTableKnown{
    "ID",           "Label",      "Status",      "Type",     "Length",  "Color",        "Tenant",
    "Tenant Group", "Tags",       "Description", "Comments", "Created", "Last updated", "Rack A",
    "Rack B",       "Location A", "Location B",  "Site A",   "Site B"};

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
