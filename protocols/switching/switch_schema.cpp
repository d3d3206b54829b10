#include "protocols/switching/switch_schema.hpp"

#include <cstdint>
#include <vector>

#include "protocols/switching/switch_config.hpp"
#include "simcore/schema_builder.hpp"

namespace weft::protocols {
namespace {

using schema::Problem;

schema::Object pause_schema() {
  return schema::describe<PauseConfig>("pause", "how pauses travel and act")
      .field("frame", &PauseConfig::frame,
             "bytes of a pause frame without preamble and gap; 0B: it takes no wire time")
      .source("IEEE 802.1Qbb: a PFC frame has 64 B")
      .at_most(4_KiB)
      .field("frame_overhead", &PauseConfig::frame_overhead, "wire bytes around a pause frame")
      .source("Ethernet: preamble 8 B, inter-packet gap 12 B")
      .at_most(4_KiB)
      .field("response", &PauseConfig::response,
             "from the end of a pause frame's reception until the port obeys; `standard`: by rate")
      .source("IEEE 802.3 31B.3.7: pause quanta by link rate, 905 at 400 Gbps")
      .special("standard", std::int64_t{-1})
      .choice("quanta", &PauseConfig::quanta,
              {{"standard", "a pause lasts 65,535 quanta of 512 bit times and is refreshed before"},
               {"until-resume", "a pause lasts until it is lifted (idealised)"}},
              "how long a pause lasts")
      .source("IEEE 802.1Qbb")
      .field("propagates", &PauseConfig::propagates,
             "false: a pause reaches the peer without the wire's latency (idealised)")
      .source("a frame takes the time of the wire");
}

schema::Object pfc_schema() {
  return schema::describe<PfcConfig>("PFC", "priority flow control, IEEE 802.1Qbb")
      .field("xoff", &PfcConfig::xoff, "pause the upstream port above this many ingress bytes")
      .source("chosen: 128 ports of 1 MiB fit a 158 MB buffer with 187 KB of headroom each")
      .at_least(1_B)
      .field("xon", &PfcConfig::xon, "resume below this many ingress bytes")
      .source(
          "chosen: far above rate x resume loop (75 KB at 400 Gbps and 1.5 us), so that a "
          "resumed port never runs dry")
      .check([](const PfcConfig& pfc, std::vector<Problem>& problems) {
        if (pfc.xon > pfc.xoff) {
          problems.push_back({"xon", "is above xoff (" +
                                         quantity_text(pfc.xoff.count(), dimension_of<Bytes>()) +
                                         "); a pause could never be lifted in order"});
        }
      });
}

schema::Object flow_control_schema() {
  const auto self = [](FlowControlConfig& f) -> FlowControlConfig& { return f; };
  return schema::describe<FlowControlConfig>("flow control", "what keeps buffers from overflowing")
      .optional_tag("type", 1, "which flow control")
      .alternative<NoFlowControl>(
          "none", self,
          schema::describe<NoFlowControl>("no flow control", "full buffers drop packets"))
      .also("off")
      .alternative<PfcConfig>("pfc", self, pfc_schema())
      .shorthand("type");
}

schema::Object red_schema() {
  const char* const source = "Alibaba's 400 Gbps settings in SimAI";
  return schema::describe<EcnConfig>("RED",
                                     "marking by queue length, linear between two thresholds")
      .field("kmin", &EcnConfig::kmin, "egress queue from which packets are marked")
      .source(source)
      .field("kmax", &EcnConfig::kmax, "egress queue above which every packet is marked")
      .source(source)
      .field("pmax", &EcnConfig::pmax, "probability of a mark just below kmax")
      .source(source)
      .within({.low = 0, .high = 1, .includes_low = false})
      .choice("mark", &EcnConfig::mark,
              {{"enqueue", "by the queue that a packet joins"},
               {"dequeue", "by the queue that a packet leaves behind"}},
              "when a packet is marked")
      .source("data-centre switches mark on departure, which shortens the control loop")
      .check([](const EcnConfig& ecn, std::vector<Problem>& problems) {
        if (ecn.enabled && ecn.kmin >= ecn.kmax) {
          problems.push_back({"kmin", "is not below kmax (" +
                                          quantity_text(ecn.kmax.count(), dimension_of<Bytes>()) +
                                          ")"});
        }
      });
}

schema::Object ecn_schema() {
  return schema::describe<EcnConfig>("ECN marking", "how switches mark packets")
      .optional_tag("type", 0, "which marking")
      .switched("red", &EcnConfig::enabled, true, red_schema())
      .switched("none", &EcnConfig::enabled, false,
                schema::describe<EcnConfig>("no marking", "switches never mark"))
      .also("off")
      .shorthand("type");
}

}  // namespace

schema::Object switch_schema() {
  return schema::describe<SwitchConfig>("switch policies", "what switches do with packets")
      .choice("load_balancing", &SwitchConfig::load_balancing,
              {{"ecmp", "per queue pair: every packet of it takes the same path"},
               {"spray", "per packet, at random; receivers must accept any order"}},
              "how a switch chooses among equal-cost next hops")
      .source("what data-centre fabrics do unless told otherwise")
      .object(
          "flow_control", [](SwitchConfig & c) -> auto& { return c.data().flow_control; },
          flow_control_schema(), "what keeps buffers from overflowing")
      .source("RoCE fabrics are built lossless")
      .object("pause", &SwitchConfig::pause, pause_schema(), "how pauses travel and act")
      .source("IEEE 802.1Qbb")
      .object(
          "ecn", [](SwitchConfig & c) -> auto& { return c.data().ecn; }, ecn_schema(),
          "how switches mark packets")
      .source("DCQCN needs marks")
      .choice("buffer_release", &SwitchConfig::release,
              {{"transmission-end", "when the last bit has left"},
               {"transmission-start", "when the first bit leaves"}},
              "when a packet's bytes leave the buffer accounts")
      .source("store and forward: the bytes are in the buffer until they are sent");
}

}  // namespace weft::protocols
