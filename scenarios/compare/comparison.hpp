#pragma once

#include <string>
#include <vector>

#include "scenarios/compare/run_folder.hpp"

namespace weft::scenarios {

/// Two runs side by side, such as the packet and the fluid engine's of one scenario. Ratios are the
/// second run's over the first's.
struct Comparison {
  struct Row {
    std::string name;
    std::string type;
    std::optional<double> first;  ///< seconds; nothing: not in this run, or not finished
    std::optional<double> second;
  };
  struct MessagePair {
    std::uint32_t job = 0;  ///< of the first run
    std::uint32_t source_rank = 0;
    std::uint32_t destination_rank = 0;
    std::uint64_t bytes = 0;
    double first = 0;  ///< seconds to completion
    double second = 0;
  };

  std::vector<Row> jobs;         ///< by name, those of the first run first; the worst ratio first
  std::vector<Row> completions;  ///< percentiles over the messages that both runs completed
  std::vector<MessagePair> worst_messages;
  std::uint64_t paired = 0;    ///< messages that both runs completed
  std::uint64_t unpaired = 0;  ///< messages that only one of them completed
  std::vector<std::string> notes;
};

/// Messages belong together by job, ranks and their number among those. At most `limit` of them are
/// named, the most different first.
[[nodiscard]] Comparison compare_runs(const RunFolder& first, const RunFolder& second,
                                      std::size_t limit = 10);

/// The tables that `weft compare` prints.
[[nodiscard]] std::string comparison_text(const RunFolder& first, const RunFolder& second,
                                          const Comparison& comparison);

}  // namespace weft::scenarios
