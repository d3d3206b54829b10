#include "protocols/congestion/dcqcn/dcqcn.hpp"

#include <cmath>

namespace weft::protocols::congestion {
namespace {

std::uint64_t to_fixed(double fraction) {
  return static_cast<std::uint64_t>(
      std::llround(fraction * static_cast<double>(DcqcnParameters::kAlphaOne)));
}

}  // namespace

DcqcnParameters::DcqcnParameters(const DcqcnConfig& c)
    : gain(to_fixed(c.g)),
      initial_alpha(to_fixed(c.initial_alpha)),
      alpha_timer(c.alpha_timer),
      cnp_interval(c.cnp_interval),
      decrease_period(c.decrease_period),
      increase_timer(c.increase_timer),
      byte_counter(c.byte_counter),
      additive_increase(c.additive_increase),
      hyper_increase(c.hyper_increase),
      minimum_rate(c.minimum_rate),
      at_rate(c.at_rate.value_or(BitsPerSecond())),
      fast_recovery_steps(c.fast_recovery_steps),
      cnp_on_ack(c.cnp_on_ack),
      cut_on_cnp(c.decrease == DcqcnConfig::Decrease::kOnCnp),
      clamp_always(c.clamp_target == DcqcnConfig::ClampTarget::kAlways),
      first_cnp_cuts(c.first_cnp_cuts),
      limits_flight(c.window == DcqcnConfig::Window::kBdp) {}

}  // namespace weft::protocols::congestion
