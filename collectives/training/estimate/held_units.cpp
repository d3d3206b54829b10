#include "collectives/training/estimate/held_units.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "collectives/training/memory/rank_parameters.hpp"

namespace weft::collectives {
namespace {

class UnitList {
 public:
  UnitList(const TrainingSpec& spec, const UnitPasses& passes) : spec_(spec), passes_(passes) {}

  void add_share(const StageShare& share) {
    if (share.has_embedding) add(of_share({.has_embedding = true}), passes_.embedding);
    const bool ends_with_experts = share.expert_layers > 0;
    const std::uint32_t of_prediction = share.mtp_layers;
    const std::uint32_t dense = share.dense_layers - (ends_with_experts ? 0 : of_prediction);
    const std::uint32_t experts = share.expert_layers - (ends_with_experts ? of_prediction : 0);
    for (std::uint32_t i = 0; i < dense; ++i) add_layer(false);
    for (std::uint32_t i = 0; i < experts; ++i) add_layer(true);
    if (share.has_output) add_output(share.has_embedding);
    for (std::uint32_t i = 0; i < of_prediction; ++i) {
      add(joint_parameters(share, i), passes_.joint);
      add_layer(ends_with_experts);
      add({}, passes_.output);
    }
  }
  [[nodiscard]] std::vector<HeldUnit> take(const BothWays& pass) {
    BothWays sum;
    for (const HeldUnit& unit : units_) sum += unit.pass;
    for (HeldUnit& unit : units_) {
      if (sum.forward > 0) unit.pass.forward *= pass.forward / sum.forward;
      if (sum.backward > 0) unit.pass.backward *= pass.backward / sum.backward;
    }
    return std::move(units_);
  }

 private:
  [[nodiscard]] RankParameters of_share(const StageShare& share) const {
    return rank_parameters(spec_.model, spec_.parallelism, share);
  }
  void add(const RankParameters& held, const BothWays& pass) {
    units_.push_back({static_cast<double>(held.dense), static_cast<double>(held.experts), pass});
  }
  void add_layer(bool has_experts) {
    add(layer_rank_parameters(spec_.model, spec_.parallelism, has_experts),
        has_experts ? passes_.expert_layer : passes_.dense_layer);
  }
  void add_output(bool has_embedding) {
    RankParameters output = of_share({.has_output = true});
    if (has_embedding) {
      output = of_share({.has_embedding = true, .has_output = true});
      output.dense -= of_share({.has_embedding = true}).dense;
    }
    add(output, passes_.output);
  }
  /// Where the embedding is elsewhere, the first of these layers has a copy of it.
  [[nodiscard]] RankParameters joint_parameters(const StageShare& share, std::uint32_t i) const {
    StageShare ends{.has_embedding = share.has_embedding, .has_output = true};
    const auto with = [&](std::uint32_t layers) {
      ends.mtp_layers = layers;
      return of_share(ends).dense;
    };
    RankParameters own;
    own.dense = with(i + 1) - with(i);
    return own;
  }

  const TrainingSpec& spec_;
  const UnitPasses& passes_;
  std::vector<HeldUnit> units_;
};

}  // namespace

UnitPasses unit_passes(const TrainingSpec& spec, const StageRun& run) {
  const auto of = [&](const StageShare& unit) -> BothWays {
    const auto seconds = [&](StageRun::Direction direction) {
      const StageTime time = run.pass(unit, direction);
      return time.seconds + time.tail;
    };
    return {.forward = seconds(StageRun::Direction::kForward),
            .backward = seconds(StageRun::Direction::kBackward)};
  };
  UnitPasses passes;
  passes.embedding = of({.has_embedding = true});
  passes.output = of({.has_output = true});
  passes.dense_layer = of({.dense_layers = 1});
  if (spec.model.experts != 0) passes.expert_layer = of({.expert_layers = 1});
  if (spec.model.mtp_layers == 0) return passes;
  // A layer of multi-token prediction is what joins it, a layer, and the output layer once more.
  const bool has_experts = spec.model.experts != 0;
  passes.joint = of({.dense_layers = has_experts ? 0U : 1U,
                     .expert_layers = has_experts ? 1U : 0U,
                     .mtp_layers = 1});
  const BothWays& layer = has_experts ? passes.expert_layer : passes.dense_layer;
  for (const auto way : {&BothWays::forward, &BothWays::backward}) {
    passes.joint.*way = std::max(0.0, passes.joint.*way - layer.*way - passes.output.*way);
  }
  return passes;
}

std::vector<HeldUnit> held_units(const TrainingSpec& spec, const StageShare& share,
                                 const UnitPasses& passes, const BothWays& pass) {
  UnitList units(spec, passes);
  units.add_share(share);
  return units.take(pass);
}

}  // namespace weft::collectives
