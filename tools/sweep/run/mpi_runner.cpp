#include "tools/sweep/run/mpi_runner.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace weft::sweep {
namespace {

/// The empty text means: end.
constexpr const char* kStop = "";

/// MPI's own waiting burns a core, which the simulations need. These pauses cost a point of 100 ms
/// half a percent at most.
constexpr std::chrono::microseconds kShortestPause{50};
constexpr std::chrono::microseconds kLongestPause{500};

/// The next message, or nothing after the timeout.
std::optional<std::pair<int, std::string>> receive_within(MessageLink& link,
                                                          std::chrono::microseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  auto pause = kShortestPause;
  for (;;) {
    if (auto message = link.receive()) return message;
    if (std::chrono::steady_clock::now() >= until) return std::nullopt;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

}  // namespace

MpiRunner::MpiRunner(MessageLink& link) : link_(link) {
  for (int rank = 1; rank < link.size(); ++rank) idle_.push_back(rank);
}

void MpiRunner::start(const Task& task) {
  link_.send(idle_.front(), task.to_json());
  idle_.pop_front();
  ++running_;
}

std::vector<Report> MpiRunner::wait(std::chrono::milliseconds timeout) {
  std::vector<Report> reports;
  auto message = receive_within(link_, timeout);
  while (message) {
    idle_.push_back(message->first);
    --running_;
    if (auto report = Report::from_json(message->second)) reports.push_back(std::move(*report));
    message = link_.receive();
  }
  return reports;
}

void MpiRunner::stop() {
  if (is_stopped_) return;
  is_stopped_ = true;
  dismiss(link_);
}

void dismiss(MessageLink& link) {
  for (int rank = 1; rank < link.size(); ++rank) link.send(rank, kStop);
}

void serve(MessageLink& link, ProcessPool& pool) {
  constexpr std::chrono::milliseconds kPollPeriod{20};
  constexpr std::chrono::seconds kLong{1};
  for (;;) {
    const auto message = pool.running() > 0 ? link.receive() : receive_within(link, kLong);
    if (message) {
      if (message->second == kStop) return pool.stop();
      if (const auto task = Task::from_json(message->second)) pool.start(*task);
    }
    if (!message && pool.running() == 0) continue;
    for (const Report& report : pool.wait(kPollPeriod)) link.send(0, report.to_json());
  }
}

}  // namespace weft::sweep
