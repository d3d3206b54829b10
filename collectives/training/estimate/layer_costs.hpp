#pragma once

#include "collectives/training/estimate/links.hpp"
#include "collectives/training/plan/stage_share.hpp"
#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// Seconds of a micro-batch on one rank, by direction; what is recomputed is part of the backward
/// pass.
struct BothWays {
  double forward{};
  double backward{};

  [[nodiscard]] double total() const { return forward + backward; }
  BothWays& operator+=(const BothWays& other) {
    forward += other.forward;
    backward += other.backward;
    return *this;
  }
  friend BothWays operator*(BothWays a, double n) { return {a.forward * n, a.backward * n}; }
};

/// Communication: all of it, and what computation does not hide.
struct Exchange {
  BothWays all{};
  BothWays exposed{};

  Exchange& operator+=(const Exchange& other) {
    all += other.all;
    exposed += other.exposed;
    return *this;
  }
  friend Exchange operator*(const Exchange& a, double n) { return {a.all * n, a.exposed * n}; }
};

/// What a micro-batch costs in some layers.
struct LayerCosts {
  BothWays compute{};
  double weights{};  ///< of the backward pass, what gradients of weights take
  Exchange tensor{};
  Exchange context{};
  Exchange expert{};

  /// What passes until the next stage can continue.
  [[nodiscard]] BothWays exposed() const;
  LayerCosts& operator+=(const LayerCosts& other);
  friend LayerCosts operator*(const LayerCosts& a, double n) {
    return {a.compute * n, a.weights * n, a.tensor * n, a.context * n, a.expert * n};
  }
};

/// Keys and values of a micro-batch that a rank gives to the next one of its context group.
[[nodiscard]] double key_bytes(const TrainingSpec& spec);

/// Of a layer: what it computes and exchanges. What of that nothing hides is up to the passes that
/// it is in (StageRun).
[[nodiscard]] LayerCosts layer_costs(const TrainingSpec& spec, const ExchangeTimes& times,
                                     bool has_experts);

/// Of the embedding, where `share` has it, and of the output layer, likewise.
[[nodiscard]] LayerCosts end_costs(const TrainingSpec& spec, const ExchangeTimes& times,
                                   const StageShare& share);

}  // namespace weft::collectives
