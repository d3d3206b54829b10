#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace weft::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;  // which takes memory and time of its own
#else
constexpr bool kIsSanitized = false;
#endif

/// What a run of a program took. Its memory counts from that of the process that started it: keep
/// that small.
struct MeasuredRun {
  int exit_code = -1;  ///< 128 and the number of the signal that ended it
  long peak_kilobytes = 0;
  double processor_seconds = 0;
  std::string text;  ///< standard output and error
};

/// Runs a program in the root folder. `output` is a file for what it prints.
inline MeasuredRun run_measured(const std::filesystem::path& program,
                                std::vector<std::string> arguments,
                                const std::filesystem::path& output) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen(output.c_str(), "w", stdout) == nullptr) ::_exit(126);
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
    if (::chdir("/") != 0) ::_exit(126);
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  int status = 0;
  struct rusage usage {};
  ::wait4(child, &status, 0, &usage);
  MeasuredRun run;
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.peak_kilobytes = usage.ru_maxrss;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  run.processor_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  std::ostringstream text;
  text << std::ifstream(output).rdbuf();
  run.text = text.str();
  return run;
}

}  // namespace weft::testing
