#include "tools/import/switches/switch_formats.hpp"

#include <vector>

#include "tools/import/switches/pasted_formats.hpp"
#include "tools/import/switches/sonic.hpp"

namespace weft::import {

std::span<const Format> switch_formats() {
  static const std::vector<Format> all{sonic_format(), cumulus_format(), cumulus_show_format(),
                                       eos_format(), nxos_format()};
  return all;
}

}  // namespace weft::import
