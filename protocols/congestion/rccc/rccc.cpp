#include "protocols/congestion/rccc/rccc.hpp"

namespace weft::protocols::congestion {
namespace {

std::int64_t factor(double value) { return to_fixed(value, RcccParameters::kBits); }

}  // namespace

RcccParameters::RcccParameters(const RcccConfig& c)
    : speculative(factor(c.speculative)),
      request(factor(c.request)),
      quantum(c.quantum),
      pace(std::max<std::int64_t>(factor(c.pace), 1)),
      adapts(c.adapts_to_marks),
      period(c.period),
      target(factor(c.target)),
      increase(factor(c.increase)),
      decrease(factor(c.decrease)),
      gain(factor(c.gain)),
      floor(std::max<std::int64_t>(factor(c.floor), 1)) {}

}  // namespace weft::protocols::congestion
