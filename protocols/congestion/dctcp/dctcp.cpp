#include "protocols/congestion/dctcp/dctcp.hpp"

namespace weft::protocols::congestion {

DctcpParameters::DctcpParameters(const DctcpConfig& c)
    : gain(to_fixed(c.g, kBits)),
      initial_alpha(to_fixed(c.initial_alpha, kBits)),
      initial_window(std::int64_t{c.initial_window} << kBits),
      slow_start_limit(c.slow_start_limit == 0 ? kMostWindow
                                               : std::int64_t{c.slow_start_limit} << kBits),
      additive_increase(c.additive_increase),
      minimum_rate(c.minimum_rate),
      is_rate(c.form == DctcpConfig::Form::kRate),
      limits_flight(c.limits_flight),
      cuts_every_window(c.cut == DctcpConfig::Cut::kEveryWindow) {}

}  // namespace weft::protocols::congestion
