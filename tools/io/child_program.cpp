#include "tools/io/child_program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

namespace weft {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string contents(std::FILE* file) {
  std::string text;
  std::rewind(file);
  std::array<char, 65536> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), file)) > 0;) {
    text.append(buffer.data(), n);
  }
  return text;
}

/// The exit code, or -1 if it ended by a signal; 127: no program.
int run_between(std::vector<std::string> command, std::FILE* in, std::FILE* out,
                std::FILE* errors) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  // Not posix_spawn: a program that names `environ` gets a copy of the C library's variable, and
  // MPI, which is loaded with its own symbols first, would continue with the original.
  const pid_t child = ::fork();
  if (child < 0) return 127;
  if (child == 0) {
    ::dup2(::fileno(in), STDIN_FILENO);
    ::dup2(::fileno(out), STDOUT_FILENO);
    ::dup2(::fileno(errors), STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Result<ProgramOutput> run_program(const std::vector<std::string>& command, std::string_view input) {
  const File in(std::tmpfile());
  const File out(std::tmpfile());
  const File errors(std::tmpfile());
  if (!in || !out || !errors) {
    return Error{"no temporary files can be made for `" + command.front() + "`"};
  }
  const bool is_written = std::fwrite(input.data(), 1, input.size(), in.get()) == input.size() &&
                          std::fflush(in.get()) == 0 && std::fseek(in.get(), 0, SEEK_SET) == 0;
  if (!is_written) return Error{"temporary files for `" + command.front() + "` cannot be written"};
  const int code = run_between(command, in.get(), out.get(), errors.get());
  return ProgramOutput{code, contents(out.get()), contents(errors.get())};
}

}  // namespace weft
