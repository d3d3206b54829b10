#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocols/config/switch_config.hpp"
#include "protocols/congestion/specs.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What a class is at some ports; what is absent is as at all.
struct ClassChange {
  std::string name;
  std::optional<protocols::FlowControlConfig> flow_control;
  std::optional<protocols::EcnConfig> ecn;
  std::optional<protocols::WredConfig> wred;
  std::optional<Bytes> egress_limit;  ///< 0: none
  std::optional<Bytes> egress_reserved;
  std::optional<double> egress_alpha;  ///< 0: none

  [[nodiscard]] bool is_only_flow_control() const {
    return !ecn && !wred && !egress_limit && !egress_reserved && !egress_alpha;
  }
};

/// Settings of switches, of their ports and of NICs that are not those of the fabric.
struct SettingsChange {
  std::string node;  ///< a node of the fabric, or several by `*`
  std::string to;    ///< the nodes at the other end of its ports; empty: all its ports
  std::optional<Bytes> buffer;
  std::optional<Bytes> headroom_pool;
  std::optional<bool> honours_pause;
  std::optional<Bytes> mtu;  ///< largest IP packet of these ports; packets of a run must fit
  std::optional<protocols::PfcWatchdogConfig> watchdog;
  /// Of what the hosts send by RoCE.
  std::optional<protocols::congestion::ControlConfig> congestion_control;
  std::vector<ClassChange> classes;

  /// Whether it says anything of ports, beside what it says of the switch as a whole.
  [[nodiscard]] bool is_of_ports() const { return honours_pause || watchdog || !classes.empty(); }
  [[nodiscard]] bool is_mtu_alone() const {
    return mtu && !is_of_ports() && !buffer && !headroom_pool && !congestion_control;
  }
};

}  // namespace weft::scenarios
