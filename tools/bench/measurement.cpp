#include "tools/bench/measurement.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

namespace weft::bench {
namespace {

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// A line of /proc/self/status, in bytes.
double status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != key) continue;
    double kibibytes = 0;
    status >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

/// A process that prepares, says so, waits for the word, runs, and tells what it measured.
class Child {
 public:
  explicit Child(const Prepare& prepare) {
    std::array<int, 2> up{};
    std::array<int, 2> down{};
    if (::pipe(up.data()) != 0 || ::pipe(down.data()) != 0) die("pipe");
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) die("fork");
    if (pid_ == 0) {
      ::close(up[0]);
      ::close(down[1]);
      serve(prepare, up[1], down[0]);
    }
    ::close(up[1]);
    ::close(down[0]);
    from_ = up[0];
    to_ = down[1];
  }
  void await_ready() const {
    char word = 0;
    if (::read(from_, &word, 1) != 1) die("a run that was to be measured ended early");
  }
  void go() const {
    if (::write(to_, "g", 1) != 1) die("write");
  }
  [[nodiscard]] Measured result() const {
    Measured measured;
    if (::read(from_, &measured, sizeof measured) != sizeof measured) {
      die("a run that was to be measured ended early");
    }
    ::close(from_);
    ::close(to_);
    ::waitpid(pid_, nullptr, 0);
    return measured;
  }

 private:
  [[noreturn]] static void serve(const Prepare& prepare, int up, int down) {
    const double before = status_bytes("VmRSS:");
    const Run run = prepare();
    char word = 0;
    if (::write(up, "r", 1) != 1 || ::read(down, &word, 1) != 1) ::_exit(1);
    const auto begin = std::chrono::steady_clock::now();
    const double cpu = processor_seconds();
    Measured measured = run();
    measured.cpu = processor_seconds() - cpu;
    measured.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    measured.resident_bytes = status_bytes("VmHWM:") - before;
    const bool is_told = ::write(up, &measured, sizeof measured) == sizeof measured;
    ::_exit(is_told ? 0 : 1);
  }

  pid_t pid_ = 0;
  int from_ = 0;
  int to_ = 0;
};

}  // namespace

std::vector<Measured> measure(const Prepare& prepare, unsigned copies) {
  std::vector<Child> children;
  for (unsigned i = 0; i < copies; ++i) children.emplace_back(prepare);
  for (const Child& child : children) child.await_ready();
  for (const Child& child : children) child.go();
  std::vector<Measured> all;
  all.reserve(children.size());
  for (const Child& child : children) all.push_back(child.result());
  return all;
}

}  // namespace weft::bench
