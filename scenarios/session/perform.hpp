#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "scenarios/run/simulation.hpp"
#include "scenarios/session/run_record.hpp"
#include "scenarios/session/session.hpp"
#include "simcore/base/result.hpp"

/// A run from a session to its record, for who does not want to end with it.
namespace weft::scenarios {

/// Why there is no record.
struct Failure {
  enum class Kind : std::uint8_t {
    kScenario,  ///< what was asked for is wrong
    kRun,       ///< it could not be done here: memory, files, processes
    kMemory,    ///< there was none left
    kDefect,    ///< of weft
  };
  Kind kind = Kind::kRun;
  Errors errors;
};

struct RunRequest {
  std::uint32_t threads = 0;                 ///< 0: as many as gain
  bool is_fluid = false;                     ///< by the fluid engine; once in a process
  bool is_isolated = false;                  ///< each job runs alone, too
  std::optional<bool> keeps_messages;        ///< as a table; absent: as messages.csv is written
  std::optional<std::int64_t> memory_limit;  ///< bytes; absent: what the machine has left
  std::filesystem::path folder;              ///< of the results; empty: none is written
  std::string version;                       ///< of weft
  Invocation invocation;
};

/// Runs it. Nothing that goes wrong in it, on whatever thread, ends the process.
[[nodiscard]] std::variant<RunRecord, Failure> perform(Session& session, const RunRequest& request,
                                                       const ProgressObserver& observer);

/// What `work` throws, as a failure; nothing: it ended by itself. Broken invariants and whatever
/// nobody expects are defects.
[[nodiscard]] std::optional<Failure> failure_of(const std::function<void()>& work);

}  // namespace weft::scenarios
