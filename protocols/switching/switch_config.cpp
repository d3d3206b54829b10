#include "protocols/switching/switch_config.hpp"

#include <algorithm>

namespace weft::protocols {

std::vector<TrafficClass> default_classes() {
  TrafficClass data;
  data.name = "data";
  TrafficClass control;
  control.name = "control";
  control.scheduling = TrafficClass::Scheduling::kStrict;
  control.flow_control = NoFlowControl{};
  control.ecn.enabled = false;
  return {data, control};
}

bool SwitchConfig::any_pfc() const {
  return std::any_of(classes.begin(), classes.end(), [](const auto& c) { return c.is_pfc(); });
}

bool SwitchConfig::any_credit() const {
  return std::any_of(classes.begin(), classes.end(), [](const auto& c) { return c.is_credit(); });
}

}  // namespace weft::protocols
