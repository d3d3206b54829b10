#include "tools/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>

#include "scenarios/format.hpp"

namespace weft::cli {
namespace {

std::atomic<bool> interrupted{false};

extern "C" void handle_interrupt(int signal_number) {
  interrupted.store(true);
  std::signal(signal_number, SIG_DFL);
}

}  // namespace

void stop_on_interrupt() {
  std::signal(SIGINT, handle_interrupt);
  std::signal(SIGTERM, handle_interrupt);
}

bool is_interrupted() { return interrupted.load(); }

ProgressLine::ProgressLine(bool is_wanted, const char* unit)
    : is_wanted_(is_wanted && ::isatty(STDERR_FILENO) == 1), unit_(unit) {}

ProgressLine::~ProgressLine() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::update(Picoseconds simulated, std::uint64_t count) {
  using namespace std::chrono_literals;
  if (!is_wanted_) return;
  const Clock::time_point now = Clock::now();
  if (now - begin_ < 2s || now - shown_at_ < 250ms) return;
  shown_at_ = now;
  is_shown_ = true;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const std::string line = fmt::format("\r\033[K{:.0f} s: simulated {}, {} {} ({:.3g} million/s)",
                                       seconds, scenarios::format_time(simulated),
                                       scenarios::format_count(static_cast<std::int64_t>(count)),
                                       unit_, static_cast<double>(count) / seconds * 1e-6);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace weft::cli
