#pragma once

#include <cstdint>

#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// DCQCN, the rate control of RoCEv2 NICs (Zhu et al., "Congestion Control for Large-Scale RDMA
/// Deployments", SIGCOMM 2015), with the variations that firmware and other simulators made to it.
/// Presets and their sources: dcqcn_config.cpp. The default is `paper`: the algorithm as published
/// and analysed, with its fair fixed point. The firmware's defaults recover from a cut by 5 Mbps at
/// a time, which operators retune at 400 Gbps.
struct DcqcnConfig {
  enum class Preset : std::uint8_t { kPaper, kConnectx, kHpccNs3 };
  /// When a CNP cuts the rate.
  enum class Decrease : std::uint8_t {
    kOnCnp,     ///< at the CNP itself, and alpha rises with it (the paper)
    kPeriodic,  ///< at the next check of `decrease_period`, if a CNP came since the last one
  };
  /// When a cut makes the current rate the new target.
  enum class ClampTarget : std::uint8_t {
    kAlways,         ///< at every cut (the paper)
    kAfterIncrease,  ///< only if an increase happened since the last cut (firmware)
  };

  Preset preset = Preset::kPaper;
  double g = 1.0 / 256;  ///< gain of alpha
  Picoseconds alpha_timer;
  Picoseconds cnp_interval;  ///< receiver: at least this between CNPs of a queue pair; 0: none
  bool cnp_on_ack = false;   ///< the CNP is a flag on the marked packet's own ACK
  Decrease decrease = Decrease::kPeriodic;
  Picoseconds decrease_period;  ///< kPeriodic only
  ClampTarget clamp_target = ClampTarget::kAfterIncrease;
  /// kPeriodic: whether the CNP that starts the timers counts at their first check.
  bool first_cnp_cuts = true;
  Picoseconds increase_timer;
  Bytes byte_counter;  ///< 0: no byte counter
  std::uint32_t fast_recovery_steps = 1;
  BitsPerSecond additive_increase;
  BitsPerSecond hyper_increase;
  BitsPerSecond minimum_rate;
  double initial_alpha = 1.0;

  /// All parameters of a named preset.
  static DcqcnConfig from_preset(Preset preset);
  friend bool operator==(const DcqcnConfig&, const DcqcnConfig&) = default;
};

}  // namespace weft::protocols::congestion
