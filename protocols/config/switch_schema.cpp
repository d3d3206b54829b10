#include "protocols/config/switch_schema.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocols/config/credit_loop.hpp"
#include "protocols/config/switch_config.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols {
namespace {

using schema::Problem;

/// Larger thresholds never bite: a switch has no more than some thousand queues.
constexpr double kMaxAlpha = 1024;

schema::Object<PauseConfig> pause_schema() {
  return schema::describe<PauseConfig>("pause", "how pauses travel and act")
      .field("frame", &PauseConfig::frame,
             "bytes of a pause frame without preamble and gap; 0B: it takes no wire time")
      .source("IEEE 802.1Qbb: a PFC frame has 64 B")
      .at_most(4_KiB)
      .field("frame_overhead", &PauseConfig::frame_overhead, "wire bytes around a pause frame")
      .matters_if([](const PauseConfig& pause) { return pause.frame > 0_B; },
                  "with a `frame` that takes wire time")
      .source("Ethernet: preamble 8 B, inter-packet gap 12 B")
      .at_most(4_KiB)
      .field("response", &PauseConfig::response,
             "from the end of a pause frame's reception until the port obeys; `standard`: by rate")
      .source("IEEE 802.3 31B.3.7: pause quanta by link rate, 905 at 400 Gbps")
      .special("standard", std::int64_t{-1})
      .choice("quanta", &PauseConfig::quanta,
              {{PauseConfig::Quanta::kStandard, "standard",
                "a pause lasts 65,535 quanta of 512 bit times and is refreshed before"},
               {PauseConfig::Quanta::kUntilResume, "until-resume",
                "a pause lasts until it is lifted (idealised)"},
               {PauseConfig::Quanta::kExpire, "expire",
                "a pause lasts 65,535 quanta and is not refreshed: the next packet above the "
                "threshold asks for another"}},
              "how long a pause lasts")
      .source("IEEE 802.1Qbb")
      .field("propagates", &PauseConfig::propagates,
             "false: a pause reaches the peer without the wire's latency (idealised)")
      .source("a frame takes the time of the wire");
}

using PfcPreset = schema::Preset<PfcConfig, PfcConfig::Preset>;

PfcPreset preset(PfcConfig::Preset which, std::string name, std::string source) {
  return {which, std::move(name), std::move(source),
          [which](PfcConfig& pfc) { pfc = PfcConfig::from_preset(which); }};
}

std::vector<PfcPreset> pfc_presets() {
  return {
      preset(PfcConfig::Preset::kDefault, "default",
             "chosen: 128 ports of 1 MiB fit a 158 MB buffer with 187 KB of headroom each, and a "
             "resumed port never runs dry (75 KB at 400 Gbps and 1.5 us)"),
      preset(PfcConfig::Preset::kHpcc, "hpcc",
             "the ns-3 model published with Li et al., HPCC, SIGCOMM 2019"),
      preset(PfcConfig::Preset::kSn5600, "sn5600",
             "SONiC's lossless profile of NVIDIA's SN5600; xon_offset is an estimate"),
  };
}

/// Of headroom or credit buffer per port and class: more than any part has, and it fits 31 bits.
constexpr Bytes kMaxPerPort = Bytes(1'073'741'824);

/// Headrooms by word. As bytes they are below 0, the first at -1.
struct HeadroomWord {
  const char* word;
  PfcConfig::Headroom headroom;
};
constexpr std::array<HeadroomWord, 4> kHeadroomWords{{{"shared", PfcConfig::Headroom::kShared},
                                                      {"exact", PfcConfig::Headroom::kExact},
                                                      {"sn5600", PfcConfig::Headroom::kSn5600},
                                                      {"hpcc", PfcConfig::Headroom::kHpcc}}};

Bytes headroom_of(const PfcConfig& pfc) {
  for (std::size_t i = 0; i < kHeadroomWords.size(); ++i) {
    if (kHeadroomWords[i].headroom == pfc.headroom) return Bytes(-1 - static_cast<std::int64_t>(i));
  }
  return pfc.headroom_bytes;
}

void set_headroom(PfcConfig& pfc, Bytes value) {
  const std::int64_t number = value.count();
  pfc.headroom = number < 0 ? kHeadroomWords[static_cast<std::size_t>(-1 - number)].headroom
                            : PfcConfig::Headroom::kGiven;
  pfc.headroom_bytes = std::max(value, 0_B);
}

bool is_static(const PfcConfig& pfc) { return pfc.threshold == PfcConfig::Threshold::kStatic; }
bool is_dynamic(const PfcConfig& pfc) { return !is_static(pfc); }

schema::Object<PfcConfig> pfc_schema() {
  auto keys =
      schema::describe<PfcConfig>("PFC", "priority flow control, IEEE 802.1Qbb")
          .presets("preset", &PfcConfig::preset, pfc_presets(),
                   "all values at once; other keys override it")
          .source("chosen so that the default switch is lossless")
          .choice(
              "threshold", &PfcConfig::threshold,
              {{PfcConfig::Threshold::kStatic, "static", "the same always: `xoff` and `xon`"},
               {PfcConfig::Threshold::kDynamic, "dynamic", "alpha x (shared buffer - its use)"}},
              "above how many ingress bytes the upstream port is paused")
          .field("xoff", &PfcConfig::xoff, "pause the upstream port above this many ingress bytes")
          .at_least(1_B)
          .only_if(is_static, "with `threshold: static`")
          .field("xon", &PfcConfig::xon, "resume below this many ingress bytes")
          .only_if(is_static, "with `threshold: static`")
          .field("alpha", &PfcConfig::alpha,
                 "an ingress port may hold this many times what the shared buffer has left")
          .within({.low = 0, .high = kMaxAlpha, .includes_low = false})
          .only_if(is_dynamic, "with `threshold: dynamic`")
          .field("xon_offset", &PfcConfig::xon_offset, "resume this far below the threshold")
          .only_if(is_dynamic, "with `threshold: dynamic`")
          .field("reserved", &PfcConfig::reserved,
                 "set aside per ingress port, used before the shared buffer")
          .field("headroom_reserved", &PfcConfig::headroom_reserved,
                 "of the headroom, what each ingress port has to itself; the rest is drawn from "
                 "the `headroom_pool` of the switch")
          .source(
              "SONiC: with a shared headroom pool the `size` of a profile is its `xon`, and "
              "no headroom is reserved")
          .at_most(kMaxPerPort)
          .matters_if(
              [](const PfcConfig& pfc) { return pfc.headroom != PfcConfig::Headroom::kShared; },
              "with a `headroom` that is not `shared`")
          .property<Bytes>(
              "headroom", headroom_of, set_headroom,
              "set aside per ingress port for what arrives after the pause is sent. `shared`: "
              "none, the shared buffer takes it; `exact`: what can arrive at worst; `sn5600`: "
              "the vendor's formula; `hpcc`: 3 x rate x link latency. With a `headroom_pool` of "
              "the switch: the most that a port draws of it")
          .at_most(kMaxPerPort)
          .check([](const PfcConfig& pfc, std::vector<Problem>& problems) {
            if (is_static(pfc) && pfc.xon > pfc.xoff) {
              problems.push_back(
                  {"xon", "is above xoff (" +
                              quantity_text(pfc.xoff.count(), dimension_of<Bytes>()) +
                              "); a pause could never be lifted in order"});
            }
          });
  for (std::size_t i = 0; i < kHeadroomWords.size(); ++i) {
    keys.special(kHeadroomWords[i].word, -1 - static_cast<std::int64_t>(i));
  }
  return keys;
}

schema::Object<CreditConfig> credit_schema() {
  return schema::describe<CreditConfig>("credits",
                                        "a sender starts a packet only if the receiver granted it "
                                        "buffer, as on InfiniBand and NVLink class links")
      .field("buffer", &CreditConfig::buffer,
             "of every receiving port, for the class; `auto`: what the longest loop of rate, cable "
             "and processing needs, and for data at least what its switch has per port")
      .source(
          "rate x round trip, and buffers as switches are built; counters of 12 bits and 64 B "
          "reach "
          "128 KiB, larger units of credit reach farther (US patent application 2016/0021016)")
      .at_least(1_B)
      .at_most(kMaxPerPort)
      .special("auto", schema::Scalar(kCreditsByLoop.count()))
      .field("block", &CreditConfig::block, "what is granted at a time")
      .source("InfiniBand: credits are counted in blocks of 64 B")
      .at_least(1_B)
      .at_most(64_KiB)
      .field("update", &CreditConfig::update,
             "wire bytes of a credit update; 0: it takes no wire time")
      .source("an InfiniBand flow-control packet has 6 B and delimiters")
      .at_most(4_KiB)
      .field("processing", &CreditConfig::processing,
             "from the end of an update's reception until it can be used")
      .source("at once; not published for any part")
      .at_most(1_s)
      .check([](const CreditConfig& credit, std::vector<Problem>& problems) {
        if (credit.buffer != kCreditsByLoop && credit.buffer < credit.block) {
          problems.push_back(
              {"buffer", "is less than a block (" +
                             quantity_text(credit.block.count(), dimension_of<Bytes>()) +
                             "); nothing could be granted"});
        }
      });
}

/// Of a class on Ethernet.
schema::Object<CbfcConfig> cbfc_schema() {
  const auto of = [](Bytes CreditConfig::*member) {
    return static_cast<Bytes CbfcConfig::*>(member);
  };
  const char* source = "UE specification 1.0, 5.2, as SAI has it";
  return schema::describe<CbfcConfig>("CBFC", "credits per virtual channel (Ultra Ethernet)")
      .field("buffer", of(&CreditConfig::buffer),
             "the limit of credits of every receiving port, for the class; `auto`: what the "
             "longest loop of rate, cable, processing and update gap needs, and for data at least "
             "what its switch has per port")
      .source("rate x round trip; set by management or LLDP")
      .at_least(1_B)
      .at_most(kMaxPerPort)
      .special("auto", schema::Scalar(kCreditsByLoop.count()))
      .field("credit_size", of(&CreditConfig::block), "bytes that a credit stands for")
      .source("SAI's proposal of January 2026: 128 B; its example has 256 B")
      .at_least(64_B)
      .at_most(64_KiB)
      .property<Bytes>(
          "overhead", [](const CbfcConfig& c) { return c.overhead(); },
          [](CbfcConfig& c, Bytes bytes) { c.set_overhead(bytes); },
          "added to the bytes of a frame before they are counted in credits")
      .source("chosen; SAI's proposal has 0 to 127 B (-16 too), its example 64 B")
      .at_most(127_B)
      .field("update", of(&CreditConfig::update),
             "wire bytes of a CF_Update; 0: it takes no wire time")
      .source("a control ordered set of 8 B")
      .at_most(4_KiB)
      .field("processing", static_cast<Picoseconds CbfcConfig::*>(&CreditConfig::processing),
             "from the end of an update's reception until it can be used")
      .source("at once; not published for any part")
      .at_most(1_s)
      .field("update_gap", of(&CreditConfig::update_gap),
             "time of the link, in bytes, from the first credit that is free until a CF_Update "
             "tells it with those that came after: the least from one CF_Update to the next")
      .source(source)
      .at_least(800_B)
      .at_most(1_MiB)
      .field("update_period", &CbfcConfig::update_period,
             "time of the link, in bytes, after which a CF_Update that was lost is repeated, if "
             "nothing else was freed")
      .source(source)
      .at_least(16_KiB)
      .at_most(1_MiB)
      .field("repair", &CbfcConfig::repair,
             "from one CC_Update to the next: when credits of frames that died on a link are back")
      .source(source)
      .at_least(1_us)
      .at_most(250_ms)
      .check([](const CbfcConfig& cbfc, std::vector<Problem>& problems) {
        const auto text = [](Bytes bytes) {
          return quantity_text(bytes.count(), dimension_of<Bytes>());
        };
        if (cbfc.buffer != kCreditsByLoop && cbfc.buffer < cbfc.block) {
          problems.push_back({"buffer", "is less than a credit (" + text(cbfc.block) +
                                            "); nothing could be granted"});
        }
        if (cbfc.update_period < cbfc.update_gap) {
          problems.push_back(
              {"update_period", "is less than update_gap (" + text(cbfc.update_gap) + ")"});
        }
      });
}

/// The keys that RED and steps share, after `kmin`.
template <class Builder>
Builder& add_marking(Builder& builder) {
  return builder
      .choice("mark", &EcnConfig::mark,
              {{EcnConfig::Mark::kEnqueue, "enqueue", "by the queue that a packet joins"},
               {EcnConfig::Mark::kDequeue, "dequeue", "by the queue that a packet leaves behind"}},
              "when a packet is marked")
      .source("data-centre switches mark on departure, which shortens the control loop")
      .field("at_rate", &EcnConfig::at_rate,
             "the thresholds are for links of this rate and scale with the rate of others; "
             "`any`: the same at every rate")
      .source("the thresholds as they are")
      .at_least(1_Mbps)
      .special("any", std::nullopt)
      .field(
          "last_hop", &EcnConfig::marks_last_hop,
          "whether ports that lead to hosts mark, too; false where receivers grant credit, which "
          "settles these ports")
      .source("switches mark at all ports; UE specification 1.0, 3.6.17: not there beside RCCC");
}

schema::Object<EcnConfig> red_schema() {
  const char* const source = "Alibaba's 400 Gbps settings in SimAI";
  auto builder =
      schema::describe<EcnConfig>("RED", "marking by queue length, linear between two thresholds");
  builder.field("kmin", &EcnConfig::kmin, "egress queue from which packets are marked")
      .source(source)
      .field("kmax", &EcnConfig::kmax, "egress queue above which every packet is marked")
      .source(source)
      .field("pmax", &EcnConfig::pmax, "probability of a mark just below kmax")
      .source(source)
      .within({.low = 0, .high = 1, .includes_low = false});
  return add_marking(builder).check([](const EcnConfig& ecn, std::vector<Problem>& problems) {
    if (ecn.enabled && ecn.kmin >= ecn.kmax) {
      problems.push_back(
          {"kmin",
           "is not below kmax (" + quantity_text(ecn.kmax.count(), dimension_of<Bytes>()) + ")"});
    }
  });
}

schema::Object<EcnConfig> step_schema() {
  auto builder =
      schema::describe<EcnConfig>("step", "every packet is marked above one queue length");
  builder.field("kmin", &EcnConfig::kmin, "egress queue above which every packet is marked")
      .source("Alibaba's 400 Gbps settings in SimAI, the lower threshold");
  return add_marking(builder);
}

/// When a switch passes packets on, and what it says in them.
void describe_forwarding(schema::Builder<SwitchConfig>& keys) {
  keys.choice("forwarding", &SwitchConfig::forwarding,
              {{SwitchConfig::Forwarding::kStoreAndForward, "store-and-forward",
                "a packet is forwarded once all of it has arrived"},
               {SwitchConfig::Forwarding::kCutThrough, "cut-through",
                "a packet is forwarded at once if its egress is idle and not faster"}},
              "when a switch passes a packet on")
      .source("what Ethernet switches with a shared buffer do under load")
      .field("cut_through_after", &SwitchConfig::cut_through_after,
             "bytes of a packet that must have arrived before it is forwarded")
      .source("the headers that a switch has to read")
      .at_least(1_B)
      .at_most(64_KiB)
      .only_if(
          [](const SwitchConfig& c) {
            return c.forwarding == SwitchConfig::Forwarding::kCutThrough;
          },
          "with `forwarding: cut-through`")
      .choice(
          "telemetry", &SwitchConfig::telemetry,
          {{SwitchConfig::Telemetry::kAuto, "auto",
            "in the packets of queue pairs whose congestion control needs it"},
           {SwitchConfig::Telemetry::kNone, "none", "switches say nothing"}},
          "what switches say in packets: time, bytes sent, bytes waiting, rate of the link; 42 B "
          "of each data packet and ACK, for five switches")
      .source("Li et al., HPCC, SIGCOMM 2019, section 5: 42 B for five hops");
}

}  // namespace

SwitchConfig standard_switches(LinkLayer layer) {
  SwitchConfig config;
  if (layer == LinkLayer::kEthernet) return config;
  for (TrafficClass& c : config.classes) {
    c.flow_control = CreditConfig{.buffer = kCreditsByLoop};
    c.ecn.enabled = false;
  }
  return config;
}

schema::Object<FlowControlConfig> flow_control_schema(LinkLayer layer) {
  const auto self = [](FlowControlConfig& f) -> FlowControlConfig& { return f; };
  schema::Builder<FlowControlConfig> keys =
      schema::describe<FlowControlConfig>("flow control", "what keeps buffers from overflowing")
          .optional_tag("type", layer == LinkLayer::kEthernet ? 1 : 2, "which flow control")
          .alternative<NoFlowControl>(
              "none", self,
              schema::describe<NoFlowControl>("no flow control", "full buffers drop packets"))
          .also("off")
          .alternative<PfcConfig>("pfc", self, pfc_schema())
          .implied()
          .alternative<CreditConfig>("credit", self, credit_schema(),
                                     CreditConfig{.buffer = kCreditsByLoop})
          .implied();
  if (layer == LinkLayer::kEthernet) keys.alternative<CbfcConfig>("cbfc", self, cbfc_schema());
  keys.shorthand("type");
  return keys;
}

schema::Object<EcnConfig> ecn_schema(LinkLayer layer) {
  using Curve = EcnConfig::Curve;
  const auto is = [](Curve curve) {
    return [curve](const EcnConfig& ecn) { return ecn.enabled && ecn.curve == curve; };
  };
  const auto choose = [](Curve curve) {
    return [curve](EcnConfig& ecn) {
      ecn.enabled = true;
      ecn.curve = curve;
    };
  };
  return schema::describe<EcnConfig>("ECN marking", "how switches mark packets")
      .optional_tag("type", layer == LinkLayer::kEthernet ? 0 : 2, "which marking")
      .mode("red", is(Curve::kRed), choose(Curve::kRed), red_schema())
      .mode("step", is(Curve::kStep), choose(Curve::kStep), step_schema())
      .mode(
          "none", [](const EcnConfig& ecn) { return !ecn.enabled; },
          [](EcnConfig& ecn) { ecn.enabled = false; },
          schema::describe<EcnConfig>("no marking", "switches never mark"))
      .also("off")
      .shorthand("type");
}

schema::Object<TrimmingConfig> trimming_schema() {
  using Config = TrimmingConfig;
  return schema::describe<Config>("packet trimming", "what becomes of data that finds no room")
      .optional_tag("type", 0, "whether packets are trimmed")
      .mode(
          "on", [](const Config& config) { return config.enabled; },
          [](Config& config) { config.enabled = true; },
          schema::describe<Config>("trimming",
                                   "data that finds its egress queue full is cut to its header, "
                                   "which is forwarded in another class, if its transport makes "
                                   "use of that: selective repeat and uec")
              .field("size", &Config::size, "wire bytes that are left of a packet")
              .source("headers of 62 B make the smallest frame of 64 B, preamble and gap 20 B; SAI "
                      "cuts to 128 B by default")
              .at_least(64_B)
              .at_most(4_KiB)
              .field("class", &Config::service_class,
                     "that what is cut is forwarded in, with the service (`scheduling`, `weight`) "
                     "and the room (`egress_limit`) of that class; `highest`: that of highest "
                     "priority")
              .source("Ultra Ethernet 1.0, 4.1: a code point, and so a class, of its own")
              .choice("victim", &Config::victim,
                      {{Config::Victim::kCoinToss, "coin-toss", "either of the two, by a draw"},
                       {Config::Victim::kArriving, "arriving", "the one that finds the queue full"},
                       {Config::Victim::kLastQueued, "last-queued",
                        "the last one of the queue, whose place the arriving one takes if it is as "
                        "long"}},
                      "which packet is cut")
              .source("uet-htsim, compositequeue.cpp")
              .field("last_hop", &Config::tells_last_hop,
                     "whether what is cut at a port to a host has a code point of its own, so that "
                     "senders (uec) know that no path is at fault")
              .source("Ultra Ethernet 1.0, 4.1: DSCP_TRIMMED_LASTHOP"))
      .mode(
          "none", [](const Config& config) { return !config.enabled; },
          [](Config& config) { config.enabled = false; },
          schema::describe<Config>("no trimming", "data that finds no room is dropped"))
      .also("off")
      .shorthand("type");
}

schema::Object<WredConfig> wred_schema() {
  using Config = WredConfig;
  const char* const source = "SONiC's AZURE_LOSSLESS profile: 1 MiB, 2 MiB, 5 %";
  return schema::describe<Config>("WRED", "early drops by queue length, before the queue is full")
      .optional_tag("type", 0, "whether packets are dropped early")
      .mode(
          "on", [](const Config& config) { return config.enabled; },
          [](Config& config) { config.enabled = true; },
          schema::describe<Config>("WRED",
                                   "what comes to a long egress queue is dropped by chance; where "
                                   "the class has `ecn`, data are marked in place of that, and "
                                   "only what cannot be marked (ACKs, CNPs) is dropped")
              .field("min", &Config::min, "average queue up to which nothing is dropped")
              .source(source)
              .field("max", &Config::max, "average queue above which everything is dropped")
              .source(source)
              .field("probability", &Config::probability, "of a drop just below max")
              .source(source)
              .within({.low = 0, .high = 1, .includes_low = false})
              .field("weight", &Config::weight,
                     "each arrival moves the average by 2^-weight of its distance from the queue; "
                     "0: the queue as it is")
              .source("SAI_WRED_ATTR_WEIGHT, 0 unless set")
              .range(0, 15)
              .check([](const Config& config, std::vector<Problem>& problems) {
                if (config.enabled && config.min >= config.max) {
                  problems.push_back(
                      {"min", "is not below max (" +
                                  quantity_text(config.max.count(), dimension_of<Bytes>()) + ")"});
                }
              }))
      .mode(
          "none", [](const Config& config) { return !config.enabled; },
          [](Config& config) { config.enabled = false; },
          schema::describe<Config>("no WRED", "packets are dropped only where there is no room"))
      .also("off")
      .shorthand("type");
}

schema::Object<PfcWatchdogConfig> watchdog_schema() {
  using Config = PfcWatchdogConfig;
  return schema::describe<Config>("PFC watchdog",
                                  "what a switch does about a queue that is paused for too long")
      .optional_tag("type", 0, "whether it is on")
      .mode(
          "on", [](const Config& config) { return config.enabled; },
          [](Config& config) { config.enabled = true; },
          schema::describe<Config>("watchdog",
                                   "a queue in which packets have waited behind a pause for the "
                                   "detection time obeys no pause until none has come for the "
                                   "restoration time")
              .field("detection", &Config::detection,
                     "for so long packets wait behind an unbroken pause until that is a storm")
              .source("SONiC: pfcwd start_default, 200 ms")
              .at_least(Picoseconds(1))
              .at_most(100_s)
              .field("restoration", &Config::restoration,
                     "without a pause for so long the storm is over")
              .source("SONiC: pfcwd start_default, 200 ms")
              .at_least(Picoseconds(1))
              .at_most(100_s)
              .choice(
                  "action", &Config::action,
                  {{Config::Action::kDrop, "drop",
                    "what waits and what comes is dropped while the storm lasts"},
                   {Config::Action::kForward, "forward", "it is sent as if there were no pause"}},
                  "what becomes of packets of a queue in a storm")
              .source("SONiC: pfcwd start_default, drop")
              .field("poll", &Config::poll, "how often it looks, counted from the pause on")
              .source("SONiC: POLL_INTERVAL, 100 ms at least")
              .at_least(1_ns)
              .at_most(100_s)
              .check([](const Config& config, std::vector<Problem>& problems) {
                const Picoseconds shorter = std::min(config.detection, config.restoration);
                if (config.enabled && config.poll > shorter) {
                  problems.push_back(
                      {"poll", "is longer than " +
                                   quantity_text(shorter.count(), dimension_of<Picoseconds>()) +
                                   ", the shorter of detection and restoration"});
                }
              }))
      .mode(
          "none", [](const Config& config) { return !config.enabled; },
          [](Config& config) { config.enabled = false; },
          schema::describe<Config>("no watchdog", "pauses last as long as they do"))
      .also("off")
      .shorthand("type");
}

schema::Object<LoadBalancing> load_balancing_schema() {
  using Config = LoadBalancing;
  const auto plain = [](const char* doc) {
    return schema::describe<Config>("load balancing", doc);
  };
  const auto is = [](Config::Type type) {
    return [type](const Config& config) { return config.type == type; };
  };
  const auto choose = [](Config::Type type) { return [type](Config& c) { c.type = type; }; };
  return schema::describe<Config>("load balancing", "how a switch chooses among next hops")
      .optional_tag("type", 0, "what is balanced")
      .mode("ecmp", is(Config::kFlow), choose(Config::kFlow),
            plain("per queue pair: every packet of it takes the same path"))
      .mode("spray", is(Config::kSpray), choose(Config::kSpray), plain("per packet, at random"))
      .mode("round-robin", is(Config::kRoundRobin), choose(Config::kRoundRobin),
            plain("per packet, those of every ingress port taking the next hops in turn"))
      .mode("flowlet", is(Config::kFlowlet), choose(Config::kFlowlet),
            plain("per burst of a queue pair, which may take another path after a gap")
                .field("gap", &Config::gap, "silence after which the next packet may")
                .source("chosen: a queue at kmax drains in 64 us at 400 Gbps, so that bursts stay "
                        "in order; LetFlow (Vanini et al., NSDI 2017) takes 500 us at 10 Gbps")
                .at_most(1_s)
                .field("entries", &Config::entries,
                       "of a switch's table, rounded up to a power of two; flows that share an "
                       "entry share their bursts")
                .source("chosen; tables in hardware have some thousand to 64 Ki entries")
                .range(1, 65'536))
      .mode("adaptive", is(Config::kAdaptive), choose(Config::kAdaptive),
            plain("per packet, the egress with the fewest bytes; equals in turn"))
      .mode("source-routes", is(Config::kSourceRoutes), choose(Config::kSourceRoutes),
            plain("per packet, the uplink that its sender names at each tier, and no other after "
                  "failures (transport.source_routes)"))
      .shorthand("type");
}

schema::Object<SwitchConfig> switch_schema(LinkLayer layer) {
  const bool is_ethernet = layer == LinkLayer::kEthernet;
  schema::Builder<SwitchConfig> keys =
      schema::describe<SwitchConfig>("switch policies", "what switches do with packets")
          .object("load_balancing", &SwitchConfig::load_balancing, load_balancing_schema(),
                  "how a switch chooses among equal-cost next hops")
          .source("what data-centre fabrics do unless told otherwise")
          .object(
              "flow_control", [](SwitchConfig & c) -> auto& { return c.data().flow_control; },
              flow_control_schema(layer), "what keeps buffers from overflowing")
          .source(is_ethernet ? "RoCE fabrics are built lossless"
                              : "InfiniBand has credits per virtual lane (IBTA volume 1, 7.9)")
          .object("pause", &SwitchConfig::pause, pause_schema(), "how pauses travel and act")
          .source("IEEE 802.1Qbb")
          .object(
              "ecn", [](SwitchConfig & c) -> auto& { return c.data().ecn; }, ecn_schema(layer),
              "how switches mark packets")
          .source(is_ethernet ? "DCQCN needs marks" : "no DCQCN reads marks on InfiniBand")
          .property<Bytes>(
              "egress_limit", [](const SwitchConfig& c) { return c.data().egress_limit; },
              [](SwitchConfig& c, Bytes limit) { c.data().egress_limit = limit; },
              "an egress may hold this many bytes of a lossy class, those in transmission "
              "included; packets beyond are trimmed or dropped; `none`: no limit but the buffer")
          .source("no limit")
          .special("none", std::int64_t{0})
          .object(
              "trimming", [](SwitchConfig & c) -> auto& { return c.data().trimming; },
              trimming_schema(),
              "whether data of lossy classes that finds no room is cut to its header")
          .source("switches drop unless told otherwise")
          .object(
              "wred", [](SwitchConfig & c) -> auto& { return c.data().wred; }, wred_schema(),
              "whether switches drop packets of long queues early")
          .source("none: data is marked")
          .object("pfc_watchdog", &SwitchConfig::watchdog, watchdog_schema(),
                  "what switches do about queues that are paused for too long")
          .source("none")
          .object("link_retry", &SwitchConfig::link_retry, link_retry_schema(),
                  "whether links between servers and switches send again what they have corrupted")
          .source("none: it is an option of Ultra Ethernet")
          .choice("buffer_release", &SwitchConfig::release,
                  {{SwitchConfig::Release::kTransmissionEnd, "transmission-end",
                    "when the last bit has left"},
                   {SwitchConfig::Release::kTransmissionStart, "transmission-start",
                    "when the first bit leaves"}},
                  "when a packet's bytes leave the buffer accounts")
          .source("store and forward: the bytes are in the buffer until they are sent")
          .choice("queueing", &SwitchConfig::queueing,
                  {{SwitchConfig::Queueing::kOutput, "output",
                    "a packet waits for its output only, as with virtual output queues"},
                   {SwitchConfig::Queueing::kInput, "input",
                    "one FIFO per input and class: a packet waits for all before it"}},
                  "what a packet waits behind inside of a switch")
          .source("shared-memory switches queue at the output")
          .choice("arbitration", &SwitchConfig::arbitration,
                  {{SwitchConfig::Arbitration::kRoundRobin, "round-robin", "the inputs take turns"},
                   {SwitchConfig::Arbitration::kRandom, "random", "any of them"}},
                  "which of several inputs an output serves next")
          .source("fair, and what arbiters in hardware do")
          .only_if(
              [](const SwitchConfig& c) { return c.queueing == SwitchConfig::Queueing::kInput; },
              "with `queueing: input`");
  describe_forwarding(keys);
  return keys;
}

}  // namespace weft::protocols
