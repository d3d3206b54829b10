#include "protocols/congestion/dcqcn/dcqcn_config.hpp"

namespace weft::protocols::congestion {

DcqcnConfig DcqcnConfig::from_preset(Preset preset) {
  DcqcnConfig c;
  c.preset = preset;
  switch (preset) {
    case Preset::kPaper:
    case Preset::kScaled:
      // SIGCOMM 2015, section 5 and table "parameters": 40 Gbps deployment.
      c.g = 1.0 / 256;
      c.alpha_timer = 55_us;
      c.cnp_interval = 50_us;
      c.decrease = Decrease::kOnCnp;
      c.clamp_target = ClampTarget::kAlways;
      c.increase_timer = 55_us;
      c.byte_counter = 10_MB;
      c.fast_recovery_steps = 5;
      c.additive_increase = 40_Mbps;
      c.hyper_increase = 400_Mbps;
      c.minimum_rate = 10_Mbps;  // not published; small against every fair share tested
      // Steps in proportion to the rate of the link, as Li et al., HPCC, SIGCOMM 2019, section 5.1,
      // and the runs published with it take DCQCN to 100 and 400 Gbps.
      if (preset == Preset::kScaled) c.at_rate = 40_Gbps;
      break;
    case Preset::kConnectx:
      // Firmware defaults of ConnectX: NVIDIA DOCA "DCQCN CC parameters" and DOC-2790
      // (dce_tcp_g 1019 of 1024, dce_tcp_rtt 1 us, min_time_between_cnps 4 us,
      // rate_reduce_monitor_period 4 us, rpg_time_reset 300 us, rpg_byte_reset 32767,
      // rpg_threshold 1, rpg_ai_rate 5, rpg_hai_rate 50, rpg_min_rate 1, initial alpha 1023/1024,
      // clamp_tgt_rate 0 and clamp_tgt_rate_after_time_inc 1).
      c.g = 5.0 / 1024;
      c.alpha_timer = 1_us;
      c.cnp_interval = 4_us;
      c.decrease = Decrease::kPeriodic;
      c.decrease_period = 4_us;
      c.clamp_target = ClampTarget::kAfterIncrease;
      c.increase_timer = 300_us;
      c.byte_counter = Bytes(32767);
      c.fast_recovery_steps = 1;
      c.additive_increase = 5_Mbps;
      c.hyper_increase = 50_Mbps;
      c.minimum_rate = 1_Mbps;
      c.initial_alpha = 1023.0 / 1024;
      break;
    case Preset::kHpccNs3:
      // The ns-3 model published with HPCC (Li et al., SIGCOMM 2019), its "dcqcn" mode at 100 Gbps.
      c.g = 1.0 / 256;
      c.alpha_timer = 1_us;
      c.cnp_interval = Picoseconds(0);
      c.cnp_on_ack = true;
      c.decrease = Decrease::kPeriodic;
      c.decrease_period = 4_us;
      c.clamp_target = ClampTarget::kAfterIncrease;
      c.increase_timer = 300_us;
      c.byte_counter = Bytes(0);
      c.fast_recovery_steps = 1;
      c.additive_increase = 20_Mbps;
      c.hyper_increase = 200_Mbps;
      c.minimum_rate = 1_Gbps;
      break;
  }
  return c;
}

BitsPerSecond DcqcnConfig::published_rate() const {
  const DcqcnConfig published = from_preset(preset);
  const bool is_retuned = at_rate.has_value() || additive_increase != published.additive_increase ||
                          hyper_increase != published.hyper_increase;
  if (is_retuned) return BitsPerSecond();
  switch (preset) {
    case Preset::kPaper:
      return 40_Gbps;
    case Preset::kConnectx:  // ConnectX-4, which DOC-2790 is about
    case Preset::kHpccNs3:
      return 100_Gbps;
    case Preset::kScaled:
      break;
  }
  return BitsPerSecond();
}

}  // namespace weft::protocols::congestion
