#include "protocols/congestion/timely/timely_config.hpp"

namespace weft::protocols::congestion {

TimelyConfig TimelyConfig::from_preset(Preset preset) {
  TimelyConfig c;
  c.preset = preset;
  switch (preset) {
    case Preset::kPaper:
      // SIGCOMM 2015, algorithm 1 and section 5, at 10 Gbps: the defaults above. The table of
      // parameters in Zhu et al., "ECN or Delay", CoNEXT 2016, section 4 repeats them. The least
      // rate is not published; it is the default of the model below (rdma-hw.cc, MinRate).
      break;
    case Preset::kHpccNs3:
      // The ns-3 model published with HPCC (Li et al., SIGCOMM 2019), its "timely" mode at 100
      // Gbps: once per round trip, and any five increases in a row make the next hyper-active. Its
      // published runs (simulation/run.py) set MIN_RATE to 1000 Mb/s. A new rate holds from the
      // next packet on: UpdateRateTimely sets the rate without ChangeRate.
      c.additive_increase = 100_Mbps;
      c.hyper_increase = 500_Mbps;
      c.hyper_below_low = true;
      c.segment = Bytes(0);
      c.minimum_rate = 1'000_Mbps;
      break;
  }
  return c;
}

BitsPerSecond TimelyConfig::published_rate() const {
  const TimelyConfig published = from_preset(preset);
  const bool is_retuned = additive_increase != published.additive_increase ||
                          hyper_increase != published.hyper_increase;
  if (is_retuned) return BitsPerSecond();
  return preset == Preset::kPaper ? 10_Gbps : 100_Gbps;
}

}  // namespace weft::protocols::congestion
