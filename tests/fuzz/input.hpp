#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::testing {

/// What one input of the fuzzer holds: files that belong together and overrides. As text: sections,
/// each behind a line `%NAME`; what stands before the first is the scenario.
struct FuzzInput {
  /// What it tests beside the scenario; the first that it has, from the last one on.
  enum class Kind : std::uint8_t { kScenario, kMessages, kCatalogue, kSweep };

  std::string scenario;
  std::string sweep;                   ///< empty: the scenario itself is read
  std::vector<std::string> overrides;  ///< `%set`, one a line
  std::string messages;                ///< beside the scenario, as messages.csv
  /// `%servers`, `%switches` ...: a user's catalogue, texts by kind of part.
  std::vector<std::pair<std::string, std::string>> catalogue;

  [[nodiscard]] static FuzzInput parse(std::string_view text);
  [[nodiscard]] Kind kind() const;
};

}  // namespace weft::testing
