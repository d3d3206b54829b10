#include "protocols/congestion/powertcp/powertcp.hpp"

namespace weft::protocols::congestion {

PowerTcpParameters::PowerTcpParameters(const PowerTcpConfig& c)
    : gamma(Factor::nearest(c.gamma)), expected_flows(c.expected_flows), base_rtt(c.base_rtt) {}

}  // namespace weft::protocols::congestion
