#pragma once

#include <cstdint>
#include <vector>

#include "collectives/runtime/workload.hpp"
#include "scenarios/checks/limits/distances.hpp"
#include "scenarios/checks/limits/traffic_counts.hpp"
#include "scenarios/spec/scenario.hpp"
#include "scenarios/zero_load/connection_transports.hpp"
#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::scenarios {

/// What one message puts on the network. What it is made of must outlive it.
class MessageTraffic {
 public:
  struct Message {
    double packets = 0;     ///< of data
    double links = 0;       ///< that each crosses; copies that scale-up switches make count each
    double wire_bytes = 0;  ///< with the headers of all its packets
    double hops = 0;        ///< of data and acknowledgements
    bool is_scale_up = false;
  };

  MessageTraffic(const Scenario& scenario, const Fabric& fabric, const Routes& routes,
                 const collectives::Workload& workload)
      : workload_(workload),
        transports_(scenario, fabric, routes, workload),
        distances_(scenario.seed, fabric, routes),
        last_to_(workload.process_hosts().size()) {}

  [[nodiscard]] Message of(ConnectionId connection, Bytes size);

 private:
  /// The lanes of a rank send alike to the same ranks: what the last one of them sent to a process.
  struct Last {
    ProcessId source;  ///< none: nothing was
    ClassId traffic_class{};
    std::uint8_t transport = 0;
    Bytes size;
    Message message;
  };

  [[nodiscard]] Message measure(ConnectionId connection, Bytes size);
  [[nodiscard]] double links_of(ConnectionId connection);

  const collectives::Workload& workload_;
  ConnectionTransports transports_;
  Distances distances_;
  std::vector<Last> last_to_;  ///< by destination
};

/// Counts what the programs of all jobs send, in time linear in their messages.
[[nodiscard]] Traffic count_traffic(const Scenario& scenario, const Fabric& fabric,
                                    const Routes& routes, const collectives::Workload& workload);

/// The same. Error: a connection may have more packets than its queue pairs can number. Carries a
/// key path.
[[nodiscard]] Result<Traffic> survey_traffic(const Scenario& scenario, const Fabric& fabric,
                                             const Routes& routes,
                                             const collectives::Workload& workload);

}  // namespace weft::scenarios
