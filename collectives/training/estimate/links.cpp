#include "collectives/training/estimate/links.hpp"

namespace weft::collectives {

double GroupLink::send(double bytes) const {
  const auto bits_per_second = static_cast<double>(rate.count());
  const double transfer = rate.count() == 0 ? 0 : bytes * 8 / bits_per_second;
  return to_seconds(latency) + transfer;
}

double GroupLink::one_pass(double ranks, double bytes) const {
  return ranks > 1 ? (ranks - 1) * send(bytes / ranks) : 0;
}

double GroupLink::all_reduce(double ranks, double bytes) const {
  return 2 * one_pass(ranks, bytes);
}

}  // namespace weft::collectives
