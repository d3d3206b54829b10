#include "tools/sweep/run/progress_line.hpp"

#include <fmt/format.h>

#include <unistd.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "scenarios/text/format.hpp"

namespace weft::sweep {
namespace {

std::string duration_text(double seconds) {
  const std::int64_t whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3'600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3'600, whole % 3'600 / 60);
}

}  // namespace

SweepProgressLine::SweepProgressLine(bool is_wanted)
    : is_wanted_(is_wanted && ::isatty(STDERR_FILENO) == 1) {}

SweepProgressLine::~SweepProgressLine() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

void SweepProgressLine::update(const Progress& p) {
  using namespace std::chrono_literals;
  if (!is_wanted_) return;
  const Clock::time_point now = Clock::now();
  if (now - begin_ < 2s || now - shown_at_ < 250ms) return;
  shown_at_ = now;
  is_shown_ = true;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = static_cast<double>(p.ran) / seconds;
  std::string line = fmt::format("\r\033[K{} of {} points, {:.3g}/s",
                                 scenarios::format_count(static_cast<std::int64_t>(p.recorded)),
                                 scenarios::format_count(static_cast<std::int64_t>(p.total)), rate);
  if (p.failed > 0) line += fmt::format(", {} failed", p.failed);
  if (p.ran > 0) {
    line += ", " + duration_text(static_cast<double>(p.total - p.recorded) / rate) + " left";
  }
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace weft::sweep
