#pragma once

#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace weft::testing {

/// A command on a terminal of its own, of 30 rows, whose name is xterm.
class PseudoTerminal {
 public:
  struct End {
    std::string text;           ///< everything that it wrote
    int exit_code = -1;         ///< of a signal: 128 and its number
    bool is_as_before = false;  ///< echo, line editing and the like
  };

  PseudoTerminal(std::vector<std::string> command, const std::filesystem::path& folder,
                 const std::vector<std::pair<std::string, std::string>>& environment = {},
                 unsigned short columns = 100) {
    winsize size{};
    size.ws_row = 30;
    size.ws_col = columns;
    // Held open here as well: its state outlives the command.
    ::openpty(&master_, &terminal_, nullptr, nullptr, &size);
    ::tcgetattr(terminal_, &before_);
    child_ = ::fork();
    if (child_ != 0) return;
    ::login_tty(terminal_);
    ::close(master_);
    ::setenv("TERM", "xterm", 1);
    ::unsetenv("NO_COLOR");
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    if (::chdir(folder.c_str()) != 0) ::_exit(126);
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (std::string& argument : command) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ~PseudoTerminal() {
    ::close(terminal_);
    ::close(master_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  /// Reads until the text is there; false: the command ended before.
  bool wait_until(const std::string& wanted) { return wait_for_more(wanted, 1); }
  /// The same until the text is there `times` times.
  bool wait_for_more(const std::string& wanted, std::size_t times) {
    for (;;) {
      std::size_t found = 0;
      for (std::size_t at = text_.find(wanted); at != std::string::npos && found < times;
           at = text_.find(wanted, at + wanted.size())) {
        ++found;
      }
      if (found == times) return true;
      if (!read()) return false;
    }
  }
  void type(char c) const { [[maybe_unused]] const auto written = ::write(master_, &c, 1); }

  /// Reads until the command ends.
  End finish() {
    while (read()) {
    }
    termios after{};
    ::tcgetattr(terminal_, &after);
    return {text_, WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_),
            after.c_lflag == before_.c_lflag && after.c_iflag == before_.c_iflag &&
                after.c_oflag == before_.c_oflag};
  }

 private:
  /// Some of what the command writes; false: it has ended, and nothing is left.
  bool read() {
    std::array<char, 4096> block{};
    for (;;) {
      fd_set set;
      FD_ZERO(&set);
      FD_SET(master_, &set);
      timeval poll_timeout{.tv_sec = 0, .tv_usec = has_ended_ ? 0 : 20'000};
      if (::select(master_ + 1, &set, nullptr, nullptr, &poll_timeout) > 0) {
        const ssize_t size = ::read(master_, block.data(), block.size());
        if (size <= 0) return false;
        text_.append(block.data(), static_cast<std::size_t>(size));
        return true;
      }
      if (has_ended_) return false;
      has_ended_ = ::waitpid(child_, &status_, WNOHANG) == child_;
    }
  }

  int master_ = -1;
  int terminal_ = -1;
  termios before_{};
  pid_t child_ = -1;
  int status_ = 0;
  bool has_ended_ = false;
  std::string text_;
};

}  // namespace weft::testing
