#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::evidence {

/// A number as it was printed: within `unit` of what it stands for, one in its last digit.
struct Printed {
  double value = 0;
  double unit = 0;
};

/// The columns of a table as its header names them. Positions count from the first time.
struct RowLayout {
  int line = 0;            ///< of the header; 0: none, columns are found by what is in them
  std::size_t fields = 0;  ///< words of a row, from size on
  bool has_redop = false;
  bool has_root = false;
  std::size_t wrong = 3;     ///< `#wrong`; 0: none, or the deviation of versions before 2.12
  std::size_t in_place = 4;  ///< the second time; 0: none
  double us_per_time = 1;
  bool is_cpu_time = false;
  bool is_of_2017 = false;
};

/// What nccl-tests says of one size, which checks itself: size / time is algbw. Out of place, but
/// for one time.
struct MeasuredRow {
  int line = 0;
  std::int64_t size = 0;     ///< bytes: the larger of what a rank sends and receives
  std::int64_t count = 0;    ///< elements: of the whole, or of a rank's part
  std::int64_t element = 4;  ///< bytes
  std::string type;
  std::string redop;  ///< empty: not printed
  std::optional<std::int32_t> root;
  std::string kind;             ///< type, redop and root, as far as they are printed
  Printed time_us;              ///< microseconds
  Printed algorithm_bandwidth;  ///< GB/s
  Printed bus_bandwidth;        ///< GB/s
  Printed in_place_us;          ///< microseconds; 0: not printed, or not so that it checks
  Printed in_place_algorithm_bandwidth;
  Printed in_place_bus_bandwidth;
  std::string in_place_problem;  ///< why numbers in place cannot be used; empty: they can, or none
  bool has_wrong_data = false;   ///< it counts elements that came out wrong, in or out of place
  bool is_incomplete = false;    ///< has fewer words than its header
  std::size_t fields = 0;

  /// Parts of `count` elements in the size: the ranks, where each has a part of it. 0: the count is
  /// not of this size.
  [[nodiscard]] std::int64_t parts() const;
};

/// The words of a line of output, without what launchers put before and into it: `[1,0]<stdout>:`,
/// `[0]` (also within a row). Labels and time stamps stay; rows do not begin at a column.
[[nodiscard]] std::vector<std::string> words_of(std::string_view line);

/// The columns that a line names: `# size count type redop root time algbw busbw #wrong ...`.
[[nodiscard]] std::optional<RowLayout> read_header(const std::vector<std::string>& words);

/// Whether the words are meant as a row: a size, a count and a type one after the other.
[[nodiscard]] bool looks_like_row(const std::vector<std::string>& words);

/// Reads a row. The header decides about columns. Without one, and where redop and root are blank,
/// as in old versions, they are found by what is in them. Else what is wrong with it.
[[nodiscard]] std::string read_row(const std::vector<std::string>& words, const RowLayout& layout,
                                   MeasuredRow& row);

}  // namespace weft::evidence
