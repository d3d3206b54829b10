#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/results/distribution.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What became of a message.
struct MessageResult {
  std::uint32_t job = 0;
  std::uint32_t source_rank = 0;
  std::uint32_t destination_rank = 0;
  HostId source;
  HostId destination;
  Bytes bytes;
  Picoseconds start;
  OptionalTime delivered;  ///< missing: never
  OptionalTime completed;  ///< at the sender's last ACK, or delivered for datagrams; missing: never
  Picoseconds ideal;       ///< zero-load time to completion

  [[nodiscard]] bool is_complete() const { return completed.has_value(); }
  [[nodiscard]] double slowdown() const {
    return to_seconds(*completed - start) / to_seconds(ideal);
  }
};

/// Counts messages; nobody has a list of them, for there may be very many.
class MessageStatistics {
 public:
  void add(const MessageResult& message, std::uint64_t times = 1) {
    count_ += times;
    if (!message.is_complete()) return;
    // The double that is nearest, as by no product: 100 us are 0.0001.
    const Picoseconds time = *message.completed - message.start;
    completion_.add(static_cast<double>(time.count()) / 1e12, times);
    slowdown_.add(message.slowdown(), times);
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t completed() const { return completion_.count(); }
  /// Of completed messages: from begin to completion, in seconds; and over their zero-load times.
  [[nodiscard]] Percentiles completion_seconds() const { return completion_.percentiles(); }
  [[nodiscard]] Percentiles slowdown() const { return slowdown_.percentiles(); }

 private:
  std::uint64_t count_ = 0;
  Distribution completion_;
  Distribution slowdown_;
};

}  // namespace weft::scenarios
