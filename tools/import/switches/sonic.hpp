#pragma once

#include "tools/import/facts/format.hpp"

namespace weft::import {

/// SONiC's configuration: /etc/sonic/config_db.json, or what `sonic-cfggen -d --print-data` prints.
[[nodiscard]] Format sonic_format();

}  // namespace weft::import
