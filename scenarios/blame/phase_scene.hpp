#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "scenarios/blame/lane_walk.hpp"
#include "scenarios/blame/message_log.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/memo/call_log.hpp"
#include "scenarios/memo/phase_replay.hpp"

/// Paths through phases that were taken over: each is simulated apart once more, and lanes keep
/// what they spent their time on.
namespace weft::scenarios {

/// One such phase. Ranks, connections and ports are those of the part, times those of its network.
class PhaseScene {
 public:
  /// All arguments but the phase must outlive it.
  PhaseScene(const Experiment& experiment, const protocols::PacketNetwork::Options& options,
             const CalledPhase& phase);

  /// When the phase begins.
  [[nodiscard]] Picoseconds start() const { return replay_.begun_at(); }
  /// The lane that came to the end of a call last.
  [[nodiscard]] std::uint32_t last_lane(std::size_t call) const {
    return replay_.last_lanes()[call];
  }
  /// Back to where a call began, or to `begin`; adds what is on the path.
  [[nodiscard]] LaneWalk::Place walk(const LaneWalk::Place& from, Picoseconds begin,
                                     std::vector<Charge>& charges,
                                     std::vector<PathMessage>& messages) const;

  [[nodiscard]] const Fabric& fabric() const { return replay_.fabric(); }
  [[nodiscard]] const collectives::Workload& workload() const { return replay_.workload(); }

  /// Simulates it again, looking at packets of messages; `begin` is told the network that is run.
  void watch(const PhaseLook& look,
             const std::function<void(const protocols::PacketNetwork&)>& begin) const;

  // As the whole run has it, where the phase took place as `phase` says.
  [[nodiscard]] Picoseconds time_here(const CalledPhase& phase, Picoseconds time) const {
    return start() + (time - phase.start);
  }
  [[nodiscard]] Picoseconds time_in_whole(const CalledPhase& phase, Picoseconds time) const {
    return phase.start + (time - start());
  }
  [[nodiscard]] ConnectionId connection_in_whole(const CalledPhase& phase,
                                                 ConnectionId connection) const;
  [[nodiscard]] Charge in_whole(const CalledPhase& phase, const Charge& charge) const;
  [[nodiscard]] PathMessage in_whole(const CalledPhase& phase, const PathMessage& message) const;

 private:
  [[nodiscard]] Culprit in_whole(const CalledPhase& phase, const Culprit& culprit) const;
  void run(PhaseReplay& replay) const;

  const Experiment& e_;
  const protocols::PacketNetwork::Options& options_;
  const collectives::Component& example_;
  const std::shared_ptr<const std::vector<PhaseBegin>> begins_;
  PhaseReplay replay_;
  MessageLog log_;
};

/// All that are needed, each once.
class PhaseScenes {
 public:
  /// All arguments must outlive it.
  PhaseScenes(const Experiment& experiment, const protocols::PacketNetwork::Options& options)
      : e_(experiment), options_(options) {}

  [[nodiscard]] PhaseScene& of(const CalledPhase& phase);

 private:
  const Experiment& e_;
  const protocols::PacketNetwork::Options& options_;
  std::map<std::pair<const collectives::Component*, std::vector<std::int64_t>>,
           std::unique_ptr<PhaseScene>>
      scenes_;
};

}  // namespace weft::scenarios
