#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/sweep/language/sweep.hpp"

namespace weft::sweep {

/// How the values of a plot's axis are written.
struct AxisScale {
  double divisor = 1;
  std::string unit;  ///< `us`, `KB`, `Gbps`, or nothing
  bool is_log = false;

  [[nodiscard]] std::string label(const std::string& name) const {
    return unit.empty() ? name : name + " (" + unit + ")";
  }
  [[nodiscard]] std::string text(double value) const;
};

/// Chosen from the values, in SI units. `unit` is `s`, `B`, `B/s`, `bit/s`, `m` or nothing.
[[nodiscard]] AxisScale scale_of(const std::vector<double>& values, const std::string& unit);

/// Whether positive values are spaced by ratio rather than by difference.
[[nodiscard]] bool is_geometric(const std::vector<double>& ascending);

}  // namespace weft::sweep
