#include "scenarios/isolated/fluid_lone_runs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <type_traits>
#include <utility>

#include "scenarios/run/fluid_simulation.hpp"

namespace weft::scenarios {
namespace {

/// What a copy says of its run, or the helper of a copy that died.
struct Answer {
  enum class Kind : std::uint8_t { kProgress, kEnded, kDied };
  Kind kind = Kind::kProgress;
  Picoseconds now{};
  std::uint64_t count = 0;  ///< delivered messages
  Outcome outcome = Outcome::kFinished;
  IsolatedResult::Times times{};
  int status = 0;  ///< of the process that died
};

// Both ends are the same program, so that these are sent as they are. A pipe takes as much in one
// piece.
static_assert(std::is_trivially_copyable_v<Answer> && sizeof(Answer) <= 512);
static_assert(std::is_trivially_copyable_v<collectives::LoneJob>);

/// Whether something can be read before long. A signal does not always end a `read`.
bool can_be_read(int from) {
  constexpr int kMilliseconds = 100;
  pollfd waits{.fd = from, .events = POLLIN, .revents = 0};
  return ::poll(&waits, 1, kMilliseconds) > 0;
}

template <class Message>
bool send(int to, const Message& message) {
  ssize_t written = -1;
  do {
    written = ::write(to, &message, sizeof message);
  } while (written < 0 && errno == EINTR);
  return written == ssize_t{sizeof message};
}

/// Like `read`.
template <class Message>
ssize_t receive(int from, Message& message) {
  ssize_t size = -1;
  do {
    size = ::read(from, &message, sizeof message);
  } while (size < 0 && errno == EINTR);
  return size;
}

/// As long as `continues` says so, which is asked ten times a second.
template <class Message, class Continues>
ssize_t receive_while(int from, Message& message, const Continues& continues) {
  while (!can_be_read(from)) {
    if (!continues()) return -1;
  }
  return receive(from, message);
}

/// Dies with the process that started it.
void follow(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

[[noreturn]] void run_copy(const Experiment& e, const collectives::LoneJob& lone, int answers) {
  const auto observer = [answers](const Progress& progress) {
    return send(answers, Answer{.now = progress.now, .count = progress.count});
  };
  const Results results = simulate_fluid(e, observer, {}, nullptr, {.lone_job = lone});
  const bool is_told = send(answers, Answer{.kind = Answer::Kind::kEnded,
                                            .now = results.simulated,
                                            .outcome = results.outcome,
                                            .times = times_of(results, lone.job)});
  ::_exit(is_told ? 0 : 1);
}

/// What the helper does: a copy for every request, one after the other.
[[noreturn]] void serve(const Experiment& e, int requests, int answers) {
  // Ctrl-C and the like reach everybody; whoever asks decides what they mean.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_IGN);
  collectives::LoneJob lone;
  while (receive(requests, lone) == ssize_t{sizeof lone}) {
    const pid_t self = ::getpid();
    const pid_t copy = ::fork();
    if (copy == 0) {
      follow(self);
      run_copy(e, lone, answers);
    }
    int status = -1;
    while (copy > 0 && ::waitpid(copy, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) send(answers, Answer{.kind = Answer::Kind::kDied, .status = status});
  }
  ::_exit(0);
}

std::string death_of(int status) {
  if (status < 0) return "no process can be started for it";
  if (WIFSIGNALED(status)) return fmt::format("its process ended by signal {}", WTERMSIG(status));
  return fmt::format("its process ended with code {}", WEXITSTATUS(status));
}

}  // namespace

FluidLoneRuns::FluidLoneRuns(const Experiment& experiment, ObserverOfJob observer_of)
    : observer_of_(std::move(observer_of)) {
  if (experiment.scenario.jobs.size() < 2) return;  // nobody will ask
  std::array<int, 2> requests{-1, -1};
  std::array<int, 2> answers{-1, -1};
  if (::pipe2(requests.data(), O_CLOEXEC) != 0) return;
  if (::pipe2(answers.data(), O_CLOEXEC) == 0) {
    std::fflush(nullptr);  // what is written later must not be written by copies, too
    const pid_t self = ::getpid();
    helper_ = ::fork();
    if (helper_ == 0) {
      follow(self);
      ::close(requests[1]);
      ::close(answers[0]);
      serve(experiment, requests[0], answers[1]);
    }
    ::close(answers[1]);
  }
  ::close(requests[0]);
  requests_ = requests[1];
  answers_ = answers[0];
}

void FluidLoneRuns::stop() {
  if (helper_ > 0) {
    ::kill(helper_, SIGKILL);
    while (::waitpid(helper_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  helper_ = -1;
  for (int* descriptor : {&requests_, &answers_}) {
    if (*descriptor >= 0) ::close(*descriptor);
    *descriptor = -1;
  }
}

LoneRun FluidLoneRuns::operator()(const collectives::LoneJob& lone) {
  if (helper_ < 0 || !send(requests_, lone)) return {.failure = death_of(-1)};
  const ProgressObserver observer = observer_of_(lone.job);
  Answer answer;
  const auto continues = [&] {
    return !observer ||
           observer({.now = answer.now, .count = answer.count, .done = {}, .stall = {}});
  };
  while (receive_while(answers_, answer, continues) == ssize_t{sizeof answer}) {
    if (answer.kind == Answer::Kind::kEnded) {
      return {.outcome = answer.outcome, .times = answer.times};
    }
    if (answer.kind == Answer::Kind::kDied) return {.failure = death_of(answer.status)};
    if (!continues()) break;
  }
  const bool is_interrupted = !continues();
  stop();
  if (is_interrupted) return {.outcome = Outcome::kInterrupted};
  return {.failure = "the process that runs jobs alone has ended"};
}

}  // namespace weft::scenarios
