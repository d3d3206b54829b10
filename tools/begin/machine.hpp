#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"

namespace weft::begin {

/// What a first scenario has to know of a server of the catalogue.
struct Machine {
  std::string name;
  std::string gpu;          ///< the part's name; empty: the catalogue names none
  std::uint32_t gpus = 0;   ///< 0: of a server without
  std::uint32_t nics = 1;   ///< 0: nothing joins it to another
  std::uint32_t rails = 0;  ///< 0: one for each NIC
  std::uint32_t ports = 1;  ///< of a NIC
  BitsPerSecond rate;       ///< of a port of a NIC

  /// Each can be a rank: a GPU, or a NIC where there are no GPUs.
  [[nodiscard]] std::uint32_t hosts() const { return gpus > 0 ? gpus : nics; }
  [[nodiscard]] bool has_rails() const { return nics > 1; }
  [[nodiscard]] std::uint32_t nics_per_rail() const {
    return rails > 0 ? std::max(nics / rails, 1U) : 1U;
  }
};

/// Errors: no such server, or one that cannot be simulated yet, with the reason.
[[nodiscard]] Result<Machine> find_machine(const std::string& name);

}  // namespace weft::begin
