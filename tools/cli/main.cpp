#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "simcore/base/check.hpp"
#include "simcore/base/log.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/cli/commands.hpp"
#include "tools/io/terminal.hpp"
#include "tools/live/display.hpp"

namespace {

/// In whatever thread; there is nothing to be had for an exception or a message that is put
/// together.
[[noreturn]] void out_of_memory() {
  constexpr std::string_view kText =
      "weft: out of memory; make the scenario smaller, or raise --memory-limit if one is set\n";
  weft::live::leave_screen();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(weft::cli::kUnfinished);
}

/// What only the C++ library has words for: of a file by its path and the system's reason, else
/// nothing that a user could act on.
void complain_of(const std::exception& error) {
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    return weft::complain(file->path1().string() + ": " + file->code().message());
  }
  if (const auto* system = dynamic_cast<const std::system_error*>(&error)) {
    return weft::complain("the system refuses: " + system->code().message());
  }
  if (dynamic_cast<const weft::BrokenInvariant*>(&error) != nullptr) {
    return weft::complain(std::string(error.what()) +
                          "; this is a fault of weft and not of the scenario");
  }
  weft::complain("an internal error, which is a fault of weft and not of the scenario");
  weft::log_error(error.what());
}

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(out_of_memory);
  // Who reads may go away: what is written to files is complete nevertheless.
  std::signal(SIGPIPE, SIG_IGN);
  int code = weft::cli::kUnfinished;
  try {
    code = weft::cli::CommandLine().run(argc, argv);
  } catch (const std::exception& error) {
    complain_of(error);
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    if (!weft::has_no_reader(STDOUT_FILENO)) weft::complain("standard output cannot be written");
    if (code == weft::cli::kSuccess) code = weft::cli::kUnfinished;
  }
  return code;
}
