#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "scenarios/blame/detour.hpp"
#include "scenarios/blame/lane_walk.hpp"
#include "scenarios/blame/message_log.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/memo/call_log.hpp"
#include "scenarios/memo/epoch_replay.hpp"

/// Paths through epochs that were memoised: each is simulated apart once more, and lanes keep
/// what they spent their time on.
namespace weft::scenarios {

/// One such epoch. Ranks, connections and ports are those of the part, times those of its network.
class EpochScene final : public NetworkApart {
 public:
  /// All arguments but the epoch must outlive it.
  EpochScene(const Experiment& experiment, const protocols::PacketNetwork::Options& options,
             const CalledEpoch& epoch);

  /// When the epoch begins.
  [[nodiscard]] Picoseconds start() const { return replay_.begun_at(); }
  /// The lane that came to the end of a call last.
  [[nodiscard]] std::uint32_t last_lane(std::size_t call) const {
    return replay_.last_lanes()[call];
  }
  /// Back to where a call began, or to `begin`; adds what is on the path.
  [[nodiscard]] LaneWalk::Place walk(const LaneWalk::Place& from, Picoseconds begin,
                                     std::vector<Charge>& charges,
                                     std::vector<PathMessage>& messages) const;

  [[nodiscard]] const Fabric& fabric() const override { return replay_.fabric(); }
  [[nodiscard]] const collectives::Workload& workload() const override {
    return replay_.workload();
  }
  void watch(std::vector<protocols::WatchedMessage> messages, protocols::MessageTraceSink sink,
             const std::function<void(const protocols::PacketNetwork&)>& begin) const override;

  // As the whole run has it, where the epoch took place as `epoch` says.
  [[nodiscard]] Picoseconds time_here(const CalledEpoch& epoch, Picoseconds time) const {
    return start() + (time - epoch.start);
  }
  [[nodiscard]] Picoseconds time_in_whole(const CalledEpoch& epoch, Picoseconds time) const {
    return epoch.start + (time - start());
  }
  [[nodiscard]] ConnectionId connection_in_whole(const CalledEpoch& epoch,
                                                 ConnectionId connection) const;
  [[nodiscard]] Charge in_whole(const CalledEpoch& epoch, const Charge& charge) const;
  [[nodiscard]] PathMessage in_whole(const CalledEpoch& epoch, const PathMessage& message) const;

 private:
  [[nodiscard]] Culprit in_whole(const CalledEpoch& epoch, const Culprit& culprit) const;
  void run(EpochReplay& replay) const;

  const Experiment& e_;
  const protocols::PacketNetwork::Options& options_;
  const collectives::GpuSet& example_;
  const std::shared_ptr<const std::vector<EpochBegin>> begins_;
  EpochReplay replay_;
  MessageLog log_;
};

/// All that are needed, each once.
class EpochScenes {
 public:
  /// All arguments must outlive it.
  EpochScenes(const Experiment& experiment, const protocols::PacketNetwork::Options& options)
      : e_(experiment), options_(options) {}

  [[nodiscard]] EpochScene& of(const CalledEpoch& epoch);

 private:
  const Experiment& e_;
  const protocols::PacketNetwork::Options& options_;
  std::map<std::pair<const collectives::GpuSet*, std::vector<std::int64_t>>,
           std::unique_ptr<EpochScene>>
      scenes_;
};

}  // namespace weft::scenarios
