#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/memo/components.hpp"
#include "collectives/runtime/call_reuse.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/memo/call_log.hpp"
#include "scenarios/memo/phase_store.hpp"
#include "scenarios/results/reuse_report.hpp"

namespace weft::scenarios {

/// Takes the calls of components over: each phase is looked up by the times, counted from its first
/// one, at which ranks begin calls, and simulated apart if it is new. What happens then is the same
/// to the bit: the links of a component are quiet before, nobody else uses them, and no rule of the
/// network remembers what went before (protocols/MODEL.md, section 12).
class DomainReuse {
 public:
  using End = collectives::CallReuse::End;

  /// All arguments must outlive it. Unless calls are handed over to it, everything is simulated in
  /// its place and told to it: to verify, what would have been taken is compared with that; to
  /// audit, phases that begin alike are compared with each other.
  DomainReuse(const Experiment& experiment, protocols::PacketNetwork::Options options,
              collectives::Components components, Reuse mode);

  [[nodiscard]] bool is_used() const { return !components_.all.empty(); }
  // What the executor asks.
  [[nodiscard]] bool takes(ProcessId process, std::uint32_t stream) const;
  std::span<const End> begin(ProcessId process, std::uint32_t stream, std::uint32_t call,
                             Picoseconds now);
  void end(ProcessId process, std::uint32_t stream);
  // What it tells, where this watches.
  void begun(ProcessId process, std::uint32_t stream, std::uint32_t call, Picoseconds now);
  void ended(ProcessId process, std::uint32_t stream, Picoseconds now, Picoseconds posted_at);

  /// Statistics begin again, once what was over before is taken. Of phases that continue only the
  /// rest will count; true: there are some.
  bool begin_measurement(Picoseconds now);
  /// The run is over: closes all phases. With a limit, those that reach it are cut off there; true:
  /// there was one.
  bool close(std::optional<Picoseconds> limit);
  /// What it delivered from `since` on and before `until`, which is now.
  [[nodiscard]] PhaseDeliveries deliveries(Picoseconds since, Picoseconds until);
  /// Kinds of components whose calls overlap so that finding their ends costs more than simulating
  /// them in their place would have.
  [[nodiscard]] std::vector<bool> hopeless_kinds() const;
  [[nodiscard]] bool is_hopeless() const { return is_hopeless_; }
  /// What took place since the last time, between two windows or after the run: `visit` each, then
  /// `use` them all, before what they refer to is forgotten.
  void take(const std::function<void(const TakenPhase&)>& visit, const std::function<void()>& use);
  /// Of what was kept since the last time.
  [[nodiscard]] std::size_t memory_bytes() const;
  /// When the last thing happened in a phase.
  [[nodiscard]] Picoseconds last_event() const;
  /// Packet-hops of phases that are over by now.
  [[nodiscard]] std::uint64_t taken_hops() const;
  [[nodiscard]] ReuseReport report() const;
  /// Sentences about laws that do not hold, and about what took place otherwise than was foreseen.
  [[nodiscard]] std::vector<std::string> violations() const;

  [[nodiscard]] const collectives::Components& components() const { return components_; }
  /// Of the component's kind.
  [[nodiscard]] PhaseStore& store(std::uint32_t component) {
    return *stores_[components_.all[component].kind];
  }
  /// Rows of phases are wanted: `visit(place, start, phase)` as each is closed.
  using Closed = std::function<void(const PhasePlace& place, Picoseconds start,
                                    const PhaseStore::Found& phase)>;
  void on_closed(Closed visit) { closed_ = std::move(visit); }
  /// Notes the calls of phases that are over.
  void keep_calls(CallLog& log) { call_log_ = &log; }
  /// Of a phase that continues: the call of a rank's stream that ended then, if it took some time.
  [[nodiscard]] std::optional<CalledPhase> open_call_that_ended(ProcessId process,
                                                                std::uint32_t stream,
                                                                Picoseconds time) const;

 private:
  /// The running phase of a component.
  struct Open : OpenCalls {
    bool is_open = false;
    PhaseStore::Found phase;     ///< of these begins; null: not asked for yet
    std::vector<PhaseEnd> seen;  ///< by begin: of what is audited

    [[nodiscard]] PhaseBegins all() const { return {begins, is_complete()}; }
  };
  struct State {
    Open open;
    std::map<PhaseStore::Found, PhaseTally> tallies;
    std::vector<End> ends;
    std::uint64_t phases = 0;
    std::uint64_t calls = 0;
    Picoseconds last_event{-1};
    Picoseconds last_delivery{-1};
  };
  [[nodiscard]] PhaseBegin begin_of(const collectives::Component& component, ProcessId process,
                                    std::uint32_t stream, std::uint32_t call,
                                    Picoseconds time) const;
  void add_begin(const collectives::Component& component, Open& open,
                 const PhaseBegin& begin) const;
  [[nodiscard]] CalledPhase called(std::uint32_t component, Picoseconds start,
                                   std::shared_ptr<const std::vector<PhaseBegin>> begins) const;
  /// Ends the open phase of a component, at `until` if it is cut off.
  void close(std::uint32_t component, std::optional<Picoseconds> until);
  /// Whether all of it happens before this time.
  [[nodiscard]] static bool is_over_before(const Open& open, Picoseconds time);
  void find_ends(std::uint32_t component);
  void note_difference(ProcessId process, Picoseconds begun_at, Picoseconds now,
                       Picoseconds foreseen);
  /// If what is audited is over, compares it with the first that began alike.
  void audit(std::uint32_t component);

  const Experiment& e_;
  const protocols::PacketNetwork::Options options_;
  const collectives::Components components_;
  const Reuse mode_;
  std::vector<std::unique_ptr<PhaseStore>> stores_;  ///< by kind
  std::vector<State> states_;                        ///< by component
  std::vector<PhasePlace> places_;                   ///< by component
  std::vector<std::vector<bool>> takes_;             ///< by process and stream
  /// By job and call: its number among those of its communicator.
  std::vector<std::vector<std::uint32_t>> number_of_call_;
  Closed closed_;
  CallLog* call_log_ = nullptr;
  Picoseconds measured_from_;
  mutable std::mutex mutex_;
  std::vector<std::string> differences_;
  std::atomic<bool> is_hopeless_ = false;
  // Of an audit.
  std::vector<std::map<PhaseStore::Key, std::vector<PhaseEnd>>> seen_;  ///< by kind
  std::uint64_t ended_otherwise_ = 0;
};

}  // namespace weft::scenarios
