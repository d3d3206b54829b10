#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "protocols/config/parallelism.hpp"
#include "protocols/config/scale_up_config.hpp"
#include "protocols/config/switch_config.hpp"
#include "protocols/config/transports/list.hpp"
#include "simcore/base/units.hpp"
#include "simcore/engine/lp_plan.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/messages/message_network.hpp"

namespace weft::protocols {

/// From the start of a pause frame at a port until the peer's port stops sending.
[[nodiscard]] Picoseconds pause_latency(const PauseConfig& pause, const Port& port);

/// What a run does, as far as the choice of a partition goes by it.
struct ExpectedLoad {
  std::array<double, kNetworkKinds> utilisation{};  ///< mean of all ports of a network
  std::array<Bytes, kNetworkKinds> packet{};        ///< a full one, on the wire
  Parallelism parallelism;
};

/// Of hosts that send to one another by `connections`: a network is at most as busy as the fewer of
/// those who send and those who receive let it be, and jobs pause to compute.
[[nodiscard]] ExpectedLoad expected_load(const Fabric& fabric, const TransportConfig& transport,
                                         const std::vector<ScaleUpConfig>& scale_up,
                                         const std::vector<HostId>& processes,
                                         const std::vector<Connection>& connections,
                                         const Parallelism& parallelism);

/// Nanoseconds that a nanosecond of such a load takes with `plan`, by a model of packet-hops,
/// memory and threads (simcore/PERFORMANCE.md).
[[nodiscard]] double predicted_cost(const LpPlan& plan, const Fabric& fabric,
                                    const SwitchConfig& switches, const ExpectedLoad& load);

/// How the packet engine cuts a fabric whose switches are such: by the least time in which data,
/// pauses or credits cross each link. Scale-up domains may be kept whole. `load` is read for the
/// automatic choice alone.
[[nodiscard]] LpPlan cut_fabric(const Fabric& fabric, const SwitchConfig& switches,
                                Picoseconds control_latency, LpPlan::Cut cut,
                                const ExpectedLoad& load, bool keeps_domains_whole = false);

}  // namespace weft::protocols
