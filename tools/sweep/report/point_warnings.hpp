#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/sweep/report/table.hpp"

namespace weft::sweep {

/// What points were warned of: a run that ended well may still show what it should not, such as
/// drops of a lossless class.
struct PointWarnings {
  struct Sentence {
    std::string text;
    std::size_t points = 0;  ///< that have it
    const Table::Row* first = nullptr;
  };

  std::size_t points = 0;           ///< with any warning
  std::vector<Sentence> sentences;  ///< in the order of the points
};

[[nodiscard]] PointWarnings warnings_of(const Table& table);

/// At most `limit` of them, a line each: `point 3 (kmin=1KB): ...`, and how many more there are.
[[nodiscard]] std::vector<std::string> warning_lines(const Table& table,
                                                     const PointWarnings& warnings,
                                                     std::size_t limit);

}  // namespace weft::sweep
