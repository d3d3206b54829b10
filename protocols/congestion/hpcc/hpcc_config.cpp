#include "protocols/congestion/hpcc/hpcc_config.hpp"

namespace weft::protocols::congestion {

HpccConfig HpccConfig::from_preset(Preset preset) {
  HpccConfig c;
  c.preset = preset;
  switch (preset) {
    case Preset::kPaper:
      // SIGCOMM 2019, section 3.3: eta 95 %, maxStage 5. W_AI = W_init (1 - eta) / N; at 100 Gbps
      // and for N = 100 flows that is T times 50 Mbps. The least rate is that of the runs
      // below. Algorithm 1 paces at W / T, and leaves open what becomes of a packet whose send
      // time is set.
      break;
    case Preset::kNs3:
      // What the runs that are published with the ns-3 model set, at 100 Gbps. The model
      // (rdma-hw.cc, RdmaHw::ChangeRate) moves the next send time by the difference of the last
      // packet's times at the new and the old rate; its window (RdmaQueuePair::IsWinBound) counts
      // sequence numbers, which are bytes of payload.
      c.max_stage = 0;
      c.window_counts = Counts::kPayload;
      c.rate_change = RateChange::kWaitingPacket;
      break;
  }
  return c;
}

}  // namespace weft::protocols::congestion
