#include "scenarios/blame/phase_scene.hpp"

#include "scenarios/memo/phase_messages.hpp"
#include "scenarios/memo/phase_store.hpp"

namespace weft::scenarios {

PhaseScene::PhaseScene(const Experiment& e, const protocols::PacketNetwork::Options& options,
                       const CalledPhase& phase)
    : e_(e),
      options_(options),
      example_(*phase.example),
      begins_(phase.begins),
      replay_(e, options, example_, {.at_lanes = true, .messages = {}, .sink = {}}),
      log_(replay_.workload().connections().size()) {
  replay_.on_message([this](const protocols::MessageOutcome& m) { log_.add(m); });
  run(replay_);
}

void PhaseScene::run(PhaseReplay& replay) const {
  // A phase that continues is not whole, but all of it that has been is there.
  const PhaseWindow all{.from = {}, .until = Picoseconds::max() / 4};
  (void)replay.run({*begins_, false}, all);
}

LaneWalk::Place PhaseScene::walk(const LaneWalk::Place& from, Picoseconds begin,
                                 std::vector<Charge>& charges,
                                 std::vector<PathMessage>& messages) const {
  const WalkedRun run{workload(), replay_.executor(), log_, e_.scenario.run.control_latency};
  LaneWalk lanes(run, 0, begin, charges, messages);
  lanes.go_to(from);
  (void)lanes.reaches_gap();
  return lanes.place();
}

void PhaseScene::watch(const PhaseLook& look,
                       const std::function<void(const protocols::PacketNetwork&)>& begin) const {
  PhaseReplay replay(e_, options_, example_, look);
  begin(replay.network());
  run(replay);
}

ConnectionId PhaseScene::connection_in_whole(const CalledPhase& phase, ConnectionId id) const {
  const Connection& c = workload().connections()[id.value()];
  PhaseMessage any;
  any.source = c.source.value();
  any.destination = c.destination.value();
  any.lane = workload().lane_of(id);
  any.kind = c.kind;
  return connection_of(e_.workload, *phase.place, any);
}

Culprit PhaseScene::in_whole(const CalledPhase& phase, const Culprit& culprit) const {
  switch (culprit.kind) {
    case Culprit::Kind::kRank:
      return Culprit::rank(phase.place->job, phase.rank_in_whole(culprit.number));
    case Culprit::Kind::kStage:
      return Culprit::stage(phase.place->job, culprit.number);
    case Culprit::Kind::kJob:
      return Culprit::of_job(phase.place->job);
    case Culprit::Kind::kPort:
      return Culprit::port(phase.place->ports[culprit.number]);
    case Culprit::Kind::kConnection:
      return Culprit::connection(connection_in_whole(phase, ConnectionId(culprit.number)));
    case Culprit::Kind::kStorm:
      break;  // nothing is paused where flow control is by credits
  }
  return culprit;
}

Charge PhaseScene::in_whole(const CalledPhase& phase, const Charge& charge) const {
  return {.begin = time_in_whole(phase, charge.begin),
          .end = time_in_whole(phase, charge.end),
          .cause = charge.cause,
          .culprit = in_whole(phase, charge.culprit),
          .port = charge.port.is_none() ? charge.port : phase.place->ports[charge.port.value()]};
}

PathMessage PhaseScene::in_whole(const CalledPhase& phase, const PathMessage& message) const {
  PathMessage whole = message;
  const auto shift = [&](Picoseconds& time) {
    if (time >= Picoseconds(0)) time = time_in_whole(phase, time);
  };
  whole.connection = connection_in_whole(phase, message.connection);
  shift(whole.from);
  shift(whole.until);
  shift(whole.message.posted);
  shift(whole.message.delivered);
  shift(whole.message.acknowledged);
  protocols::MessageOutcome here;
  here.connection = message.connection;
  here.queue_pair = message.message.queue_pair;
  const std::uint32_t queue_pair = replay_.network().number_in_connection(here);
  whole.message.entropy = entropy_of(e_.workload, whole.connection, queue_pair);
  return whole;
}

PhaseScene& PhaseScenes::of(const CalledPhase& phase) {
  std::unique_ptr<PhaseScene>& scene = scenes_[{phase.example, key_of(*phase.begins)}];
  if (scene == nullptr) scene = std::make_unique<PhaseScene>(e_, options_, phase);
  return *scene;
}

}  // namespace weft::scenarios
