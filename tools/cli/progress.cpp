#include "tools/cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <utility>

#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"
#include "tools/io/millions.hpp"
#include "tools/live/display.hpp"

namespace weft::cli {
namespace {

std::atomic<bool> interrupted{false};

/// By signal: it came before.
std::array<std::atomic<bool>, 64> seen{};

extern "C" void handle_interrupt(int signal_number) {
  interrupted.store(true);
  if (!seen[static_cast<std::size_t>(signal_number)].exchange(true)) return;
  live::leave_screen();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

/// What remains if the rest goes as fast as what is done.
std::string time_left(double seconds, double done) {
  const double left = seconds * (1 - std::min(done, 1.0)) / done;
  if (left < 100) return fmt::format("{:.0f} s", left);
  if (left < 6'000) return fmt::format("{:.0f} min", left / 60);
  return fmt::format("{:.1f} h", left / 3'600);
}

/// As much as fits into one line of the terminal: a longer one could not be taken back.
std::string fit(const std::string& line) {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return line;
  return line.substr(0, size.ws_col - 1U);
}

}  // namespace

void stop_on_interrupt() {
  std::signal(SIGINT, handle_interrupt);
  std::signal(SIGTERM, handle_interrupt);
  // The terminal is gone; under nohup that is nothing to us.
  if (std::signal(SIGHUP, handle_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

bool is_interrupted() { return interrupted.load(); }

ProgressLine::ProgressLine(bool is_wanted, const char* unit, std::string title)
    : is_wanted_(is_wanted && ::isatty(STDERR_FILENO) == 1),
      unit_(unit),
      title_(title.empty() ? std::move(title) : std::move(title) + ", ") {
  if (is_wanted_) ticker_ = std::jthread([this](const std::stop_token& stop) { tick(stop); });
}

ProgressLine::~ProgressLine() {
  if (ticker_.joinable()) {
    ticker_.request_stop();
    ticker_.join();
  }
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::enter(const std::string& stage) {
  const std::scoped_lock lock(mutex_);
  stage_ = stage;
}

/// While no updates come.
void ProgressLine::tick(const std::stop_token& stop) {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, 500ms, [] { return false; });
    const Clock::time_point now = Clock::now();
    if (stage_.empty() || now - begin_ < 2s || stop.stop_requested()) continue;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    show(fmt::format("{}{:.0f} s: {}", title_, seconds, stage_), now);
  }
}

void ProgressLine::show(const std::string& line, Clock::time_point now) {
  shown_at_ = now;
  is_shown_ = true;
  std::fprintf(stderr, "\r\033[K%s", fit(escaped(line)).c_str());
  std::fflush(stderr);
}

void ProgressLine::update(const scenarios::Progress& progress) {
  using namespace std::chrono_literals;
  if (!is_wanted_) return;
  const std::scoped_lock lock(mutex_);
  stage_ = progress.stage;
  if (!stage_.empty()) return;
  const Clock::time_point now = Clock::now();
  if (now - begin_ < 2s || now - shown_at_ < 250ms) return;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double since =
      std::chrono::duration<double>(now - (is_shown_ ? shown_at_ : begin_)).count();
  // Counters begin again after a warm-up.
  const std::uint64_t fresh = progress.count < count_ ? progress.count : progress.count - count_;
  const double rate = static_cast<double>(fresh) / since;
  count_ = progress.count;
  std::string line =
      fmt::format("{}{:.0f} s: simulated {}, {} million {}/s", title_, seconds,
                  scenarios::format_time(progress.now), format_millions(rate), unit_);
  if (progress.done && *progress.done > 0) {
    line += fmt::format(", {:.0f} %", 100 * *progress.done);
    if (progress.stall.empty()) line += ", " + time_left(seconds, *progress.done) + " left";
  }
  if (progress.in_flight > 0) {
    line += fmt::format(", {} packets in flight",
                        scenarios::format_count(static_cast<std::int64_t>(progress.in_flight)));
  }
  if (!progress.stall.empty()) line += "; " + progress.stall;
  show(line, now);
}

}  // namespace weft::cli
