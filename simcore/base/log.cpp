#include "simcore/base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <memory>
#include <utility>

#include "simcore/base/escape.hpp"

namespace weft {
namespace {

constexpr std::array<std::pair<std::string_view, LogLevel>, 5> kNames{{
    {"off", LogLevel::kOff},
    {"error", LogLevel::kError},
    {"warn", LogLevel::kWarn},
    {"info", LogLevel::kInfo},
    {"debug", LogLevel::kDebug},
}};

/// A logger of our own, not spdlog's default one: that writes to stdout, where results go.
spdlog::logger& logger() {
  static const std::unique_ptr<spdlog::logger> instance = [] {
    auto made = std::make_unique<spdlog::logger>(
        "weft", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("%n: %^%l%$: %v");
    made->set_level(spdlog::level::warn);
    return made;
  }();
  return *instance;
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view name) {
  for (const auto& [known, level] : kNames) {
    if (known == name) return level;
  }
  return std::nullopt;
}

void set_log_level(LogLevel level) {
  switch (level) {
    case LogLevel::kOff:
      return logger().set_level(spdlog::level::off);
    case LogLevel::kError:
      return logger().set_level(spdlog::level::err);
    case LogLevel::kWarn:
      return logger().set_level(spdlog::level::warn);
    case LogLevel::kInfo:
      return logger().set_level(spdlog::level::info);
    case LogLevel::kDebug:
      return logger().set_level(spdlog::level::debug);
  }
}

LogLevel log_level() {
  switch (logger().level()) {
    case spdlog::level::off:
      return LogLevel::kOff;
    case spdlog::level::err:
      return LogLevel::kError;
    case spdlog::level::warn:
      return LogLevel::kWarn;
    case spdlog::level::info:
      return LogLevel::kInfo;
    default:
      return LogLevel::kDebug;
  }
}

void log_error(std::string_view message) { logger().error("{}", escaped(message)); }
void log_warn(std::string_view message) { logger().warn("{}", escaped(message)); }
void log_info(std::string_view message) { logger().info("{}", escaped(message)); }
void log_debug(std::string_view message) { logger().debug("{}", escaped(message)); }

}  // namespace weft
