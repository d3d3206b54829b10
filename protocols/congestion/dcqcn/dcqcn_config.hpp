#pragma once

#include <cstdint>
#include <optional>

#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// DCQCN, the rate control of RoCEv2 NICs (Zhu et al., "Congestion Control for Large-Scale RDMA
/// Deployments", SIGCOMM 2015), with the variations that firmware and other simulators made to it.
/// Presets and their sources: dcqcn_config.cpp. The default is `scaled`: the algorithm as published
/// and analysed, with its fair fixed point, and steps in proportion to the link. Steps of a fixed
/// size take ten times as long to be back after a cut at 400 Gbps as at the 40 Gbps that they were
/// published for (protocols/CONTROLS.md has what was measured).
struct DcqcnConfig {
  enum class Preset : std::uint8_t { kPaper, kConnectx, kHpccNs3, kScaled };
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
  /// What may be in flight.
  enum class Window : std::uint8_t {
    kNone,  ///< anything (the paper)
    kBdp,   ///< what the rate sends in an idle round trip (Li et al., HPCC, SIGCOMM 2019)
  };

  Preset preset = Preset::kScaled;
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
  /// The link that steps, byte counter and least rate are meant for; on another they are as many
  /// times as large as it is faster. Nothing: they are the same everywhere.
  std::optional<BitsPerSecond> at_rate{};
  double initial_alpha = 1.0;
  Window window = Window::kNone;

  /// All parameters of a named preset.
  static DcqcnConfig from_preset(Preset preset);
  /// The rate of the links that its steps were published for; 0 where they follow the link's, or
  /// are not those of the preset.
  [[nodiscard]] BitsPerSecond published_rate() const;
  friend bool operator==(const DcqcnConfig&, const DcqcnConfig&) = default;
};

}  // namespace weft::protocols::congestion
