#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace weft::testing {

struct Finished {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// The program `weft`, started in a folder of its own with a blank in the name.
class Program {
 public:
  explicit Program(const std::string& name) : folder_(name) {}

  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return folder_.path() / name;
  }

  /// Any command; its standard output and error go to files.
  [[nodiscard]] pid_t start(std::vector<std::string> command) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    redirect("out.txt", STDOUT_FILENO);
    redirect("err.txt", STDERR_FILENO);
    if (::chdir(folder_.path().c_str()) != 0) ::_exit(126);
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (std::string& argument : command) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  [[nodiscard]] Finished wait_for(pid_t child) const {
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            folder_.read("out.txt"), folder_.read("err.txt")};
  }
  [[nodiscard]] Finished run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), WEFT_PROGRAM);
    return wait_for(start(std::move(arguments)));
  }

  /// Whether results are being written for the folder `out`, or for one inside a folder `out` that
  /// cannot be replaced.
  [[nodiscard]] bool has_partial(const std::string& out) const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(out + ".partial.") || name.starts_with("results.partial.")) return true;
    }
    return false;
  }
  /// Starts `command` and sends it `signal` once it writes results for `out`: how long the machine
  /// takes to get there does not matter, only that the run itself takes far longer.
  [[nodiscard]] Finished stopped(std::vector<std::string> command, int signal,
                                 const std::string& out) const {
    const pid_t child = start(std::move(command));
    for (int i = 0; i < 1'000 && !has_partial(out); ++i) ::usleep(10'000);
    ::usleep(100'000);
    ::kill(child, signal);
    return wait_for(child);
  }

 private:
  void redirect(const char* name, int descriptor) const {
    const int file = ::open(path(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(file, descriptor);
    ::close(file);
  }

  TemporaryFolder folder_;
};

}  // namespace weft::testing
