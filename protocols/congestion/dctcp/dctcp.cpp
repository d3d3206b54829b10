#include "protocols/congestion/dctcp/dctcp.hpp"

namespace weft::protocols::congestion {

DctcpParameters::DctcpParameters(const DctcpConfig& c)
    : gain(Number::nearest(c.g)),
      initial_alpha(Number::nearest(c.initial_alpha)),
      initial_window(Number::whole(c.initial_window)),
      slow_start_limit(c.slow_start_limit == 0 ? kMaxWindow : Number::whole(c.slow_start_limit)),
      additive_increase(c.additive_increase),
      minimum_rate(c.minimum_rate),
      is_rate(c.form == DctcpConfig::Form::kRate),
      limits_flight(c.limits_flight),
      cuts_every_window(c.cut == DctcpConfig::Cut::kEveryWindow) {}

}  // namespace weft::protocols::congestion
