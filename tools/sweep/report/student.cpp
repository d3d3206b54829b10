#include <boost/math/distributions/students_t.hpp>

#include "tools/sweep/report/statistics.hpp"

// Boost.Math alone: it takes seconds to compile.

namespace weft::sweep {
namespace {

/// Computes in double alone: by default Boost.Math fills tables in long double when a program
/// starts, which takes time in every run and aborts under valgrind.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace

double student_factor(std::size_t count) {
  constexpr double confidence = 0.95;
  const boost::math::students_t_distribution<double, InDouble> distribution(
      static_cast<double>(count) - 1);
  return boost::math::quantile(distribution, 0.5 + confidence / 2);
}

}  // namespace weft::sweep
