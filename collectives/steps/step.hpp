#pragma once

#include <cstdint>
#include <vector>

#include "collectives/steps/generator.hpp"
#include "simcore/base/units.hpp"

/// What a rank does, as a sequence of steps per lane. A rank runs a few lanes side by side; the
/// steps of one lane run strictly in order. Messages order ranks, kNotify and kAwait order the
/// lanes of one rank: together they are the dependency graph of a schedule.
namespace weft::collectives {

/// A part of one block of data. What the blocks of an operation are: schedule.hpp.
struct Range {
  std::int64_t offset = 0;
  std::int64_t size = 0;

  [[nodiscard]] std::int64_t end() const { return offset + size; }
  [[nodiscard]] bool empty() const { return size == 0; }
  bool operator==(const Range&) const = default;
};

/// Part `i` of `n` of a range: the first (size mod n) parts are a byte longer.
[[nodiscard]] constexpr Range part_of(Range whole, std::int64_t n, std::int64_t i) {
  const std::int64_t min = whole.size / n;
  const std::int64_t longer = whole.size % n;
  return {whole.offset + min * i + (i < longer ? i : longer), min + (i < longer ? 1 : 0)};
}

/// The parts [first, end) of `n` as one range.
[[nodiscard]] constexpr Range parts_of(Range whole, std::int64_t n, std::int64_t first,
                                       std::int64_t end) {
  const std::int64_t begin = part_of(whole, n, first).offset;
  const std::int64_t stop = end == n ? whole.end() : part_of(whole, n, end).offset;
  return {begin, stop - begin};
}

/// One step of a lane. Peers are ranks of the same job.
struct Step {
  enum class Kind : std::uint8_t {
    kSend,          ///< posts a message to `peer`'s same lane and continues
    kReceive,       ///< waits for the next message of `peer`; messages that came early count
    kFlush,         ///< waits until all sends of this lane are acknowledged
    kDelay,         ///< waits for a while
    kWaitUntil,     ///< waits for a time, counted from the job's begin; no wait if it has passed
    kControlEvent,  ///< a control event to `peer`'s same lane, after the control latency
    kAwaitControlEvents,  ///< waits for a number of control events; those that came early count
    kNotify,              ///< an event for lane number `peer` of this rank, at once
    kAwait,               ///< waits for one event from another lane; those that came early count
    kBegin,               ///< an iteration of a collective begins on this rank (lane 0 only)
    kEnd,                 ///< waits until all lanes of the rank are here: the iteration ends
    kCopy,                ///< of `peer`, the rank itself: Schedule::is_staged; in schedules only
    // Streams (JobProgram::streams): tasks of a rank, of which those of a stream come one
    // after the other. Several lanes may carry a stream out together.
    kAfter,   ///< waits until a number of tasks of stream `peer` of this rank are finished
    kStart,   ///< a task of stream `peer`, which this lane is of, starts
    kFinish,  ///< waits until all lanes of stream `peer` are here: the task is finished
    // In-network reduction. No rank is at the other end but a switch, which may add up what all
    // ranks hand it, and repeat what one rank sends to all.
    kContribute,        ///< the switch adds this rank's data to what it collects for `peer`
    kReceiveReduced,    ///< waits for the sum that the switch collected for this rank
    kMulticast,         ///< the switch hands this rank's data to all ranks, itself included
    kReceiveMulticast,  ///< waits for what `peer` had multicast
    // Where somebody watches a program (StepWatch):
    kRound,  ///< `amount` rounds of the call of iteration `peer` are over
  };
  /// What a kDelay is spent on.
  enum class Work : std::uint8_t {
    kOther,
    kLaunch,
    kCompute,
    kReduce,
    kCopy,
    kTransfer,
    kProtocol,
    kExcess,   ///< in what lanes spent time on: what computing or handling took beyond its plan
    kLeftOut,  ///< stands for rounds or iterations that are not simulated
  };

  Kind kind = Kind::kFlush;
  Work work = Work::kOther;
  /// kReceive: the data is added to what the rank holds, instead of stored.
  bool reduces = false;
  std::uint32_t peer = 0;
  /// Which data is sent or received: `amount` bytes of `block` from `offset` on. Networks do not
  /// see it; it is what makes a program's result checkable. Of starts of tasks, and of computing:
  /// what JobProgram::task_name takes.
  std::uint32_t block = 0;
  std::int64_t offset = 0;  ///< of a delay: how much of it is beyond what is planned
  std::int64_t amount = 0;  ///< bytes, picoseconds, control events or tasks

  [[nodiscard]] Bytes bytes() const { return Bytes(amount); }
  [[nodiscard]] Picoseconds time() const { return Picoseconds(amount); }
  [[nodiscard]] Picoseconds excess() const { return Picoseconds(offset); }
  [[nodiscard]] std::int64_t count() const { return amount; }
  [[nodiscard]] Range range() const { return {offset, amount}; }
  /// Puts data on the network.
  [[nodiscard]] bool sends() const {
    return kind == Kind::kSend || kind == Kind::kContribute || kind == Kind::kMulticast;
  }
  [[nodiscard]] bool is_in_network() const {
    return kind >= Kind::kContribute && kind <= Kind::kReceiveMulticast;
  }
  [[nodiscard]] bool is_of_streams() const { return kind >= Kind::kAfter && kind <= Kind::kFinish; }

  [[nodiscard]] static Step data(Kind kind, std::uint32_t peer, std::uint32_t block, Range range) {
    Step step;
    step.kind = kind;
    step.peer = peer;
    step.block = block;
    step.offset = range.offset;
    step.amount = range.size;
    return step;
  }
  [[nodiscard]] static Step plain(Kind kind, std::uint32_t peer, std::int64_t amount) {
    Step step;
    step.kind = kind;
    step.peer = peer;
    step.amount = amount;
    return step;
  }
  /// `size` >= 1.
  [[nodiscard]] static Step send(std::uint32_t peer, Bytes size) {
    return plain(Kind::kSend, peer, size.count());
  }
  [[nodiscard]] static Step send(std::uint32_t peer, std::uint32_t block, Range range) {
    return data(Kind::kSend, peer, block, range);
  }
  [[nodiscard]] static Step receive(std::uint32_t peer, Bytes size) {
    return plain(Kind::kReceive, peer, size.count());
  }
  [[nodiscard]] static Step receive(std::uint32_t peer, std::uint32_t block, Range range) {
    return data(Kind::kReceive, peer, block, range);
  }
  [[nodiscard]] static Step receive_and_reduce(std::uint32_t peer, std::uint32_t block,
                                               Range range) {
    Step step = data(Kind::kReceive, peer, block, range);
    step.reduces = true;
    return step;
  }
  [[nodiscard]] static Step flush() { return plain(Kind::kFlush, 0, 0); }
  /// `excess`: how much of it is beyond what is planned.
  [[nodiscard]] static Step delay(Picoseconds duration, Work work = Work::kOther,
                                  Picoseconds excess = {}) {
    Step step = plain(Kind::kDelay, 0, duration.count());
    step.work = work;
    step.offset = excess.count();
    return step;
  }
  [[nodiscard]] static Step wait_until(Picoseconds time) {
    return plain(Kind::kWaitUntil, 0, time.count());
  }
  [[nodiscard]] static Step control_event(std::uint32_t peer) {
    return plain(Kind::kControlEvent, peer, 0);
  }
  [[nodiscard]] static Step await_control_events(std::int64_t count) {
    return plain(Kind::kAwaitControlEvents, 0, count);
  }
  [[nodiscard]] static Step notify(std::uint32_t lane) { return plain(Kind::kNotify, lane, 0); }
  [[nodiscard]] static Step await() { return plain(Kind::kAwait, 0, 0); }
  [[nodiscard]] static Step begin(std::uint32_t iteration) {
    return plain(Kind::kBegin, 0, iteration);
  }
  /// The first `count` tasks of `stream` of the running iteration are over.
  [[nodiscard]] static Step after(std::uint32_t stream, std::int64_t count) {
    return plain(Kind::kAfter, stream, count);
  }
  /// `task`: its number within the stream, of the running iteration.
  [[nodiscard]] static Step start(std::uint32_t stream, std::int64_t task, std::uint32_t name = 0) {
    Step step = plain(Kind::kStart, stream, task);
    step.block = name;
    return step;
  }
  [[nodiscard]] static Step finish(std::uint32_t stream, std::int64_t task) {
    return plain(Kind::kFinish, stream, task);
  }
  [[nodiscard]] static Step copy(std::uint32_t rank, std::uint32_t block, Range range) {
    return data(Kind::kCopy, rank, block, range);
  }
  [[nodiscard]] static Step round(std::uint32_t iteration, std::int64_t rounds) {
    return plain(Kind::kRound, iteration, rounds);
  }
  [[nodiscard]] static Step end(std::uint32_t iteration) { return plain(Kind::kEnd, 0, iteration); }
};

using StepStream = Generator<Step>;

/// What the switches of a scale-up domain do for a lane. A lane that has them do something sends to
/// no ranks itself.
struct InNetworkWork {
  std::uint32_t sums = 0;    ///< for the first n members of the rank's group, one each
  std::uint32_t copies = 0;  ///< of what the first n members send, for all members

  [[nodiscard]] bool adds() const { return sums > 0; }
  [[nodiscard]] bool repeats() const { return copies > 0; }
  [[nodiscard]] bool any() const { return adds() || repeats(); }
};

/// Ranks, all in one scale-up domain, whose data its scale-up switches reduce and repeat.
using RankGroup = std::vector<std::uint32_t>;

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
  /// After the start of a task: its end comes next, and nothing between them.
  virtual void omit_task() {}
};

}  // namespace weft::collectives
