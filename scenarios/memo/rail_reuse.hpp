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

#include "collectives/memo/components.hpp"
#include "collectives/runtime/call_reuse.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/memo/call_log.hpp"
#include "scenarios/memo/phase.hpp"
#include "scenarios/memo/phase_replay.hpp"

namespace weft::scenarios {

/// Takes over the calls of GPUs attached to one switch. Calls that have no rank in common do not
/// meet there: ports to different hosts share nothing where flow control is by credits of each
/// port. So a phase is of calls that do, by a rank or by one another, from when their ranks are
/// quiet until they are again; wherever ranks of the same rail, or of one that is alike, begin such
/// calls at the same times counted from the first, the same follows.
///
/// A phase that is new is simulated apart, step by step with the run: no further than to the next
/// end, and to the next time at which anything may begin. Whoever goes the same way later finds it
/// gone. Where a way parts from all known ones, what simulated the one before continues with it, or
/// if that has gone further by then, it is simulated again up to there.
class RailReuse {
 public:
  using End = collectives::CallReuse::End;

  /// All arguments must outlive it. `rails`: collectives::find_rails.
  RailReuse(const Experiment& experiment, protocols::PacketNetwork::Options options,
            const collectives::Components& rails);

  [[nodiscard]] bool is_used() const { return !rails_.all.empty(); }
  [[nodiscard]] bool takes(ProcessId process, std::uint32_t stream) const;
  // CallReuse; all on one thread.
  std::span<const End> begin(ProcessId process, std::uint32_t stream, std::uint32_t call,
                             Picoseconds now);
  void end(ProcessId process, std::uint32_t stream);
  [[nodiscard]] bool asks_again();
  std::span<const End> tell_more(Picoseconds now, Picoseconds horizon);
  [[nodiscard]] std::optional<Picoseconds> asks_again_at() const { return asks_again_at_; }
  /// When a call would have ended that has now, where it was simulated in its place.
  [[nodiscard]] PhaseEnd foreseen_end(ProcessId process, std::uint32_t stream);

  /// As DomainReuse.
  bool begin_measurement(Picoseconds now);
  /// The run is over: closes all phases. With a limit, those that reach it are cut off there; true:
  /// there was one.
  bool close(std::optional<Picoseconds> limit);
  /// As DomainReuse.
  [[nodiscard]] PhaseDeliveries deliveries(Picoseconds since, Picoseconds until);
  /// More was simulated again than that is worth.
  [[nodiscard]] bool is_hopeless() const { return is_hopeless_; }
  /// As DomainReuse.
  void take(const std::function<void(const TakenPhase&)>& visit);
  void forget();
  [[nodiscard]] std::size_t memory_bytes() const { return bytes_; }
  [[nodiscard]] Picoseconds last_event() const { return last_event_; }
  using Closed = std::function<void(const PhasePlace& place, Picoseconds start,
                                    const std::shared_ptr<const Phase>& phase)>;
  void on_closed(Closed visit) { closed_ = std::move(visit); }
  void keep_calls(CallLog& log);
  [[nodiscard]] std::optional<CalledPhase> open_call_that_ended(ProcessId process,
                                                                std::uint32_t stream,
                                                                Picoseconds time) const;
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] std::uint64_t phases() const { return phases_; }
  [[nodiscard]] std::uint64_t simulated() const { return simulated_; }
  [[nodiscard]] std::uint64_t simulated_hops() const { return simulated_hops_; }
  /// As DomainReuse.
  [[nodiscard]] std::uint64_t taken_hops() const { return taken_hops_; }
  [[nodiscard]] const protocols::SkipCounts& skips() const { return skips_; }
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

 private:
  using Key = std::vector<std::int64_t>;
  /// What follows from some begins, as far as anybody asked.
  struct Course {
    std::vector<PhaseEnd> ends;          ///< by begin
    Picoseconds known_until{-1};         ///< what follows up to there
    bool is_at_rest = false;             ///< nothing happens from then on
    bool is_silent = false;              ///< and no packet was sent
    std::shared_ptr<const Phase> phase;  ///< all of it; null: it was not asked for, or does not end
    /// By a time and ranks, counted among those of the phase: whether nothing was under way from or
    /// to them.
    std::map<std::pair<Picoseconds, std::vector<std::uint32_t>>, bool> quiet;
    std::weak_ptr<Course> before;  ///< the one from which this one parts, with fewer begins
    /// What simulates it, as far as `ends` are known; null: nobody does. It does so for these ranks
    /// of a rail, by place: they lie as those do that asked for it.
    std::unique_ptr<PhaseReplay> replay;
    std::uint32_t rail = 0;
    std::vector<std::uint32_t> ranks;
  };
  struct Open : OpenCalls {  ///< ranks are those of the rail
    std::uint32_t rail = 0;
    std::vector<bool> is_told;         ///< by begin: its end
    std::vector<std::uint32_t> ranks;  ///< of the rail, ascending: members of the calls
    std::shared_ptr<Course> course;    ///< of these begins
    bool asks = false;

    [[nodiscard]] bool has_all_ended() const;
  };
  struct Rail {
    std::vector<Open*> open_of_rank;
    /// Where ranks wait for others and have sent nothing, by communicator and number of the call:
    /// it does not matter for how long, nor what else happens to them.
    std::map<std::pair<std::uint32_t, std::uint64_t>, Open*> waiting;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> begun;  ///< by rank, stream
    std::vector<std::unique_ptr<PhaseReplay>> idle;
  };

  [[nodiscard]] const collectives::Component& component(std::uint32_t rail) const {
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
  void add(Open& open, const PhaseBegin& begin, std::uint64_t number);
  /// The open phase that a call among these ranks belongs to; what is over at this time is closed.
  Open& open_for(std::uint32_t rail, std::uint32_t communicator, std::uint64_t number,
                 Picoseconds now);
  /// Nobody else has begun the call, and a rank that does so alone sends nothing.
  [[nodiscard]] bool only_waits(std::uint32_t rail, const PhaseBegin& begin, std::uint64_t number,
                                Picoseconds now);
  /// Of a phase that continues, these ranks have no part any more: their calls are over, and
  /// nothing is under way from or to them.
  [[nodiscard]] bool lets_go(Open& open, const std::vector<std::uint32_t>& ranks, Picoseconds now);
  void merge(Open& into, Open& from);
  /// What only waits, and is at rest at this time, becomes a part of a phase that continues.
  void join(Open& open, Open& waiting, Picoseconds now);
  void find_course(Open& open, Picoseconds now);
  /// Ends that were told and are not known any more.
  void take_back(Open& open, Picoseconds now);
  [[nodiscard]] End end_of(const Open& open, std::size_t begin, PhaseEnd end) const;
  /// Has the phase simulated up to its last begin, unless somebody does.
  void bring_replay(Open& open);
  /// The end of a call is known that has not come.
  [[nodiscard]] static bool knows_more(const Open& open);
  /// Continues until one is, or up to the horizon. Returns when to look again: none comes before.
  std::optional<Picoseconds> look_ahead(Open& open, Picoseconds horizon);
  /// Has the replay of a course with fewer begins continue with the rest of them. False: there is
  /// none, it has gone further than to the next begin, or no ranks lie about it as these do.
  bool carry_on(Course& from, Open& open);
  /// What to add to numbers of ranks to come to those of the replay of a course, modulo 2^32.
  [[nodiscard]] std::optional<std::uint32_t> shift_to(const Course& from, const Open& open) const;
  /// Simulates begins from one on.
  void simulate_begins(Open& open, std::size_t first, std::uint32_t shift);
  void drop_replay(Course& course);
  [[nodiscard]] bool is_anybody_on(const Course& course) const;
  /// Drops replays of courses that nobody is on, but for the last few.
  void drop_left_behind();
  /// To the next end of a call, or to `until`, or to rest; true: it came to an end of a call.
  bool go_on(PhaseReplay& replay, std::optional<Picoseconds> until);
  bool go_on(Course& course, std::optional<Picoseconds> until);
  [[nodiscard]] bool is_over(Open& open, Picoseconds now);
  /// It is at rest: all that took place, with ranks and ports numbered by place.
  void finish(Course& course);
  [[nodiscard]] std::shared_ptr<const Phase> part(const Open& open, const PhaseWindow& window);
  /// From ranks of a rail, and ports of a replay, to places among these ranks.
  void renumber(std::uint32_t rail, const std::vector<std::uint32_t>& ranks,
                const std::vector<PortId>& ports, Phase& phase) const;
  [[nodiscard]] CalledPhase called(const Open& open) const;
  /// Ends a phase, at `until` if it is cut off.
  void close(Open& open, std::optional<Picoseconds> until);
  [[nodiscard]] Key key_of(const Open& open) const;
  [[nodiscard]] const PhasePlace& place_of(const Open& open);
  [[nodiscard]] HostId host_of(std::uint32_t rail, std::uint32_t rank) const;

  const Experiment& e_;
  const protocols::PacketNetwork::Options options_;
  const collectives::Components& rails_;
  const collectives::TaskProgram* program_ = nullptr;  ///< of the job; null: there are no rails
  std::vector<Rail> states_;                           ///< by rail
  std::vector<std::vector<bool>> takes_;               ///< by process and stream
  std::vector<std::uint32_t> number_of_call_;          ///< by call: among those of its communicator
  std::vector<std::uint32_t> kind_of_call_;            ///< by call: equal calls have the same
  std::vector<std::unique_ptr<Open>> open_;
  std::vector<std::map<Key, std::shared_ptr<Course>>> courses_;  ///< by kind of rail
  std::vector<std::weak_ptr<Course>> simulated_courses_;  ///< that got a replay, the last one last
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::unique_ptr<PhasePlace>>
      places_;
  std::map<std::pair<const PhasePlace*, std::shared_ptr<const Phase>>, PhaseTally> tallies_;
  Closed closed_;
  CallLog* call_log_ = nullptr;
  std::vector<PhasePlace> rail_places_;  ///< of all ranks of each rail; where calls are noted
  Picoseconds measured_from_;
  std::vector<End> ends_;
  bool asks_ = false;
  std::optional<Picoseconds> asks_again_at_;
  bool is_hopeless_ = false;
  std::uint64_t calls_ = 0;
  std::uint64_t phases_ = 0;
  std::uint64_t simulated_ = 0;
  std::uint64_t simulated_hops_ = 0;
  protocols::SkipCounts skips_;
  std::uint64_t dropped_hops_ = 0;  ///< of those, simulated once more
  std::uint64_t dropped_skipped_hops_ = 0;
  std::uint64_t taken_hops_ = 0;
  std::size_t bytes_ = 0;
  Picoseconds last_event_{-1};
  Picoseconds last_delivery_{-1};
  std::vector<std::string> violations_;
};

}  // namespace weft::scenarios
