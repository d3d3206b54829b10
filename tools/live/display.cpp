#include "tools/live/display.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "simcore/base/escape.hpp"
#include "simcore/base/module.hpp"
#include "tools/io/terminal.hpp"

namespace weft::live {
namespace {

using namespace std::chrono_literals;

constexpr auto kScreenPeriod = 250ms;
constexpr auto kLinePeriod = 5s;
constexpr std::array kDeadly{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGQUIT};

/// What a signal handler needs to leave the screen: no more than bytes and descriptors.
struct Leaving {
  int terminal = -1;  ///< where standard error went before
  int kept = -1;      ///< where it goes while the screen is up
  termios state{};
  std::array<char, 512> text{};
  std::size_t length = 0;
};
Leaving leaving;                      // NOLINT: signal handlers have nothing else
std::atomic<bool> has_screen{false};  // NOLINT

void write_all(int descriptor, const char* data, std::size_t size) noexcept {
  while (size > 0) {
    const ssize_t written = ::write(descriptor, data, size);
    if (written <= 0) return;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

/// Standard error is the terminal's again, with what was written meanwhile.
void give_back_standard_error() noexcept {
  ::dup2(leaving.terminal, STDERR_FILENO);
  std::array<char, 4'096> block{};
  off_t at = 0;
  for (;;) {
    const ssize_t size = ::pread(leaving.kept, block.data(), block.size(), at);
    if (size <= 0) break;
    write_all(STDERR_FILENO, block.data(), static_cast<std::size_t>(size));
    at += size;
  }
}

/// A process that is started while the screen is up has nothing to do with it.
void forget_screen() {
  if (!has_screen.exchange(false)) return;
  for (const int signal_number : kDeadly) std::signal(signal_number, SIG_DFL);
  for (const int signal_number : {SIGTSTP, SIGWINCH}) std::signal(signal_number, SIG_DFL);
}

extern "C" void die_without_screen(int signal_number) {
  leave_screen();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

bool is_ours(int descriptor) {
  return ::isatty(descriptor) == 1 && ::tcgetpgrp(descriptor) == ::getpgrp();
}

bool may_have_screen() {
  const char* terminal = std::getenv("TERM");
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  if (terminal == nullptr || *terminal == '\0' || std::string_view(terminal) == "dumb") {
    return false;
  }
  return is_ours(STDERR_FILENO);
}

std::unique_ptr<Screen> open_screen() {
  if (!may_have_screen()) return nullptr;
  const Result<void*> symbol = module_symbol(WEFT_SCREEN_MODULE, "weft_open_screen");
  if (!symbol) {
    complain("no live screen: " + symbol.errors().front().message +
             " (" WEFT_SCREEN_MODULE " belongs beside the program, and needs libncursesw6)");
    return nullptr;
  }
  std::fflush(nullptr);
  leaving.kept = ::memfd_create("weft", MFD_CLOEXEC);
  leaving.terminal = ::dup(STDERR_FILENO);
  if (leaving.kept < 0 || leaving.terminal < 0 ||
      ::tcgetattr(leaving.terminal, &leaving.state) != 0) {
    return nullptr;
  }
  std::unique_ptr<Screen> screen(reinterpret_cast<OpenScreen>(symbol.value())(leaving.terminal));
  if (!screen) return nullptr;
  const std::string text = screen->leaving();
  leaving.length = std::min(text.size(), leaving.text.size());
  std::memcpy(leaving.text.data(), text.data(), leaving.length);
  ::dup2(leaving.kept, STDERR_FILENO);
  has_screen.store(true);
  static const int registered = ::pthread_atfork(nullptr, nullptr, forget_screen);
  static_cast<void>(registered);
  for (const int signal_number : kDeadly) std::signal(signal_number, die_without_screen);
  return screen;
}

}  // namespace

void leave_screen() noexcept {
  if (!has_screen.exchange(false)) return;
  write_all(leaving.terminal, leaving.text.data(), leaving.length);
  ::tcsetattr(leaving.terminal, TCSANOW, &leaving.state);
  give_back_standard_error();
}

Display::Display() : screen_(open_screen()) {
  if (!screen_) next_ += kLinePeriod;
}

Display::~Display() {
  if (!screen_) return;
  screen_.reset();
  for (const int signal_number : kDeadly) std::signal(signal_number, SIG_DFL);
  std::fflush(stderr);
  if (has_screen.exchange(false)) give_back_standard_error();
  ::close(leaving.terminal);
  ::close(leaving.kept);
}

void Display::update(const View& view, bool is_last) {
  const Clock::time_point now = Clock::now();
  if (!is_last && now < next_) return;
  if (screen_) {
    next_ = now + kScreenPeriod;
    screen_->show(view.picture(screen_->columns(), screen_->rows()));
  } else {
    next_ = now + kLinePeriod;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    print_error_text(fmt::format("live: {}: {}\n", duration_text(seconds), view.sentence()));
  }
}

std::string left(const std::string& text, std::size_t columns) {
  std::string field = escaped(text).substr(0, columns);
  field.resize(columns, ' ');
  return field;
}

std::string right(const std::string& text, std::size_t columns) {
  const std::string field = escaped(text).substr(0, columns);
  return std::string(columns - field.size(), ' ') + field;
}

std::string bar(double share, std::size_t columns) {
  const auto full = static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns)));
  return "[" + std::string(full, '#') + std::string(columns - full, ' ') + "]";
}

std::string duration_text(double seconds) {
  const std::int64_t whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3'600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3'600, whole % 3'600 / 60);
}

}  // namespace weft::live
