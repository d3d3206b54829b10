#include "collectives/memo/overlap.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace weft::collectives {
namespace {

/// Runs the tasks of a rank in an order that their dependencies allow, with a vector clock per
/// stream (Fidge, Mattern): how many calls of each communicator are known to be over.
class Overlap {
 public:
  Overlap(const TaskProgram& program, std::uint32_t rank,
          std::span<const std::uint32_t> communicators)
      : watched_(communicators.size()) {
    add(program, rank, StreamOf::compute());
    const std::span<const Communicator> all = program.task_set().communicators();
    for (std::uint32_t c = 0; c < all.size(); ++c) {
      if (std::ranges::find(all[c].ranks, rank) == all[c].ranks.end()) continue;
      const StreamOf stream = StreamOf::communicator(c);
      add(program, rank, stream);
      const auto found = std::ranges::find(communicators, c);
      if (found == communicators.end()) continue;
      Stream& added = streams_[index_.at(stream)];
      added.watched = found - communicators.begin();
      watched_[static_cast<std::size_t>(added.watched)] = index_.at(stream);
    }
  }

  CallCounts find() {
    for (bool has_moved = true; has_moved;) {
      has_moved = false;
      for (Stream& stream : streams_) {
        while (has_next(stream) && is_ready(stream)) {
          run(stream);
          has_moved = true;
        }
      }
    }
    CallCounts counts;
    for (const Stream& stream : streams_) {
      for (std::size_t i = 0; i < stream.overlaps.size(); ++i) {
        if (stream.overlaps[i]) ++counts[stream.calls[i]];
      }
    }
    return counts;
  }

 private:
  struct Stream {
    explicit Stream(TaskStream made) : tasks(std::move(made)) {}
    TaskStream tasks;
    Task next;
    bool is_made = false;  ///< `next` is to be run
    std::int64_t done = 0;
    std::ptrdiff_t watched = -1;  ///< which of the communicators asked for; -1: none
    /// After each task, of each communicator asked for: how many of its calls are over.
    std::vector<std::int64_t> clocks;
    std::vector<std::uint32_t> calls;  ///< of what is watched, by task
    std::vector<bool> overlaps;        ///< likewise
    std::vector<std::int64_t> seen;    ///< by what is watched: calls that were compared with these
  };

  void add(const TaskProgram& program, std::uint32_t rank, StreamOf stream) {
    index_.emplace(stream, streams_.size());
    streams_.emplace_back(program.task_set().tasks(rank, stream, 0));
    streams_.back().seen.resize(watched_.size());
  }
  static bool has_next(Stream& stream) {
    if (!stream.is_made) stream.is_made = stream.tasks.next(stream.next);
    return stream.is_made;
  }
  [[nodiscard]] bool is_ready(const Stream& stream) const {
    return std::ranges::all_of(stream.next.after, [this](const Dependency& d) {
      return streams_[index_.at(d.stream)].done >= d.count;
    });
  }
  /// Takes over what was over after the first `count` tasks of a stream.
  void join(std::vector<std::int64_t>& clock, const Stream& other, std::int64_t count) const {
    if (count <= 0) return;
    const std::size_t at = static_cast<std::size_t>(count - 1) * watched_.size();
    for (std::size_t w = 0; w < watched_.size(); ++w) {
      clock[w] = std::max(clock[w], other.clocks[at + w]);
    }
  }
  void run(Stream& stream) {
    std::vector<std::int64_t> clock(watched_.size());
    join(clock, stream, stream.done);
    for (const Dependency& d : stream.next.after) {
      join(clock, streams_[index_.at(d.stream)], d.count);
    }
    if (stream.watched >= 0) compare(stream, clock);
    ++stream.done;
    if (stream.watched >= 0) clock[static_cast<std::size_t>(stream.watched)] = stream.done;
    stream.clocks.insert(stream.clocks.end(), clock.begin(), clock.end());
    stream.is_made = false;
  }
  /// Whatever was run and is not known to be over may be under way. What an earlier call of this
  /// stream was compared with is marked.
  void compare(Stream& stream, const std::vector<std::int64_t>& clock) {
    bool overlaps = false;
    for (std::size_t w = 0; w < watched_.size(); ++w) {
      Stream& other = streams_[watched_[w]];
      if (&other == &stream || other.done <= clock[w]) continue;
      overlaps = true;
      for (std::int64_t i = std::max(clock[w], stream.seen[w]); i < other.done; ++i) {
        other.overlaps[static_cast<std::size_t>(i)] = true;
      }
      stream.seen[w] = other.done;
    }
    stream.calls.push_back(stream.next.call);
    stream.overlaps.push_back(overlaps);
  }

  std::vector<std::size_t> watched_;  ///< streams of the communicators asked for
  std::map<StreamOf, std::size_t> index_;
  std::vector<Stream> streams_;
};

}  // namespace

CallCounts overlapping_calls(const TaskProgram& program, std::uint32_t rank,
                             std::span<const std::uint32_t> communicators) {
  if (communicators.size() < 2) return {};
  return Overlap(program, rank, communicators).find();
}

}  // namespace weft::collectives
