#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// A direction of a link that is slower than without what slows links down: changes of links, NICs
/// slower than those of other racks, NICs that take in less than their links bring, faults.
struct SlowLink {
  std::string port;  ///< at which it begins
  std::string node;  ///< whose port that is
  std::string peer;  ///< at the other end
  BitsPerSecond rate;
  BitsPerSecond usual_rate;  ///< its nominal one
  Picoseconds added;         ///< to its latency
  std::string subject{};     ///< what is slow: `the NIC of h3`, `the link between h5 and leaf0`
  bool is_taken_in = false;  ///< the link is as fast as ever, and the NIC takes in `rate`
  std::string when{};        ///< of a fault that does not last: ` from 10 us until 20 us`

  /// `the NIC of h3 runs at 50 Gbps of 400 Gbps`; both directions of a link say the same.
  [[nodiscard]] std::string text() const;
};

/// The ends of a connection, as `rank 4 -> rank 5 (h4 -> h5)` names their hosts; empty: none.
[[nodiscard]] std::pair<std::string_view, std::string_view> ends_of_connection(
    std::string_view connection);

/// Those of a scenario, in the order of ports.
[[nodiscard]] std::vector<SlowLink> slow_links(const LoadedScenario& scenario);

/// What they say, each once.
[[nodiscard]] std::vector<std::string> slow_link_texts(const std::vector<SlowLink>& links);

/// The slow link that time passes at or waits for: at its port, for a pause that comes from it, or
/// for the congestion control or the window of a connection whose sender or receiver is attached to
/// it. Null: none.
[[nodiscard]] const SlowLink* slow_link_of(const std::vector<SlowLink>& links,
                                           const BlameEntry& blame);

}  // namespace weft::scenarios
