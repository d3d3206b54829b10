#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

/// What an executor asks and tells of calls of communicators: tasks of streams that do not compute.
namespace weft::collectives {

/// Is told when they begin and end.
class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  virtual void begun(ProcessId process, std::uint32_t stream, std::uint32_t call,
                     Picoseconds now) = 0;
  /// `posted_at`: when the last message that the call received was posted, where lanes note that.
  virtual void ended(ProcessId process, std::uint32_t stream, Picoseconds now,
                     Picoseconds posted_at) = 0;
};

/// Answers when calls end. The executor that has none finds out by running their lanes on the
/// network (simulation). Oracles know without: by replaying what was simulated once
/// (scenarios/memo), or by the times of an empty network (scenarios/zero_load). Asked by processes
/// of one domain, or by all whose calls between domains it knows, on one thread at a time.
class CallOracle {
 public:
  /// When a rank is through with the call that it has begun.
  struct End {
    ProcessId process;
    std::uint32_t stream = 0;
    OptionalTime time;      ///< missing: not known any more
    Picoseconds posted_at;  ///< TaskObserver::ended; far in the past: nothing was posted
  };
  virtual ~CallOracle() = default;
  /// Whether it knows the calls of this stream of a process: all of them, for all members.
  [[nodiscard]] virtual bool takes(ProcessId process, std::uint32_t stream) const = 0;
  /// A rank begins a call. Returns the ends of all running calls of ranks that it may have an
  /// influence on, as far as they follow from what has begun: none is before `now`, and they
  /// replace what was said of the same calls before. Valid until the next question.
  virtual std::span<const End> begin(ProcessId process, std::uint32_t stream, std::uint32_t call,
                                     Picoseconds now) = 0;
  // By default all ends follow from begins, and nobody asks later.

  /// An end has come.
  virtual void end(ProcessId /*process*/, std::uint32_t /*stream*/) {}
  /// After `begin` and `end`: whether more ends may be told once nothing else begins or ends at
  /// this time. Says so once.
  [[nodiscard]] virtual bool needs_poll() { return false; }
  /// Then: those of running calls that are known by now. Nothing begins before `horizon` but where
  /// one of them ends.
  virtual std::span<const End> poll_ends(Picoseconds /*now*/, Picoseconds /*horizon*/) {
    return {};
  }
  /// When it is to be asked once more, at the horizon or later: up to then none of those ends that
  /// were not told.
  [[nodiscard]] virtual std::optional<Picoseconds> next_poll_at() const { return {}; }
};

}  // namespace weft::collectives
