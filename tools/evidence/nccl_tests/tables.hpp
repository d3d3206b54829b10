#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/evidence/nccl_tests/row.hpp"
#include "tools/import/source/input_file.hpp"

namespace weft::evidence {

/// What one run of a program of nccl-tests printed.
struct MeasuredTable {
  int line = 0;           ///< of its first row
  std::string operation;  ///< that the program is for; empty: it is not named
  std::string version;    ///< of nccl-tests; empty: not said
  std::string nccl_version;
  RowLayout layout;
  std::vector<MeasuredRow> rows;
  Errors problems;                  ///< rows that cannot be read, or do not check
  std::vector<MeasuredRow> narrow;  ///< rows of fewer words than the header has columns
  std::set<std::uint32_t> devices;  ///< ranks of its list of devices
  std::set<std::string> hosts;      ///< of that list
  std::map<std::uint32_t, std::string> rank_hosts;
  std::map<std::uint32_t, std::uint32_t> rank_groups;
  bool repeats_ranks = false;      ///< its list of devices has a rank twice
  std::string gpu;                 ///< the first of them; empty: there is no list
  std::uint32_t communicator = 0;  ///< the most ranks that NCCL's own lines name; 0: none
  bool has_failed = false;         ///< says itself that data came out wrong
  bool has_end = false;            ///< the lines that a whole run prints last
  Error failure;                   ///< the line in which a run says that it failed
  int reduced_line = 0;            ///< where it says that memory did not suffice; 0: it did
};

inline constexpr const char* kCpuTime =
    "times are those of the CPU (nccl-tests -C 1), which no simulation has";
inline constexpr const char* kWrongData =
    "counts elements that came out wrong: its time is that of a broken run";

/// The operation whose program a line names; of lines that name several, none.
[[nodiscard]] std::string operation_in(std::string_view line);

/// All that an output says, in order: tables, and runs without a row if they failed. Lines that are
/// neither comments nor rows, such as NCCL's own, are passed over. What `-J` wrote is read as well;
/// the errors are those of its form.
[[nodiscard]] Result<std::vector<MeasuredTable>> read_nccl_tests(const import::InputFile& file);

/// The tables that can be compared row by row; at least one. Errors name file and line: rows that
/// cannot be read, that do not check against themselves, or of data that came out wrong.
[[nodiscard]] Result<std::vector<MeasuredTable>> parse_nccl_tests(const import::InputFile& file);

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

}  // namespace weft::evidence
