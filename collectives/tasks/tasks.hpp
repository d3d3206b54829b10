#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "collectives/jitter/jitter_spec.hpp"
#include "collectives/spec/collective_spec.hpp"
#include "collectives/steps/generator.hpp"
#include "simcore/base/units.hpp"

/// Programs of tasks: what the ranks of a job compute, and what groups of them send one another,
/// ordered by streams and by dependencies.
namespace weft::collectives {

/// Ranks of a job that make calls among themselves, in the order in which these number them. Every
/// member has a stream for its calls, as frameworks have one per communicator.
struct Communicator {
  /// What is communicated: the parallelism whose ranks these are.
  enum class Kind : std::uint8_t { kOther, kTensor, kContext, kExpert, kPipeline, kData };
  static constexpr std::size_t kKinds = 6;

  std::string name;
  Kind kind = Kind::kOther;
  std::vector<std::uint32_t> ranks;  ///< at least two, all different
};

/// A collective of a communicator. Its members make it as often as their tasks say, all of
/// them equally often and in the same order among the communicator's calls.
struct CommunicatorCall {
  std::uint32_t communicator = 0;
  CollectiveSpec spec;  ///< of one call: iterations, compute, jitter and stragglers mean nothing
  std::string key;      ///< of the job that asks for its algorithm; errors name it
  /// Who sends is through when what it sent is acknowledged, not when it is on its way; where the
  /// transport acknowledges.
  bool is_until_acknowledged = false;
};

/// Where a task is: the stream of a rank in which it computes, or that of a communicator.
class StreamOf {
 public:
  [[nodiscard]] static StreamOf compute() { return StreamOf(0); }
  [[nodiscard]] static StreamOf communicator(std::uint32_t number) { return StreamOf(number + 1); }

  [[nodiscard]] bool is_compute() const { return value_ == 0; }
  /// Of the program; where the stream is not that of computing.
  [[nodiscard]] std::uint32_t number() const { return value_ - 1; }
  auto operator<=>(const StreamOf&) const = default;

 private:
  explicit StreamOf(std::uint32_t value) : value_(value) {}
  std::uint32_t value_;
};

/// The first `count` tasks of another stream of the rank, in this iteration.
struct Dependency {
  StreamOf stream = StreamOf::compute();
  std::int64_t count = 0;
};

/// What a rank does next in a stream.
struct Task {
  Picoseconds time;        ///< in the stream that computes
  std::uint32_t call = 0;  ///< in one of a communicator: which of its calls
  /// What must have finished before it starts; valid until the next task is made.
  std::span<const Dependency> after;
  std::uint32_t label = 0;  ///< of computing: see Parts::label_name
};

using TaskStream = Generator<Task>;

/// How often a rank makes each call in an iteration, by the call's number.
using CallCounts = std::map<std::uint32_t, std::int64_t>;

/// What the tasks of a program are. Immutable; ranks on different threads read it.
class TaskSet {
 public:
  TaskSet() = default;
  TaskSet(const TaskSet&) = delete;
  TaskSet& operator=(const TaskSet&) = delete;
  virtual ~TaskSet() = default;

  [[nodiscard]] virtual std::span<const Communicator> communicators() const = 0;
  [[nodiscard]] virtual std::span<const CommunicatorCall> calls() const = 0;
  [[nodiscard]] virtual std::uint32_t iterations() const { return 1; }
  /// Of which ranks compute slower; nothing is wrong with them.
  [[nodiscard]] virtual std::span<const JitterSpec> noise() const { return {}; }
  /// The stage of a pipeline that a rank computes; 0 where there is none.
  [[nodiscard]] virtual std::uint32_t stage_of(std::uint32_t /*rank*/) const { return 0; }
  /// Ranks of the same number have the same tasks in streams of the same numbers: these compute as
  /// long, make calls of the same numbers among those of their communicators, and wait for the
  /// same. By default none has another's.
  [[nodiscard]] virtual std::uint32_t script_of(std::uint32_t rank) const { return rank; }
  /// What a task with this label computes, such as `forward 3`; empty: nothing special.
  [[nodiscard]] virtual std::string label_name(std::uint32_t /*label*/) const { return {}; }
  /// Computing takes this many times as long if a collective of the rank is running as it begins.
  [[nodiscard]] virtual double communication_slowdown() const { return 1; }
  /// What a rank does in one of its streams in an iteration, one task at a time, so that no
  /// program needs memory for all of them. Several lanes make the same tasks side by side.
  [[nodiscard]] virtual TaskStream tasks(std::uint32_t rank, StreamOf stream,
                                         std::uint32_t iteration) const = 0;
  /// `communicators`: those that the rank is a member of. By default all their tasks are counted.
  [[nodiscard]] virtual CallCounts call_counts(std::uint32_t rank,
                                               std::span<const std::uint32_t> communicators) const;
};

}  // namespace weft::collectives
