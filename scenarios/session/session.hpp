#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/checks/forecast.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/output/run_files.hpp"
#include "scenarios/results/results.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios {

/// Rows of messages.csv that are written, or kept, without being asked for: some hundred megabytes.
/// Where more are asked for, the file is packed.
inline constexpr int kMessagesListed = 1'000'000;

/// A scenario that is ready to run: read, built, and what the run will take.
struct Session {
  LoadedScenario source;
  Experiment experiment;
  Forecast forecast = {};
  bool lists_messages = true;   ///< has a row for each message
  bool packs_messages = false;  ///< into messages.csv.zst
};

/// Builds what a run needs. Errors name file, line and column.
[[nodiscard]] Result<Session> open_session(LoadedScenario source);

/// Why a run does not fit into memory, and what to do about it; empty: it does. `limit`: bytes of
/// private memory, as the option or argument `limit_name` sets it; absent: what the machine has
/// left.
[[nodiscard]] std::string memory_excess(const Forecast& forecast,
                                        const std::optional<std::int64_t>& limit,
                                        std::string_view limit_name);

/// Which files of a run grow while it runs.
[[nodiscard]] RunFiles::Kinds kinds_of_files(const Session& session, bool has_packets);

/// Adds to the results of a run what no engine knows: who asked for it, and what it was made of.
void complete(Results& results, const Session& session, Invocation invocation,
              std::string_view version);

}  // namespace weft::scenarios
