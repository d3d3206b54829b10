#pragma once

namespace weft::scenarios {

/// What the jobs of a run put on the network, counted before it starts: exact, but for what is lost
/// and sent again, and for what chance decides where that is much (for_each_likely_transfer).
struct Traffic {
  double messages = 0;       ///< chunks of forwarded ones on both legs
  double of_iterations = 0;  ///< of these: of one iteration of every job
  double at_once = 0;        ///< of these: of one iteration of collectives, and all that are listed
  double added_up = 0;       ///< of those at once: contributions to sums of scale-up switches
  double packets = 0;        ///< of data
  double packet_hops = 0;    ///< of data and acknowledgements
  double scale_up_hops = 0;  ///< of these, inside scale-up domains
  double wire_bytes = 0;     ///< of data, once per link
};

}  // namespace weft::scenarios
