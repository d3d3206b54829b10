#include "protocols/config/switch_config.hpp"

#include <algorithm>
#include <array>

#include "protocols/packet/packet_kind.hpp"

namespace weft::protocols {

PfcConfig PfcConfig::from_preset(Preset preset) {
  PfcConfig pfc;
  pfc.preset = preset;
  switch (preset) {
    case Preset::kDefault:
      break;
    case Preset::kHpcc:
      // The ns-3 model published with HPCC (Li et al., SIGCOMM 2019): shift 3, reserve 4 KiB,
      // resume offset 3 KiB, headroom 3 x rate x link delay. It doubles alpha with every doubling
      // of the rate above that of the NICs; here alpha is that of the NICs' ports.
      pfc.threshold = Threshold::kDynamic;
      pfc.alpha = 0.125;
      pfc.xon_offset = 3_KiB;
      pfc.reserved = 4_KiB;
      pfc.headroom = Headroom::kHpcc;
      break;
    case Preset::kSn5600:
      // SONiC's lossless profile: dynamic_th 7, which is log2 of alpha; 19,456 B of `xon`, which
      // NVIDIA's buffer model sets aside per port and priority. How far below the threshold a port
      // resumes is not published: an estimate, as much as is set aside.
      pfc.threshold = Threshold::kDynamic;
      pfc.alpha = 128;
      pfc.xon_offset = 19_KiB;
      pfc.reserved = 19_KiB;
      pfc.headroom = Headroom::kSn5600;
      break;
  }
  return pfc;
}

Picoseconds standard_pause_response(BitsPerSecond rate) {
  // IEEE 802.3 31B.3.7: pause quanta of 512 bit times within which a port must stop.
  struct Row {
    BitsPerSecond rate;
    std::int64_t quanta;
  };
  constexpr std::array<Row, 8> kTable{{{1_Gbps, 2},
                                       {10_Gbps, 60},
                                       {25_Gbps, 80},
                                       {40_Gbps, 118},
                                       {50_Gbps, 147},
                                       {100_Gbps, 394},
                                       {200_Gbps, 453},
                                       {400_Gbps, 905}}};
  const auto* row = std::find_if(kTable.begin(), kTable.end() - 1,
                                 [rate](const Row& r) { return rate <= r.rate; });
  return transmission_time(Bytes(row->quanta * 64), rate);
}

IdVector<ClassId, TrafficClass> default_classes() {
  TrafficClass data;
  data.name = "data";
  TrafficClass control;
  control.name = "control";
  control.scheduling = TrafficClass::Scheduling::kStrict;
  control.flow_control = NoFlowControl{};
  control.ecn.enabled = false;
  return {data, control};
}

bool SwitchConfig::sprays() const {
  return std::any_of(classes.begin(), classes.end(),
                     [this](const auto& c) { return balancing(c).sprays(); });
}

bool SwitchConfig::any_class(bool (*is_meant)(const TrafficClass&)) const {
  return std::any_of(classes.begin(), classes.end(), is_meant) ||
         std::any_of(by_port.others.begin(), by_port.others.end(), [&](const PortSettings& some) {
           return std::any_of(some.classes.begin(), some.classes.end(), is_meant);
         });
}

bool SwitchConfig::is_mixed(ClassId c) const {
  return std::any_of(by_port.others.begin(), by_port.others.end(), [&](const PortSettings& some) {
    return some.classes[c].is_pfc() != classes[c].is_pfc();
  });
}

bool SwitchConfig::any_pfc() const {
  return any_class([](const TrafficClass& c) { return c.is_pfc(); });
}

bool SwitchConfig::any_credit() const {
  return any_class([](const TrafficClass& c) { return c.is_credit(); });
}

std::uint8_t SwitchConfig::pausable_classes() const {
  std::uint8_t mask = 0;
  for (const ClassId c : all_classes()) {
    if (classes[c].is_pfc() || is_mixed(c)) mask |= class_bit(c);
  }
  return mask;
}

}  // namespace weft::protocols
