#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// Messages to the person at the terminal, on stderr. For set-up and tear-down only: nothing inside
/// the simulation loop logs (results and traces have their own ways out). The level belongs to the
/// process, as stderr does.
namespace weft {

enum class LogLevel : std::uint8_t { kOff, kError, kWarn, kInfo, kDebug };

/// What `--log` accepts, for messages about it.
inline constexpr std::string_view kLogLevelNames = "off, error, warn, info, debug";

/// The level of this name, if there is one.
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view name);

/// Shows messages of `level` and graver ones. A process starts with kWarn.
void set_log_level(LogLevel level);
[[nodiscard]] LogLevel log_level();

void log_error(std::string_view message);
void log_warn(std::string_view message);
void log_info(std::string_view message);
void log_debug(std::string_view message);

}  // namespace weft
