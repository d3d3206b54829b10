#include "protocols/congestion/dctcp/dctcp_config.hpp"

namespace weft::protocols::congestion {

DctcpConfig DctcpConfig::from_preset(Preset preset) {
  DctcpConfig c;
  c.preset = preset;
  // Of HPCC's runs; used by the rate form only.
  c.additive_increase = 615_Mbps;
  switch (preset) {
    case Preset::kPaper:
      // SIGCOMM 2010, section 3.1, and section 3.4 for g; RFC 8257, section 4.2, for the first
      // alpha; RFC 6928 for the first window.
      break;
    case Preset::kHtsim:
      // csg-htsim, dctcp.cpp and tcp.cpp: the window shrinks after every window of ACKs by half
      // of alpha, marks or not; slow start from 10 packets ends at 100.
      c.cut = Cut::kEveryWindow;
      c.initial_alpha = 0;
      c.slow_start_limit = 100;
      break;
    case Preset::kHpccNs3:
      // The ns-3 model published with HPCC (Li et al., SIGCOMM 2019), its "dctcp" mode at 100 Gbps:
      // a rate that starts at the line's, with a window that shrinks with it. Its published runs
      // (simulation/run.py) set MIN_RATE to 1000 Mb/s. A new rate holds from the next packet on:
      // HandleAckDctcp sets the rate without ChangeRate.
      c.form = Form::kRate;
      c.limits_flight = true;
      c.minimum_rate = 1'000_Mbps;
      break;
  }
  return c;
}

BitsPerSecond DctcpConfig::published_rate() const {
  const bool is_published =
      form == Form::kRate && additive_increase == from_preset(preset).additive_increase;
  return is_published ? 100_Gbps : BitsPerSecond();
}

}  // namespace weft::protocols::congestion
