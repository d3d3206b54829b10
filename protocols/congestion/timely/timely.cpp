#include "protocols/congestion/timely/timely.hpp"

namespace weft::protocols::congestion {

TimelyParameters::TimelyParameters(const TimelyConfig& c)
    : low_threshold(c.low_threshold),
      high_threshold(c.high_threshold),
      minimum_rtt(c.minimum_rtt),
      ewma(Share::nearest(c.ewma)),
      beta(Share::nearest(c.beta)),
      additive_increase(c.additive_increase),
      hyper_increase(c.hyper_increase),
      hyper_after(c.hyper_after),
      hyper_below_low(c.hyper_below_low),
      segment(c.segment),
      minimum_rate(c.minimum_rate) {}

}  // namespace weft::protocols::congestion
