#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/result.hpp"

namespace weft::cli {

/// A row of what nccl-tests printed: out of place.
struct MeasuredRow {
  std::int64_t size = 0;  ///< bytes, as nccl-tests counts them
  double time_us = 0;
  double bus_bandwidth = 0;  ///< GB/s
};

struct Measured {
  std::vector<MeasuredRow> rows;
  std::string operation;  ///< that its program is for; empty: the output does not name it
};

/// Lines that are neither comments nor rows, such as NCCL's own, are passed over; of several rows
/// of one size (`-N`, several ranks that print) the last counts. Errors name the file.
[[nodiscard]] Result<Measured> parse_nccl_tests(std::string_view text, const std::string& file);

}  // namespace weft::cli
