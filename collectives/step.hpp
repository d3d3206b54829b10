#pragma once

#include <cstdint>

#include "simcore/units.hpp"

/// What a rank does, as a sequence of steps per lane. A rank runs a few lanes side by side; the
/// steps of one lane run strictly in order.
namespace weft::collectives {

/// One step of a lane. Peers are ranks of the same job.
struct Step {
  enum class Kind : std::uint8_t {
    kSend,          ///< posts a message to `peer`'s same lane and goes on
    kReceive,       ///< waits for the next message of `peer`; messages that came early count
    kFlush,         ///< waits until all sends of this lane are acknowledged
    kDelay,         ///< waits for a while
    kWaitUntil,     ///< waits for an absolute time; no wait if it has passed
    kSignal,        ///< a control event to `peer`'s same lane, after the control latency
    kAwaitSignals,  ///< waits for a number of signals; those that came early count
  };

  Kind kind = Kind::kFlush;
  /// kReceive: the data is added to what the rank holds, instead of stored.
  bool reduces = false;
  std::uint32_t peer = 0;
  /// Which part of the rank's data is sent or received. Networks do not see it; it is what makes a
  /// program's result checkable.
  std::uint32_t chunk = 0;
  std::int64_t amount = 0;  ///< bytes, picoseconds or signals

  [[nodiscard]] Bytes bytes() const { return Bytes(amount); }
  [[nodiscard]] Picoseconds time() const { return Picoseconds(amount); }
  [[nodiscard]] std::int64_t count() const { return amount; }

  /// `size` >= 1.
  [[nodiscard]] static Step send(std::uint32_t peer, Bytes size, std::uint32_t chunk = 0) {
    return {Kind::kSend, false, peer, chunk, size.count()};
  }
  [[nodiscard]] static Step receive(std::uint32_t peer, Bytes size, std::uint32_t chunk = 0) {
    return {Kind::kReceive, false, peer, chunk, size.count()};
  }
  [[nodiscard]] static Step receive_and_reduce(std::uint32_t peer, Bytes size,
                                               std::uint32_t chunk) {
    return {Kind::kReceive, true, peer, chunk, size.count()};
  }
  [[nodiscard]] static Step flush() { return {Kind::kFlush, false, 0, 0, 0}; }
  [[nodiscard]] static Step delay(Picoseconds duration) {
    return {Kind::kDelay, false, 0, 0, duration.count()};
  }
  [[nodiscard]] static Step wait_until(Picoseconds time) {
    return {Kind::kWaitUntil, false, 0, 0, time.count()};
  }
  [[nodiscard]] static Step signal(std::uint32_t peer) {
    return {Kind::kSignal, false, peer, 0, 0};
  }
  [[nodiscard]] static Step await_signals(std::int64_t count) {
    return {Kind::kAwaitSignals, false, 0, 0, count};
  }
};

/// Makes the steps of one lane of one rank, one at a time, so that no program needs memory for all
/// of them. State of one rank only, at most linear in its peers.
class StepSource {
 public:
  StepSource() = default;
  StepSource(const StepSource&) = delete;
  StepSource& operator=(const StepSource&) = delete;
  virtual ~StepSource() = default;
  /// The next step, or false after the last one.
  [[nodiscard]] virtual bool next(Step& step) = 0;
};

}  // namespace weft::collectives
