#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::cli {

/// A number as it was printed: within `unit` of what it stands for, one in its last digit.
struct Printed {
  double value = 0;
  double unit = 0;
};

/// What nccl-tests says of one size, which checks itself: size / time is algbw. Out of place, but
/// for one time.
struct MeasuredRow {
  int line = 0;
  std::int64_t size = 0;        ///< bytes: the larger of what a rank sends and receives
  std::int64_t count = 0;       ///< elements: of the whole, or of a rank's part
  std::int64_t element = 4;     ///< bytes
  std::string kind;             ///< type, redop and root, as far as they are printed
  std::string redop;            ///< empty: not printed
  Printed time_us;              ///< microseconds
  Printed algorithm_bandwidth;  ///< GB/s
  Printed bus_bandwidth;        ///< GB/s
  Printed in_place_us;          ///< microseconds; 0: not printed, or not so that it checks
  bool has_wrong_data = false;  ///< it counts elements that came out wrong, in or out of place

  /// Parts of `count` elements in the size: the ranks, where each has a part of it. 0: the count is
  /// not of this size.
  [[nodiscard]] std::int64_t parts() const;
};

/// The words of a line of output, without what launchers put before and into it: `[1,0]<stdout>:`,
/// `[0]` (also within a row), colours. Labels and time stamps stay; rows do not begin at a column.
[[nodiscard]] std::vector<std::string> words_of(std::string_view line);

/// Whether the words are meant as a row: a size, a count and a type one after the other.
[[nodiscard]] bool looks_like_row(const std::vector<std::string>& words);

/// Reads a row, whose times are in parts of `us_per_time` microseconds. Columns are found by what
/// is in them, as redop and root are blank in old versions. Else what is wrong with it.
[[nodiscard]] std::string read_row(const std::vector<std::string>& words, double us_per_time,
                                   MeasuredRow& row);

}  // namespace weft::cli
