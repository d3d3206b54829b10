#include "scenarios/blame/memo/epoch_detours.hpp"

#include <utility>

namespace weft::scenarios {
namespace {

/// Through one epoch.
class EpochDetour final : public Detour {
 public:
  EpochDetour(const EpochScene& scene, CalledEpoch epoch)
      : scene_(scene), epoch_(std::move(epoch)) {}

  [[nodiscard]] const NetworkApart& network() const override { return scene_; }
  [[nodiscard]] ConnectionId in_whole(ConnectionId connection) const override {
    return scene_.connection_in_whole(epoch_, connection);
  }
  [[nodiscard]] Charge in_whole(const Charge& charge) const override {
    return scene_.in_whole(epoch_, charge);
  }
  [[nodiscard]] PathMessage in_whole(const PathMessage& message) const override {
    return scene_.in_whole(epoch_, message);
  }

 private:
  const EpochScene& scene_;
  const CalledEpoch epoch_;
};

}  // namespace

EpochDetours::EpochDetours(const Experiment& experiment, RunReuse& reuse)
    : e_(experiment), reuse_(reuse), scenes_(experiment, reuse.options()) {
  reuse_.keep_calls();
}

std::unique_ptr<Detour> EpochDetours::walk(LaneWalk& lanes, std::uint32_t job, Picoseconds begin,
                                           std::vector<Charge>& charges) {
  const LaneWalk::Place& at = lanes.place();
  const collectives::JobPlan& plan = e_.workload.jobs()[job];
  const std::uint32_t stream = plan.program->task_streams().stream_of(at.lane);
  const std::optional<CalledEpoch> epoch =
      reuse_.call_that_ended(plan.process(at.rank), stream, at.now);
  if (!epoch) return nullptr;
  const EpochScene& scene = scenes_.of(*epoch);
  auto detour = std::make_unique<EpochDetour>(scene, *epoch);
  LaneWalk::Place place{.rank = epoch->rank_here(at.rank),
                        .lane = lanes.was_woken() ? scene.last_lane(epoch->call) : at.lane,
                        .now = scene.time_here(*epoch, at.now)};
  std::vector<Charge> inside;
  place = scene.walk(place, scene.time_here(*epoch, begin), inside, detour->messages);
  for (const Charge& charge : inside) charges.push_back(scene.in_whole(*epoch, charge));
  lanes.go_to(
      {epoch->rank_in_whole(place.rank), place.lane, scene.time_in_whole(*epoch, place.now)});
  return detour;
}

}  // namespace weft::scenarios
