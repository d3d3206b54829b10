#include "tools/sweep/run/process_pool.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "scenarios/text/format.hpp"

namespace weft::sweep {
namespace {

/// A report is a few kB; a process that writes more is broken.
constexpr std::size_t kMaxReport = std::size_t{16} << 20U;
/// Of standard error, the end is kept: it has the reason.
constexpr std::size_t kMaxErrorBytes = 4'096;
constexpr int kOutOfMemory = 101;

[[noreturn]] void out_of_memory() { ::_exit(kOutOfMemory); }

void write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) ::_exit(1);
    done += static_cast<std::size_t>(count);
  }
}

/// RLIMIT_DATA counts what the process may write to and nobody else sees: brk, anonymous memory.
/// RLIMIT_AS would count mapped files and address space that is only reserved as well.
void limit_memory(std::int64_t bytes) {
  const auto limit = static_cast<rlim_t>(bytes);
  const rlimit both{limit, limit};
  ::setrlimit(RLIMIT_DATA, &both);
}

Report failed(std::int64_t id, Status status, std::string message) {
  Report report;
  report.id = id;
  report.status = status;
  report.message = std::move(message);
  return report;
}

}  // namespace

void ProcessPool::start(const Task& task) {
  std::array<int, 2> results{};
  std::array<int, 2> messages{};
  const auto fail = [&](const char* what) {
    failed_to_start_.push_back(
        failed(task.id, Status::kKilled, std::string(what) + " failed: " + std::strerror(errno)));
  };
  if (::pipe2(results.data(), O_CLOEXEC) != 0) return fail("pipe");
  if (::pipe2(messages.data(), O_CLOEXEC) != 0) {
    fail("pipe");
    for (const int descriptor : results) ::close(descriptor);
    return;
  }
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    run_child(task, results[1], messages[1]);
  }
  if (process < 0) fail("fork");
  ::close(results[1]);
  ::close(messages[1]);
  if (process < 0) {
    ::close(results[0]);
    ::close(messages[0]);
    return;
  }
  for (const int descriptor : {results[0], messages[0]}) {
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  }
  children_.push_back({.process = process,
                       .results = results[0],
                       .messages = messages[0],
                       .id = task.id,
                       .begin = Clock::now()});
}

void ProcessPool::run_child(const Task& task, int results, int messages) const {
  // A terminal's Ctrl-C and its end reach everybody; the parent decides what it means.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  constexpr int kResults = 3;
  ::dup2(messages, STDERR_FILENO);
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  // Neither the database nor its lock may outlive the parent in a child's hands.
  ::dup2(results, kResults);
  ::close_range(kResults + 1, ~0U, 0);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::set_new_handler(out_of_memory);
  if (limits_.memory) limit_memory(*limits_.memory);
  try {
    write_all(kResults, work_(task).to_json());
  } catch (const std::bad_alloc&) {
    out_of_memory();
  } catch (const std::exception& error) {
    write_all(STDERR_FILENO, std::string("weft: ") + error.what() + "\n");
    std::abort();
  }
  // Without destructors and handlers, which belong to the parent.
  ::_exit(0);
}

std::chrono::milliseconds ProcessPool::time_to_deadline() const {
  auto left = std::chrono::milliseconds::max();
  if (!limits_.time) return left;
  for (const Child& child : children_) {
    const auto until = child.begin + *limits_.time - Clock::now();
    left = std::min(left, std::chrono::ceil<std::chrono::milliseconds>(until));
  }
  return std::max(left, std::chrono::milliseconds(0));
}

void ProcessPool::enforce_time_limit() {
  if (!limits_.time) return;
  for (Child& child : children_) {
    if (child.is_too_slow || Clock::now() < child.begin + *limits_.time) continue;
    child.is_too_slow = true;
    ::kill(child.process, SIGKILL);
  }
}

bool ProcessPool::drain(int& descriptor, std::string& text, std::size_t keep) {
  std::array<char, 65'536> buffer{};
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return true;
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > keep) text.erase(0, text.size() - keep);
  }
  ::close(descriptor);
  descriptor = -1;
  return false;
}

std::vector<Report> ProcessPool::wait(std::chrono::milliseconds timeout) {
  std::vector<Report> reports = std::exchange(failed_to_start_, {});
  if (!reports.empty() || children_.empty()) return reports;
  std::vector<pollfd> polled;
  for (const Child& child : children_) {
    polled.push_back({child.results, POLLIN, 0});
    polled.push_back({child.messages, POLLIN, 0});
  }
  const auto poll_timeout = std::min(timeout, time_to_deadline());
  ::poll(polled.data(), polled.size(), static_cast<int>(poll_timeout.count()));
  enforce_time_limit();
  for (std::size_t i = 0; i < children_.size();) {
    Child& child = children_[i];
    if (child.messages >= 0) drain(child.messages, child.errors, kMaxErrorBytes);
    if (drain(child.results, child.report, kMaxReport)) {
      ++i;
      continue;
    }
    reports.push_back(finish(child));
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return reports;
}

Report ProcessPool::finish(Child& child) const {
  int status = 0;
  rusage usage{};
  while (::wait4(child.process, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (child.messages >= 0) {
    drain(child.messages, child.errors, kMaxErrorBytes);
    if (child.messages >= 0) ::close(child.messages);
  }
  const double wall = std::chrono::duration<double>(Clock::now() - child.begin).count();
  Report report;
  const bool has_exited = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (auto parsed = has_exited ? Report::from_json(child.report) : std::nullopt) {
    report = std::move(*parsed);
  } else if (child.is_too_slow) {
    const double limit = std::chrono::duration<double>(*limits_.time).count();
    report = failed(child.id, Status::kTimeLimit,
                    "was stopped after the time limit of " + scenarios::format_time(limit));
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory) {
    report =
        failed(child.id, Status::kMemoryLimit,
               limits_.memory ? "needs more than the memory limit of " +
                                    scenarios::format_bytes(static_cast<double>(*limits_.memory))
                              : "ran out of memory");
  } else if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const bool is_outside = number == SIGKILL || number == SIGTERM;
    report = failed(child.id, is_outside ? Status::kKilled : Status::kCrash,
                    "ended by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")");
  } else {
    report = failed(child.id, Status::kCrash,
                    "ended without results, exit code " + std::to_string(WEXITSTATUS(status)));
  }
  if (report.status != Status::kDone && !child.errors.empty()) {
    report.message += ": " + child.errors;
    while (report.message.ends_with('\n')) report.message.pop_back();
  }
  report.wall_seconds = wall;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  report.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  report.peak_memory = static_cast<std::int64_t>(usage.ru_maxrss) * 1'024;
  return report;
}

void ProcessPool::stop() {
  for (Child& child : children_) ::kill(child.process, SIGKILL);
  for (Child& child : children_) {
    int status = 0;
    while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
    }
    if (child.results >= 0) ::close(child.results);
    if (child.messages >= 0) ::close(child.messages);
  }
  children_.clear();
}

}  // namespace weft::sweep
