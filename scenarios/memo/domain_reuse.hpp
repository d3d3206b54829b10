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

#include "collectives/memo/gpu_sets.hpp"
#include "collectives/runtime/call_oracle.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/memo/call_log.hpp"
#include "scenarios/memo/epoch_store.hpp"
#include "scenarios/results/memo/reuse_report.hpp"

namespace weft::scenarios {

/// Takes the calls of GPU sets over: each epoch is looked up by the times, counted from its first
/// one, at which ranks begin calls, and simulated apart if it is new. What happens then is the same
/// to the bit: the links of a connected GPU set are quiet before, nobody else uses them, and no
/// rule of the network remembers what went before (protocols/MODEL.md, section 12).
class DomainReuse {
 public:
  using End = collectives::CallOracle::End;

  /// All arguments must outlive it. Unless calls are handed over to it, everything is simulated in
  /// its place and told to it: to verify, what would have been taken is compared with that; to
  /// audit, epochs that begin alike are compared with each other.
  DomainReuse(const Experiment& experiment, protocols::PacketNetwork::Options options,
              collectives::GpuSets gpu_sets, Reuse mode);

  [[nodiscard]] bool is_used() const { return !gpu_sets_.all.empty(); }
  // What the executor asks.
  [[nodiscard]] bool takes(ProcessId process, std::uint32_t stream) const;
  std::span<const End> begin(ProcessId process, std::uint32_t stream, std::uint32_t call,
                             Picoseconds now);
  void end(ProcessId process, std::uint32_t stream);
  // What it tells, where this watches.
  void begun(ProcessId process, std::uint32_t stream, std::uint32_t call, Picoseconds now);
  void ended(ProcessId process, std::uint32_t stream, Picoseconds now, Picoseconds posted_at);

  /// Statistics begin again, once what was over before is taken. Of running epochs only the
  /// rest will count; true: there are some.
  bool begin_measurement(Picoseconds now);
  /// The run is over: closes all epochs. With a limit, those that reach it are cut off there; true:
  /// there was one.
  bool close(std::optional<Picoseconds> limit);
  /// What it delivered from `since` on and before `until`, which is now.
  [[nodiscard]] EpochDeliveries deliveries(Picoseconds since, Picoseconds until);
  /// Kinds of GPU sets whose calls overlap so that finding their ends costs more than simulating
  /// them in their place would have.
  [[nodiscard]] std::vector<bool> kinds_not_worthwhile() const;
  [[nodiscard]] bool is_not_worthwhile() const { return is_not_worthwhile_; }
  /// What took place since the last time, between two windows or after the run: `visit` each, then
  /// `use` them all, before what they refer to is forgotten.
  void take(const std::function<void(const MemoisedEpoch&)>& visit,
            const std::function<void()>& use);
  /// Of what was kept since the last time.
  [[nodiscard]] std::size_t memory_bytes() const;
  /// When the last thing happened in an epoch.
  [[nodiscard]] Picoseconds last_event() const;
  /// Packet-hops of epochs that are over by now.
  [[nodiscard]] std::uint64_t memoised_hops() const;
  [[nodiscard]] ReuseReport report() const;
  /// Sentences about laws that do not hold, and about results that differ from the prediction.
  [[nodiscard]] std::vector<std::string> violations() const;

  [[nodiscard]] const collectives::GpuSets& gpu_sets() const { return gpu_sets_; }
  /// Of the GPU set's kind.
  [[nodiscard]] EpochStore& store(std::uint32_t gpu_set) {
    return *stores_[gpu_sets_.all[gpu_set].kind];
  }
  /// Rows of epochs are wanted: `visit(place, start, epoch)` as each is closed.
  using Closed = std::function<void(const EpochPlace& place, Picoseconds start,
                                    const EpochStore::Found& epoch)>;
  void on_closed(Closed visit) { closed_ = std::move(visit); }
  /// Notes the calls of epochs that are over.
  void keep_calls(CallLog& log) { call_log_ = &log; }
  /// Of a running epoch: the call of a rank's stream that ended then, if it took some time.
  [[nodiscard]] std::optional<CalledEpoch> open_call_that_ended(ProcessId process,
                                                                std::uint32_t stream,
                                                                Picoseconds time) const;

 private:
  /// The running epoch of a connected GPU set.
  struct Open : OpenCalls {
    bool is_open = false;
    EpochStore::Found epoch;     ///< of these begins; null: not asked for yet
    std::vector<EpochEnd> seen;  ///< by begin: of what is audited

    [[nodiscard]] EpochBegins all() const { return {begins, is_complete()}; }
  };
  struct State {
    Open open;
    std::map<EpochStore::Found, EpochTally> tallies;
    std::vector<End> ends;
    std::uint64_t epochs = 0;
    std::uint64_t calls = 0;
    OptionalTime last_event;
    OptionalTime last_delivery;
  };
  [[nodiscard]] EpochBegin begin_of(const collectives::GpuSet& gpu_set, ProcessId process,
                                    std::uint32_t stream, std::uint32_t call,
                                    Picoseconds time) const;
  void add_begin(const collectives::GpuSet& gpu_set, Open& open, const EpochBegin& begin) const;
  [[nodiscard]] CalledEpoch called(std::uint32_t gpu_set, Picoseconds start,
                                   std::shared_ptr<const std::vector<EpochBegin>> begins) const;
  /// Ends the open epoch of a connected GPU set, at `until` if it is cut off.
  void close(std::uint32_t gpu_set, std::optional<Picoseconds> until);
  /// Whether all of it happens before this time.
  [[nodiscard]] static bool is_over_before(const Open& open, Picoseconds time);
  void find_ends(std::uint32_t gpu_set);
  void note_difference(ProcessId process, Picoseconds begun_at, Picoseconds now,
                       OptionalTime predicted);
  /// If what is audited is over, compares it with the first that began alike.
  void audit(std::uint32_t gpu_set);

  const Experiment& e_;
  const protocols::PacketNetwork::Options options_;
  const collectives::GpuSets gpu_sets_;
  const Reuse mode_;
  std::vector<std::unique_ptr<EpochStore>> stores_;  ///< by kind
  std::vector<State> states_;                        ///< by GPU set
  std::vector<EpochPlace> places_;                   ///< by GPU set
  std::vector<std::vector<bool>> takes_;             ///< by process and stream
  /// By job and call: its number among those of its communicator.
  std::vector<std::vector<std::uint32_t>> number_of_call_;
  Closed closed_;
  CallLog* call_log_ = nullptr;
  Picoseconds measured_from_;
  mutable std::mutex mutex_;
  std::vector<std::string> differences_;
  std::atomic<bool> is_not_worthwhile_ = false;
  // Of an audit.
  std::vector<std::map<EpochStore::Key, std::vector<EpochEnd>>> seen_;  ///< by kind
  std::uint64_t ended_otherwise_ = 0;
};

}  // namespace weft::scenarios
