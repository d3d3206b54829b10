#include "tools/import/cables/cable_formats.hpp"

#include <array>

#include "tools/import/cables/dot.hpp"
#include "tools/import/cables/dsx_air.hpp"
#include "tools/import/cables/generic_csv.hpp"
#include "tools/import/cables/lldp.hpp"
#include "tools/import/cables/netbox.hpp"

namespace weft::import {

std::span<const Format> cable_formats() {
  static constexpr std::array kFormats{
      Format{"netbox-csv",
             "NetBox cables CSV",
             "the CSV that NetBox imports cables from",
             recognise_netbox_csv,
             read_netbox_csv,
             {kNetboxCsvNeeded, kNetboxCsvKnown}},
      Format{"netbox-table",
             "NetBox table of cables",
             "NetBox, Cables, Export, Current View",
             recognise_netbox_table,
             read_netbox_table,
             {kNetboxTableNeeded, kNetboxTableKnown}},
      Format{"netbox-api", "NetBox API, cables", "GET /api/dcim/cables/?limit=0",
             recognise_netbox_api, read_netbox_api},
      Format{"lldpctl", "lldpctl JSON", "lldpctl -f json", recognise_lldpctl, read_lldpctl},
      Format{"lldp-table", "SONiC show lldp table", "show lldp table", recognise_lldp_table,
             read_lldp_table},
      Format{"dsx-air", "DSX Air JSON", "the topology file of DSX Air", recognise_dsx_air,
             read_dsx_air},
      Format{"dot", "DOT", "the cabling plan of PTM or Cumulus", recognise_dot, read_dot},
      Format{
          "cables-csv",
          "cables CSV",
          "a table with the columns from, from_port, to, to_port, rate, length, medium",
          recognise_generic_csv,
          read_generic_csv,
          {kGenericCsvNeeded, kGenericCsvKnown,
           "titles such as Source Device, Port B, Speed, length_m or Cable Type stand for them"}}};
  return kFormats;
}

}  // namespace weft::import
