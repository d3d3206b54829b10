#include "protocols/congestion/dcqcn/dcqcn.hpp"

namespace weft::protocols::congestion {

DcqcnParameters::DcqcnParameters(const DcqcnConfig& c)
    : gain(Alpha::nearest(c.g)),
      initial_alpha(Alpha::nearest(c.initial_alpha)),
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
