#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/report/data/table_reader.hpp"

namespace weft::report {

/// A message worth a look: one of the slowest.
struct TailMessage {
  std::string job;
  std::uint32_t source_rank = 0;
  std::uint32_t destination_rank = 0;
  std::uint32_t source_host = 0;
  std::uint32_t destination_host = 0;
  double bytes = 0;
  double start = 0;  ///< seconds
  double time = 0;   ///< seconds from posting to completion
  double slowdown = 0;
};

struct MessageData {
  /// Quantiles of completion times and slowdowns by job and size class.
  Json distributions;
  std::vector<TailMessage> tail;  ///< the most slowed down first
};

/// Reads messages.csv once; its memory depends on the number of jobs alone. Times are within 0.8 %
/// but for the least and the greatest, which are exact.
[[nodiscard]] Result<MessageData> read_messages(const std::filesystem::path& folder,
                                                std::size_t tail);

}  // namespace weft::report
