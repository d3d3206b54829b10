#include "protocols/congestion/hpcc/hpcc.hpp"

namespace weft::protocols::congestion {

HpccParameters::HpccParameters(const HpccConfig& c)
    : target(Utilization::nearest(c.target)),
      max_stage(c.max_stage),
      additive_increase(c.additive_increase),
      minimum_rate(c.minimum_rate),
      base_rtt(c.base_rtt),
      counts_payload(c.window_counts == HpccConfig::Counts::kPayload) {}

}  // namespace weft::protocols::congestion
