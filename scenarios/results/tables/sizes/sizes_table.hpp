#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/results/message_statistics.hpp"
#include "scenarios/results/table.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

struct JobResult;

/// The messages of a job whose sizes are in one class.
struct SizeResult {
  std::uint32_t job = 0;
  std::uint32_t number = 1;  ///< of the class, by rising size
  Bytes above;               ///< messages are larger
  Bytes up_to;               ///< and no larger
  std::uint64_t messages = 0;
  std::uint64_t completed = 0;
  // Of completed messages, where there are any:
  std::optional<Percentiles> seconds;   ///< from begin to completion
  std::optional<Percentiles> slowdown;  ///< the same, over zero-load times
};

struct SizeRow {
  const JobResult& job;
  const SizeResult& size;
};

/// sizes.csv
struct SizesTable {
  std::vector<SizeResult> sizes;  ///< by job and class; of jobs that have classes

  [[nodiscard]] static const Table<SizeRow>& declaration();
};

}  // namespace weft::scenarios
