#pragma once

#include "protocols/config/switch_config.hpp"
#include "simcore/fabric/link_layer.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols {

/// The policies of switches with such links that a scenario says nothing about.
[[nodiscard]] SwitchConfig standard_switches(LinkLayer layer);

/// How the policies of SwitchConfig are written in a scenario: everything but the buffer and its
/// cells, which are properties of the switch as a part, and the classes beyond the first.
[[nodiscard]] schema::Object<SwitchConfig> switch_schema(LinkLayer layer);

/// How one class says what it does instead of what the fabric's keys say.
[[nodiscard]] schema::Object<FlowControlConfig> flow_control_schema(LinkLayer layer);
[[nodiscard]] schema::Object<TrimmingConfig> trimming_schema();
[[nodiscard]] schema::Object<WredConfig> wred_schema();
[[nodiscard]] schema::Object<PfcWatchdogConfig> watchdog_schema();
[[nodiscard]] schema::Object<LinkRetryConfig> link_retry_schema();
[[nodiscard]] schema::Object<EcnConfig> ecn_schema(LinkLayer layer);
[[nodiscard]] schema::Object<LoadBalancing> load_balancing_schema();

}  // namespace weft::protocols
