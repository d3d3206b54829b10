#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace weft::testing {

/// Runs `work`, which returns a vector of 64-bit integers, in a child process and returns what it
/// gave: SimGrid knows one engine and one clock per process. Fails the test if the child dies.
template <class Work>
std::vector<std::int64_t> in_own_process(Work work) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const std::vector<std::int64_t> values = work();
    const char* at = reinterpret_cast<const char*>(values.data());
    std::size_t left = values.size() * sizeof(std::int64_t);
    while (left > 0) {
      const ssize_t n = ::write(ends[1], at, left);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) ::_exit(1);
      at += n;
      left -= static_cast<std::size_t>(n);
    }
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  ::close(ends[1]);
  std::vector<std::int64_t> values;
  std::int64_t value = 0;
  std::size_t filled = 0;
  for (;;) {
    const ssize_t n =
        ::read(ends[0], reinterpret_cast<char*>(&value) + filled, sizeof value - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    filled += static_cast<std::size_t>(n);
    if (filled < sizeof value) continue;
    values.push_back(std::exchange(value, 0));
    filled = 0;
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child process failed";
  return values;
}

}  // namespace weft::testing
