#include "protocols/congestion/rccc/rccc.hpp"

namespace weft::protocols::congestion {

RcccParameters::RcccParameters(const RcccConfig& c)
    : base_rtt(c.base_rtt),
      speculative(Factor::nearest(c.speculative)),
      request(Factor::nearest(c.request)),
      quantum(c.quantum),
      pace(std::max(Factor::nearest(c.pace), Factor::unit())),
      adapts(c.adapts_to_marks),
      period(c.period),
      target(Factor::nearest(c.target)),
      increase(std::max(Factor::nearest(c.increase), Factor::unit())),
      decrease(Factor::nearest(c.decrease)),
      gain(Factor::nearest(c.gain)),
      floor(std::max(Factor::nearest(c.floor), Factor::unit())) {}

}  // namespace weft::protocols::congestion
