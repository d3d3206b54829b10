#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/evidence/measurements.hpp"
#include "tools/import/source/input_file.hpp"

namespace weft::evidence {

/// A line `host:pid:tid [device] NCCL INFO text`, behind whatever launchers put before it.
struct LogLine {
  std::size_t number = 0;  ///< from 1
  std::string_view host{};
  std::string_view process{};  ///< `host:pid`
  std::string_view thread{};   ///< `host:pid:tid`
  bool is_warning = false;     ///< NCCL WARN
  std::string_view text{};
};

/// All lines of NCCL in a file. Where processes wrote into the line of another one, what is whole
/// is taken, and the rest is left out and said.
[[nodiscard]] std::vector<LogLine> read_log_lines(const import::InputFile& file, Remarks& remarks);

}  // namespace weft::evidence
