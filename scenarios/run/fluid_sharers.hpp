#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "scenarios/blame/path_finder.hpp"
#include "scenarios/build/experiment.hpp"
#include "simcore/fluid/fluid_network.hpp"

namespace weft::scenarios {

/// Who had the rate that a message of the fluid engine did not have: found afterwards, from when
/// messages flowed. Of the links that a message crosses the one binds it that would take longest
/// for what crossed it meanwhile, the message's own bytes included; what others sent over it is
/// what the message waited for.
class FluidSharers {
 public:
  /// The links of a queue pair, as FluidNetwork::Plan has them; all must outlive this.
  using RouteOf = std::function<std::vector<std::uint32_t>(ConnectionId, std::uint32_t)>;
  FluidSharers(const Experiment& experiment, std::span<const FluidMessage> messages,
               RouteOf route_of, std::vector<BitsPerSecond> capacities);

  /// In place of `queueing`, a part of the message's time: the same split over jobs by their bytes,
  /// at the link that binds; or a window, if that does.
  void split(const PathMessage& message, const Charge& queueing, std::vector<Charge>& parts) const;

 private:
  /// Bytes of others by job, over a link, while a message flowed.
  [[nodiscard]] std::vector<double> others(std::uint32_t link, const PathMessage& message) const;
  [[nodiscard]] bool is_window(std::uint32_t link) const { return link >= e_.fabric.ports.size(); }

  const Experiment& e_;
  std::span<const FluidMessage> messages_;
  RouteOf route_of_;
  std::vector<BitsPerSecond> capacities_;
  std::vector<bool> splits_;                         ///< by transport
  std::vector<std::vector<std::uint32_t>> on_link_;  ///< messages by link, by posting
};

}  // namespace weft::scenarios
