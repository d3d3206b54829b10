#include <boost/math/distributions/students_t.hpp>

#include "tools/sweep/report/statistics.hpp"

// Boost.Math alone: it takes seconds to compile.

namespace weft::sweep {

double student_factor(std::size_t count) {
  constexpr double confidence = 0.95;
  const boost::math::students_t distribution(static_cast<double>(count) - 1);
  return boost::math::quantile(distribution, 0.5 + confidence / 2);
}

}  // namespace weft::sweep
