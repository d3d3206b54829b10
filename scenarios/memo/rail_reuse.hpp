#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/memo/gpu_sets.hpp"
#include "collectives/runtime/call_oracle.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/memo/call_log.hpp"
#include "scenarios/memo/comm_epoch.hpp"
#include "scenarios/memo/epoch_replay.hpp"

namespace weft::scenarios {

/// Memoises the collective calls of GPUs attached to one switch. Calls that have no rank in common
/// are independent there: ports to different hosts share nothing where flow control is by credits
/// of each port. So an epoch consists of calls that share a rank, directly or through one another,
/// from when their ranks are quiet until they are again. Wherever ranks of the same rail, or of one
/// of the same kind, begin such calls at the same times counted from the first, the same follows.
///
/// A new epoch is simulated apart, step by step with the run: no further than to the next end, and
/// to the next time at which anything may begin. An epoch that goes the same way later finds it
/// recorded. When an epoch diverges from every recorded timeline, its simulation continues along
/// the new one and records it; if it has gone further by then, the epoch is simulated again up to
/// there. Any rail with the same rank layout can use the recording later.
class RailReuse {
 public:
  using End = collectives::CallOracle::End;

  /// All arguments must outlive it. `rails`: collectives::find_rails.
  RailReuse(const Experiment& experiment, protocols::PacketNetwork::Options options,
            const collectives::GpuSets& rails);

  [[nodiscard]] bool is_used() const { return !rails_.all.empty(); }
  [[nodiscard]] bool takes(ProcessId process, std::uint32_t stream) const;
  // CallOracle; all on one thread.
  std::span<const End> begin(ProcessId process, std::uint32_t stream, std::uint32_t call,
                             Picoseconds now);
  void end(ProcessId process, std::uint32_t stream);
  [[nodiscard]] bool needs_poll();
  std::span<const End> poll_ends(Picoseconds now, Picoseconds horizon);
  [[nodiscard]] std::optional<Picoseconds> next_poll_at() const { return next_poll_at_; }
  /// When a call would have ended that has now, where it was simulated in its place.
  [[nodiscard]] EpochEnd predicted_end(ProcessId process, std::uint32_t stream);

  /// As DomainReuse.
  bool begin_measurement(Picoseconds now);
  /// The run is over: closes all epochs. With a limit, those that reach it are cut off there; true:
  /// there was one.
  bool close(std::optional<Picoseconds> limit);
  /// As DomainReuse.
  [[nodiscard]] EpochDeliveries deliveries(Picoseconds since, Picoseconds until);
  /// More was simulated again than that is worth.
  [[nodiscard]] bool is_not_worthwhile() const { return is_not_worthwhile_; }
  /// As DomainReuse.
  void take(const std::function<void(const MemoisedEpoch&)>& visit);
  void forget();
  [[nodiscard]] std::size_t memory_bytes() const { return bytes_; }
  [[nodiscard]] Picoseconds last_event() const { return last_event_.value_or({}); }
  using Closed = std::function<void(const EpochPlace& place, Picoseconds start,
                                    const std::shared_ptr<const CommEpoch>& epoch)>;
  void on_closed(Closed visit) { closed_ = std::move(visit); }
  void keep_calls(CallLog& log);
  [[nodiscard]] std::optional<CalledEpoch> open_call_that_ended(ProcessId process,
                                                                std::uint32_t stream,
                                                                Picoseconds time) const;
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] std::uint64_t epochs() const { return epochs_; }
  [[nodiscard]] std::uint64_t simulated() const { return simulated_; }
  [[nodiscard]] std::uint64_t simulated_hops() const { return simulated_hops_; }
  /// As DomainReuse.
  [[nodiscard]] std::uint64_t memoised_hops() const { return memoised_hops_; }
  [[nodiscard]] const protocols::SkipCounts& skips() const { return skips_; }
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

 private:
  using Key = std::vector<std::int64_t>;
  /// What follows from some begins, as far as anybody asked.
  struct PredictedTimeline {
    std::vector<EpochEnd> ends;  ///< by begin
    OptionalTime known_until;    ///< what follows up to there
    bool is_quiescent = false;   ///< nothing happens from then on
    bool is_silent = false;      ///< and no packet was sent
    std::shared_ptr<const CommEpoch>
        epoch;  ///< all of it; null: it was not asked for, or does not end
    /// By a time and ranks, counted among those of the epoch: whether nothing was under way from or
    /// to them.
    std::map<std::pair<Picoseconds, std::vector<std::uint32_t>>, bool> quiet;
    std::weak_ptr<PredictedTimeline>
        before;  ///< the one from which this one parts, with fewer begins
    /// What simulates it, as far as `ends` are known; null: nobody does. It does so for these ranks
    /// of a rail, by place: they lie as those do that asked for it.
    std::unique_ptr<EpochReplay> replay;
    std::uint32_t rail = 0;
    std::vector<std::uint32_t> ranks;
  };
  struct Open : OpenCalls {  ///< ranks are those of the rail
    std::uint32_t rail = 0;
    std::vector<bool> is_reported;                ///< by begin: its end
    std::vector<std::uint32_t> ranks;             ///< of the rail, ascending: members of the calls
    std::shared_ptr<PredictedTimeline> timeline;  ///< of these begins
    bool needs_poll = false;

    [[nodiscard]] bool has_all_ended() const;
  };
  struct Rail {
    std::vector<Open*> open_of_rank;
    /// Where ranks wait for others and have sent nothing, by communicator and number of the call:
    /// it does not matter for how long, nor what else happens to them.
    std::map<std::pair<std::uint32_t, std::uint64_t>, Open*> waiting;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> begun;  ///< by rank, stream
    std::vector<std::unique_ptr<EpochReplay>> idle;
  };

  [[nodiscard]] const collectives::GpuSet& gpu_set(std::uint32_t rail) const {
    return rails_.all[rail];
  }
  [[nodiscard]] std::uint32_t communicator_of(std::uint32_t rail, std::uint32_t rank,
                                              std::uint32_t stream) const;
  /// The calls of a communicator: those of the program.
  [[nodiscard]] std::span<const std::uint32_t> calls_of(std::uint32_t communicator) const {
    return program_->calls_of(communicator);
  }
  [[nodiscard]] std::vector<std::uint32_t> members(std::uint32_t rail,
                                                   std::uint32_t communicator) const;
  void add(Open& open, const EpochBegin& begin, std::uint64_t number);
  /// The open epoch that a call among these ranks belongs to; what is over at this time is closed.
  Open& find_or_open_epoch(std::uint32_t rail, std::uint32_t communicator, std::uint64_t number,
                           Picoseconds now);
  /// The rank only waits to receive: nobody else has begun the call, and alone it sends nothing.
  [[nodiscard]] bool is_blocked_receiver_only(std::uint32_t rail, const EpochBegin& begin,
                                              std::uint64_t number, Picoseconds now);
  /// Whether a running epoch can release these ranks: their calls are over, and nothing is under
  /// way from or to them.
  [[nodiscard]] bool release_ranks(Open& open, const std::vector<std::uint32_t>& ranks,
                                   Picoseconds now);
  void merge(Open& into, Open& from);
  /// What only waits, and is at rest at this time, becomes a part of a running epoch.
  void join(Open& open, Open& waiting, Picoseconds now);
  void find_timeline(Open& open, Picoseconds now);
  /// Retracts ends that were reported and have not come.
  void retract_predictions(Open& open, Picoseconds now);
  [[nodiscard]] End end_of(const Open& open, std::size_t begin, EpochEnd end) const;
  /// Has the epoch simulated up to its last begin, unless a replay does so already.
  void ensure_replay(Open& open);
  /// The end of a call is known that has not come yet.
  [[nodiscard]] static bool has_new_completion(const Open& open);
  /// Continues until one is, or up to the horizon. Returns when to look again: none comes before.
  std::optional<Picoseconds> look_ahead(Open& open, Picoseconds horizon);
  /// Has the replay of a timeline with fewer begins continue with the rest of them. False: there is
  /// none, it has gone further than to the next begin, or its rail has no ranks laid out as these.
  bool fork_replay(PredictedTimeline& from, Open& open);
  /// What to add to numbers of ranks to come to those of the replay of a timeline, modulo 2^32.
  [[nodiscard]] std::optional<std::uint32_t> shift_to(const PredictedTimeline& from,
                                                      const Open& open) const;
  /// Simulates begins from one on.
  void simulate_begins(Open& open, std::size_t first, std::uint32_t shift);
  void drop_replay(PredictedTimeline& timeline);
  [[nodiscard]] bool has_users(const PredictedTimeline& timeline) const;
  /// Drops replays of timelines that no open epoch follows, but for the last few.
  void evict_unused_replays();
  /// To the next end of a call, or to `until`, or to rest; true: it came to an end of a call.
  bool advance(EpochReplay& replay, std::optional<Picoseconds> until);
  bool advance(PredictedTimeline& timeline, std::optional<Picoseconds> until);
  [[nodiscard]] bool is_over(Open& open, Picoseconds now);
  /// It is at rest: all that took place, with ranks and ports numbered by place.
  void finish(PredictedTimeline& timeline);
  [[nodiscard]] std::shared_ptr<const CommEpoch> part(const Open& open, const EpochWindow& window);
  /// From ranks of a rail, and ports of a replay, to places among these ranks.
  void renumber(std::uint32_t rail, const std::vector<std::uint32_t>& ranks,
                const std::vector<PortId>& ports, CommEpoch& epoch) const;
  [[nodiscard]] CalledEpoch called(const Open& open) const;
  /// Ends an epoch, at `until` if it is cut off.
  void close(Open& open, std::optional<Picoseconds> until);
  [[nodiscard]] Key key_of(const Open& open) const;
  [[nodiscard]] const EpochPlace& place_of(const Open& open);
  [[nodiscard]] HostId host_of(std::uint32_t rail, std::uint32_t rank) const;

  const Experiment& e_;
  const protocols::PacketNetwork::Options options_;
  const collectives::GpuSets& rails_;
  const collectives::TaskProgram* program_ = nullptr;  ///< of the job; null: there are no rails
  std::vector<Rail> states_;                           ///< by rail
  std::vector<std::vector<bool>> takes_;               ///< by process and stream
  std::vector<std::uint32_t> number_of_call_;          ///< by call: among those of its communicator
  std::vector<std::uint32_t> kind_of_call_;            ///< by call: equal calls have the same
  std::vector<std::unique_ptr<Open>> open_;
  std::vector<std::map<Key, std::shared_ptr<PredictedTimeline>>> timelines_;  ///< by kind of rail
  std::vector<std::weak_ptr<PredictedTimeline>>
      simulated_timelines_;  ///< that got a replay, the last one last
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::unique_ptr<EpochPlace>>
      places_;
  std::map<std::pair<const EpochPlace*, std::shared_ptr<const CommEpoch>>, EpochTally> tallies_;
  Closed closed_;
  CallLog* call_log_ = nullptr;
  std::vector<EpochPlace> rail_places_;  ///< of all ranks of each rail; where calls are noted
  Picoseconds measured_from_;
  std::vector<End> ends_;
  bool needs_poll_ = false;
  std::optional<Picoseconds> next_poll_at_;
  bool is_not_worthwhile_ = false;
  std::uint64_t calls_ = 0;
  std::uint64_t epochs_ = 0;
  std::uint64_t simulated_ = 0;
  std::uint64_t simulated_hops_ = 0;
  protocols::SkipCounts skips_;
  std::uint64_t budget_ = 0;        ///< the largest of reuse_budgets
  std::uint64_t dropped_hops_ = 0;  ///< of those, simulated once more
  std::uint64_t dropped_skipped_hops_ = 0;
  std::uint64_t memoised_hops_ = 0;
  std::size_t bytes_ = 0;
  OptionalTime last_event_;
  OptionalTime last_delivery_;
  std::vector<std::string> violations_;
};

}  // namespace weft::scenarios
