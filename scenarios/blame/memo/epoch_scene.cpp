#include "scenarios/blame/memo/epoch_scene.hpp"

#include <utility>

#include "scenarios/memo/epoch_messages.hpp"
#include "scenarios/memo/epoch_store.hpp"

namespace weft::scenarios {

EpochScene::EpochScene(const Experiment& e, const protocols::PacketNetwork::Options& options,
                       const CalledEpoch& epoch)
    : e_(e),
      options_(options),
      example_(*epoch.example),
      begins_(epoch.begins),
      replay_(e, options, example_, {.at_lanes = true, .messages = {}, .sink = {}}),
      log_(replay_.workload().connections().size()) {
  replay_.on_message([this](const protocols::MessageOutcome& m) { log_.add(m); });
  run(replay_);
}

void EpochScene::run(EpochReplay& replay) const {
  // A running epoch is not whole, but all of it that has been is there.
  const EpochWindow all{.from = {}, .until = Picoseconds::max() / 4};
  (void)replay.run({*begins_, false}, all);
}

LaneWalk::Place EpochScene::walk(const LaneWalk::Place& from, Picoseconds begin,
                                 std::vector<Charge>& charges,
                                 std::vector<PathMessage>& messages) const {
  const WalkedRun run{workload(), replay_.executor(), log_, e_.scenario.run.control_latency};
  LaneWalk lanes(run, 0, begin, charges, messages);
  lanes.go_to(from);
  (void)lanes.reaches_gap();
  return lanes.place();
}

void EpochScene::watch(std::vector<protocols::WatchedMessage> messages,
                       protocols::MessageTraceSink sink,
                       const std::function<void(const protocols::PacketNetwork&)>& begin) const {
  EpochReplay replay(e_, options_, example_,
                     {.at_lanes = false, .messages = std::move(messages), .sink = std::move(sink)});
  begin(replay.network());
  run(replay);
}

ConnectionId EpochScene::connection_in_whole(const CalledEpoch& epoch, ConnectionId id) const {
  const Connection& c = workload().connections()[id.value()];
  EpochMessage any;
  any.source = c.source.value();
  any.destination = c.destination.value();
  any.lane = workload().lane_of(id);
  any.kind = c.kind;
  return connection_of(e_.workload, *epoch.place, any);
}

Culprit EpochScene::in_whole(const CalledEpoch& epoch, const Culprit& culprit) const {
  switch (culprit.kind) {
    case Culprit::Kind::kRank:
      return Culprit::rank(epoch.place->job, epoch.rank_in_whole(culprit.number));
    case Culprit::Kind::kStage:
      return Culprit::stage(epoch.place->job, culprit.number);
    case Culprit::Kind::kJob:
      return Culprit::of_job(epoch.place->job);
    case Culprit::Kind::kPort:
      return Culprit::port(epoch.place->ports[culprit.number]);
    case Culprit::Kind::kConnection:
      return Culprit::connection(connection_in_whole(epoch, ConnectionId(culprit.number)));
    case Culprit::Kind::kStorm:
      break;  // nothing is paused where flow control is by credits
  }
  return culprit;
}

Charge EpochScene::in_whole(const CalledEpoch& epoch, const Charge& charge) const {
  return {.begin = time_in_whole(epoch, charge.begin),
          .end = time_in_whole(epoch, charge.end),
          .cause = charge.cause,
          .culprit = in_whole(epoch, charge.culprit),
          .port = charge.port.is_none() ? charge.port : epoch.place->ports[charge.port.value()]};
}

PathMessage EpochScene::in_whole(const CalledEpoch& epoch, const PathMessage& message) const {
  PathMessage whole = message;
  const auto shift = [&](Picoseconds& time) {
    if (time >= Picoseconds(0)) time = time_in_whole(epoch, time);
  };
  whole.connection = connection_in_whole(epoch, message.connection);
  shift(whole.from);
  shift(whole.until);
  shift(whole.message.posted);
  shift(whole.message.delivered);
  OptionalTime& acknowledged = whole.message.acknowledged;
  if (acknowledged) acknowledged = time_in_whole(epoch, *acknowledged);
  protocols::MessageOutcome here;
  here.connection = message.connection;
  here.queue_pair = message.message.queue_pair;
  const std::uint32_t queue_pair = replay_.network().number_in_connection(here);
  whole.message.entropy = entropy_of(e_.workload, whole.connection, queue_pair);
  return whole;
}

EpochScene& EpochScenes::of(const CalledEpoch& epoch) {
  std::unique_ptr<EpochScene>& scene = scenes_[{epoch.example, key_of(*epoch.begins)}];
  if (scene == nullptr) scene = std::make_unique<EpochScene>(e_, options_, epoch);
  return *scene;
}

}  // namespace weft::scenarios
