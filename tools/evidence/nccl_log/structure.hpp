#pragma once

#include <string_view>

#include "tools/evidence/nccl_log/members.hpp"

namespace weft::evidence {

/// A line about channels, rings, paths and NICs of a communicator; false: it is another one.
bool read_structure(const LogLine& line, const SourceLocation& where, Members& members);

/// Whether NCCL's topo.h has path type `a` behind `b`, which may be empty.
[[nodiscard]] bool is_longer_path(std::string_view a, std::string_view b);

/// The tables of costs that rank 0 prints where it tunes itself. Their columns have names of their
/// own, in one line or in two.
class CostTable {
 public:
  /// False: it is no line of such a table.
  bool read(const LogLine& line, Members& members);

 private:
  using Cells = std::vector<std::string_view>;
  using Column = std::pair<std::string, std::string>;  ///< algorithm, protocol

  bool read_names(std::string_view process, const Cells& line);

  std::map<std::string, std::vector<Column>, std::less<>> columns_;  ///< by process
  std::map<std::string, std::vector<std::string>, std::less<>> algorithms_;
};

/// `nvls-tree` of `NVLS_TREE` and `NVLSTree`.
[[nodiscard]] std::string algorithm_name(std::string_view name);

}  // namespace weft::evidence
