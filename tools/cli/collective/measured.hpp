#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/cli/collective/nccl_tests_row.hpp"

namespace weft::cli {

/// What one run of a program of nccl-tests printed.
struct MeasuredTable {
  int line = 0;           ///< of its first row
  std::string operation;  ///< that the program is for; empty: it is not named
  std::vector<MeasuredRow> rows;
  std::set<std::uint32_t> devices;  ///< ranks of its list of devices
  std::set<std::string> hosts;      ///< of that list
  std::string gpu;                  ///< the first of them; empty: there is no list
  std::uint32_t communicator = 0;   ///< the most ranks that NCCL's own lines name; 0: none
  bool has_failed = false;          ///< says itself that data came out wrong
};

inline constexpr const char* kCpuTime =
    "times are those of the CPU (nccl-tests -C 1), which no simulation has";
inline constexpr const char* kWrongData =
    "counts elements that came out wrong: its time is that of a broken run";

/// The operation whose program a line names; of lines that name several, none.
[[nodiscard]] std::string operation_in(std::string_view line);

/// The tables of an output, in order; at least one. Lines that are neither comments nor rows, such
/// as NCCL's own, are passed over. What `-J` wrote is read as well. Errors name file and line: rows
/// that cannot be read, or that do not check against themselves.
[[nodiscard]] Result<std::vector<MeasuredTable>> parse_nccl_tests(std::string_view text,
                                                                  const std::string& file);

/// Removes rows that are not wanted; says which, and why.
void keep(MeasuredTable& table, const std::function<bool(const MeasuredRow&)>& is_wanted,
          const std::string& why, std::vector<std::string>& said);

/// Removes rows of other types, reductions and roots than the first one; says which.
void keep_first_kind(MeasuredTable& table, std::vector<std::string>& said);

/// Removes rows of no bytes, and of sizes that an earlier row has; says which.
void keep_first_of_size(MeasuredTable& table, std::vector<std::string>& said);

/// The operation that a file is named after, such as `all-gather` of `h100-allgather.log`; empty:
/// none.
[[nodiscard]] std::string operation_of_file(const std::string& file);

}  // namespace weft::cli
