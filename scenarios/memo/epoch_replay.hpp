#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collectives/memo/epoch_program.hpp"
#include "collectives/memo/gpu_sets.hpp"
#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/memo/comm_epoch.hpp"
#include "scenarios/memo/part_fabric.hpp"

namespace weft::scenarios {

[[nodiscard]] const collectives::TaskProgram& program_of(const Experiment& experiment,
                                                         const collectives::GpuSet& gpu_set);

/// The domain or the rail of a connected GPU set.
[[nodiscard]] PartFabric part_of(const Experiment& experiment, const collectives::GpuSet& gpu_set);

/// What somebody wants to see of epochs while they are simulated.
struct EpochView {
  /// Keeps what lanes spend their time on (Executor::spans).
  bool at_lanes = false;
  /// Packets of these messages, in the network's time; nothing is skipped then.
  std::vector<protocols::WatchedMessage> messages;
  protocols::MessageTraceSink sink;
};

/// Simulates epochs of a connected GPU set by packets, with nothing around it: its domain or its
/// rail, its communicators, and the network's own rules. One epoch after the other, each of which
/// begins on a quiet network.
class EpochReplay final : private collectives::TaskObserver {
 public:
  /// `options`: those of the whole run. All arguments must outlive it.
  EpochReplay(const Experiment& experiment, const protocols::PacketNetwork::Options& options,
              const collectives::GpuSet& gpu_set, const EpochView& view = {});

  /// What happens in the window; all of it where it has no bounds.
  [[nodiscard]] CommEpoch run(const EpochBegins& begins, const EpochWindow& window);

  // The same step by step, where begins are known one after the other.
  /// An epoch begins.
  void start();
  /// A rank begins a call, no earlier than `now`, and than it ends the one before.
  void add(const EpochBegin& begin);
  /// Continues until a call has ended on a rank, to `until`, or until nothing happens any more. Of
  /// several that end at one time the first.
  void advance(std::optional<Picoseconds> until);
  /// How far it is, counted from the begin of the epoch.
  [[nodiscard]] Picoseconds now() const { return network_->now() - start_; }
  /// A time up to which no call ends unless one begins, as far as that can be told; nothing: none
  /// ever does.
  [[nodiscard]] std::optional<Picoseconds> next_end();
  /// Nothing happens any more unless something begins.
  [[nodiscard]] bool is_quiescent() const { return is_quiescent_; }
  /// Whether nothing is under way from or to these ranks.
  [[nodiscard]] bool is_quiet(std::span<const std::uint32_t> ranks) const;
  /// By begin, as far as it is.
  [[nodiscard]] const std::vector<EpochEnd>& ends() const { return ends_; }
  /// Those that were simulated.
  [[nodiscard]] std::uint64_t packet_hops() const;
  /// What of the epoch was skipped since it recurs.
  [[nodiscard]] protocols::SkipCounts skips() const;
  /// What has happened; if that is all, another epoch can be begun.
  [[nodiscard]] CommEpoch finish(bool is_complete, const EpochWindow& window);

  /// Whether the last epoch left nothing behind, so that another can be run.
  [[nodiscard]] bool is_quiet() const { return is_quiet_; }
  /// Conservation laws that did not hold.
  [[nodiscard]] std::vector<std::string> violations() const;

  /// By its number here, each port's in the whole.
  [[nodiscard]] const std::vector<PortId>& ports() const { return part_.ports; }

  // For whoever reads what there was: all of it in the network's time.
  /// When the epoch began.
  [[nodiscard]] Picoseconds begun_at() const { return start_; }
  [[nodiscard]] const Fabric& fabric() const { return part_.fabric; }
  [[nodiscard]] const collectives::Workload& workload() const { return workload_; }
  [[nodiscard]] const collectives::Executor& executor() const { return *executor_; }
  [[nodiscard]] const protocols::PacketNetwork& network() const { return *network_; }
  /// By begin: the lane that came to the end of the call last.
  [[nodiscard]] const std::vector<std::uint32_t>& last_lanes() const { return last_lanes_; }
  /// Before an epoch: is told of its messages as it is finished.
  void on_message(std::function<void(const protocols::MessageOutcome&)> tell) {
    on_message_ = std::move(tell);
  }

 private:
  void begun(ProcessId process, std::uint32_t stream, std::uint32_t call, Picoseconds now) override;
  void ended(ProcessId process, std::uint32_t stream, Picoseconds now,
             Picoseconds posted_at) override;
  /// Has the call begun when it is time, if nothing that it waits for is to come before.
  void begin_in_turn(std::uint32_t number, Picoseconds now);
  void make_workload(const Experiment& e, const collectives::GpuSet& gpu_set);
  [[nodiscard]] std::uint32_t call_number(const EpochBegin& begin) const;
  /// Begins and ends of calls in the window: events of the whole run as well.
  [[nodiscard]] std::uint64_t told(const std::vector<EpochEnd>& ends,
                                   const EpochWindow& window) const;
  void collect_messages(CommEpoch& epoch);

  const collectives::TaskProgram& whole_;
  const collectives::GpuSet& gpu_set_;
  PartFabric part_;
  collectives::EpochProgram* program_ = nullptr;  ///< of the workload
  collectives::Workload workload_;
  std::unique_ptr<collectives::Executor> executor_;
  std::unique_ptr<protocols::PacketNetwork> network_;
  Picoseconds start_;                   ///< of the epoch, in the network's time
  Worker::Sums before_part_;            ///< of the epoch before the part that counts
  protocols::SkipCounts skips_before_;  ///< since the start of the run
  /// By rank and stream: numbers of begins that have not come, and of the running one.
  struct Queue {
    std::vector<std::uint32_t> coming;
    std::size_t next = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Queue> queues_;
  static constexpr std::uint32_t kNone = ~0U;
  /// Of begins of a rank at one time each waits for the one before it: a call may end as it begins,
  /// as one does that only sends, and another stream begin for that, so that times alone do not
  /// tell their order. By begin:
  struct Turn {
    std::uint32_t before = kNone;
    std::uint32_t behind = kNone;
    bool has_come = false;
  };
  std::vector<Turn> turns_;
  /// Of the network, where nothing has happened since somebody asked.
  std::optional<std::optional<Picoseconds>> next_change_;
  std::vector<EpochBegin> begins_;
  std::vector<EpochEnd> ends_;
  std::vector<std::uint32_t> last_lanes_;
  std::function<void(const protocols::MessageOutcome&)> on_message_;
  std::vector<EpochSent> before_;  ///< by rank: what it had sent when the epoch began
  bool stops_at_ends_ = false;
  bool is_quiescent_ = false;
  bool is_quiet_ = true;
};

}  // namespace weft::scenarios
