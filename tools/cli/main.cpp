#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

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

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(out_of_memory);
  // Who reads may go away: what is written to files is complete nevertheless.
  std::signal(SIGPIPE, SIG_IGN);
  int code = weft::cli::kUnfinished;
  try {
    code = weft::cli::CommandLine().run(argc, argv);
  } catch (const std::exception& error) {
    weft::complain(error.what());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    if (!weft::has_no_reader(STDOUT_FILENO)) weft::complain("standard output cannot be written");
    if (code == weft::cli::kSuccess) code = weft::cli::kUnfinished;
  }
  return code;
}
