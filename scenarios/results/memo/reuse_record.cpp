#include "scenarios/results/memo/reuse_record.hpp"

namespace weft::scenarios {
namespace {

bool says_something(const ReuseReport& reuse) {
  return reuse.mode == Reuse::kVerify || reuse.mode == Reuse::kAudit || reuse.gpu_sets > 0 ||
         reuse.rails > 0 || reuse.skips.count > 0 || !reuse.refusals.empty();
}

}  // namespace

nlohmann::ordered_json json_of(const ReuseReport& reuse) {
  if (!says_something(reuse)) return nullptr;
  return {{"gpu_sets", reuse.gpu_sets},
          {"gpus", reuse.gpus},
          {"calls", reuse.calls},
          {"epochs", reuse.epochs},
          {"epochs_simulated", reuse.simulated},
          {"epochs_ended_otherwise", reuse.ended_otherwise},
          {"rails", reuse.rails},
          {"rail_gpus", reuse.rail_gpus},
          {"rail_calls", reuse.rail_calls},
          {"rail_epochs", reuse.rail_epochs},
          {"rail_epochs_simulated", reuse.rail_simulated},
          {"epoch_packet_hops", reuse.inside.all},
          {"epoch_packet_hops_simulated", reuse.inside.simulated},
          {"rail_packet_hops", reuse.on_rails.all},
          {"rail_packet_hops_simulated", reuse.on_rails.simulated},
          {"packet_hops_simulated", reuse.simulated_hops},
          {"skips", reuse.skips.count},
          {"periods_skipped", reuse.skips.periods},
          {"packet_hops_skipped", reuse.skips.packet_hops},
          {"refusals", reuse.refusals}};
}

}  // namespace weft::scenarios
