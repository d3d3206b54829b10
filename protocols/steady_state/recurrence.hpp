#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <typeinfo>
#include <vector>

#include "protocols/state/network_state.hpp"
#include "protocols/steady_state/live_part.hpp"
#include "simcore/base/histogram.hpp"
#include "simcore/engine/logical_process.hpp"

namespace weft::protocols {

/// Whether a network's state can recur while long messages are under way: nothing in it counts or
/// draws forever. So there are no congestion controls, no marks, no loss, no pauses, no scale-up
/// switches that work on data, and packets go by fixed paths, those of their flow where there are
/// several, or by all links of a host in turn.
[[nodiscard]] bool can_recur(const NetworkState& state);

/// A field of the state by its struct and its number there, in the order of its declaration.
struct FieldId {
  const std::type_info* of = nullptr;
  std::size_t number = 0;
};
/// Comparisons leave this field out; none by default. For the test that each of them matters.
inline FieldId masked_field;

/// What a network of one logical process was like between two windows: everything that decides how
/// it continues, but for the time and for how far messages are; and what it had counted.
class StateSnapshot {
 public:
  /// `part`: what may change.
  StateSnapshot(NetworkState& state, LogicalProcess& lp, const Worker& worker, LivePart part,
                Picoseconds now);

  [[nodiscard]] Picoseconds time() const { return time_; }
  /// In words that are compared.
  [[nodiscard]] std::size_t size() const { return words_.size(); }
  /// Copies of histograms besides.
  [[nodiscard]] std::size_t histograms() const { return latencies_.size(); }
  /// Whether it is like that again, at `now`: what followed follows once more. Adds to `compared`
  /// how many words that took.
  [[nodiscard]] bool is_again(NetworkState& state, LogicalProcess& lp, const Worker& worker,
                              Picoseconds now, std::uint64_t& compared) const;
  // Of a state that is that again:
  /// How often what has followed since can follow again, at most `max` times: no message comes to
  /// its last packet, and none to where it is acknowledged or waits for that.
  [[nodiscard]] std::uint64_t max_repeats(const NetworkState& state, Picoseconds now,
                                          std::uint64_t max) const;
  /// Until when it can: when somebody does what a process asked for, or looks whether anything was
  /// acknowledged of what is not.
  [[nodiscard]] Picoseconds next_check(const NetworkState& state, const LogicalProcess& lp,
                                       Picoseconds now) const;
  /// Advances the state and its counters by `times` recurrences of what followed since the
  /// snapshot.
  void repeat(NetworkState& state, LogicalProcess& lp, Worker& worker, Picoseconds& now,
              std::uint64_t times) const;

 private:
  /// How far a queue pair was.
  struct Progress {
    std::uint32_t next = 0;
    std::uint32_t unacked = 0;
    std::uint32_t received = 0;
    std::uint32_t since_ack = 0;
    Picoseconds deadline;
  };

  /// Of all queue pairs that can have any: calls `visit(sender, progress)`.
  template <class Visit>
  void for_each_progress(const NetworkState& state, Visit visit) const {
    for (std::size_t i = 0; i < progress_.size(); ++i) {
      visit(state.senders.whole(part_.queue_pairs[i]), progress_[i]);
    }
  }
  /// As many of its packets were acknowledged since as were sent.
  [[nodiscard]] bool moves_along(const NetworkState& state, const SenderState& sender,
                                 const Progress& then, Picoseconds now) const;
  /// None were: its receiver waits for more.
  [[nodiscard]] static bool stands_still(const NetworkState& state, const SenderState& sender,
                                         const Progress& then);

  Picoseconds time_;
  std::vector<std::uint64_t> words_;
  LivePart part_;
  std::vector<Progress> progress_;  ///< by queue pair of the part
  std::vector<WideUnsigned> counts_;
  Worker::Sums sums_;
  std::map<std::size_t, Histogram> latencies_;  ///< by their place among the worker's, if not empty
};

}  // namespace weft::protocols
