#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocols/config/transports/shared_keys.hpp"
#include "protocols/config/transports/uec_config.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols {
namespace {

namespace keys = delivery_keys;

// uet-ref-prov, uet_pkt_hdr.h; Ethernet.
constexpr Bytes kGap = 20_B;           ///< preamble 8, gap 12
constexpr Bytes kEthernet = 18_B;      ///< header 14, FCS 4
constexpr Bytes kMinFrame = 64_B;      ///< without preamble and gap
constexpr Bytes kRequest = 56_B;       ///< PDS 12, SES 44
constexpr Bytes kAck = 12_B;           ///< of PDS
constexpr Bytes kAckWithState = 32_B;  ///< ACK_CC
constexpr Bytes kNack = 16_B;

constexpr const char* kSpecification = "UE specification 1.0, 3.5";
constexpr const char* kHtsim = "uet-htsim at 40ccb05, uec.cpp";

schema::Preset<UecConfig, UecConfig::Preset> uec_preset(UecConfig::Preset which, std::string name,
                                                        std::string source) {
  return {which, std::move(name), std::move(source),
          [which](UecConfig& config) { config = UecConfig::from_preset(which); }};
}

std::vector<schema::Preset<UecConfig, UecConfig::Preset>> uec_presets() {
  return {uec_preset(UecConfig::Preset::kUec10, "uec-1.0", "UE specification 1.0, June 2025"),
          uec_preset(UecConfig::Preset::kHtsim, "uet-htsim",
                     std::string(kHtsim) +
                         ": packets of 4,150 B, answers of 64 B, its time-out and its NSCC")};
}

schema::Object<UecConfig> uec_ack_schema() {
  return schema::describe<UecConfig>("acknowledgements", "how receivers acknowledge")
      .include(keys::self<UecConfig>, keys::ack_bytes<UecConfig>("ACK_Gen_Trigger: 16 KiB"))
      .field("min_per_packet", &UecConfig::ack_min_add,
             "bytes that a packet counts towards that at least")
      .source("ACK_Gen_Min_Pkt_Add: 1 KiB; uet-htsim has none")
      .at_most(64_KiB)
      .field("counts_headers", &UecConfig::counts_headers,
             "whether the header of a packet (`counted_header`) is part of these bytes")
      .source("UE specification 1.0: payload; uet-htsim: whole packets")
      .field("on_mark", &UecConfig::acks_marks, "whether a marked packet has an ACK at once")
      .source("ACK_On_ECN: on")
      .include(keys::self<UecConfig>, keys::ack_every_packet<UecConfig>("Enb_ACK_Per_Pkt: off"))
      .include(
          keys::self<UecConfig>,
          keys::ack_size<UecConfig>(
              "wire bytes of an ACK or NACK; `auto`: what the headers make of 12 B of an ACK (32 B "
              "with nscc) or 16 B of a NACK, at least a frame of 64 B",
              "uet-ref-prov, uet_pkt_hdr.h"))
      .include(
          keys::self<UecConfig>,
          keys::ack_priority<UecConfig>("control packets travel in a class that data cannot fill"));
}

schema::Object<UecConfig> uec_recovery_schema() {
  return schema::describe<UecConfig>("recovery", "how what is lost is repeated")
      .include(keys::self<UecConfig>,
               keys::trimming<UecConfig>(
                   "UE specification 1.0, 4.1: an option of the fabric; see fabric.trimming"))
      .field("timeout", &UecConfig::timeout,
             "since a packet was sent, until it is repeated; `queue`: 15 us and what six full "
             "queues of its class take to drain (egress_limit)")
      .source("RTO_Init, which profiles leave open: 1 ms is assumed; uet-htsim: `queue`")
      .special("queue", std::nullopt)
      .at_least(1_us)
      .at_most(8_s)
      .field("backoff", &UecConfig::backs_off,
             "whether the time-out of a packet doubles each time that it expires")
      .source("RTO_Init 2^retries; uet-htsim: no")
      .field("retries", &UecConfig::retries, "time-outs of a packet until its context fails")
      .source("Max_RTO_Retx: 5, at most 15; uet-htsim: without end, here 15")
      .range(0, 15)
      .include(keys::self<UecConfig>,
               keys::nack_retries<UecConfig>(
                   "context",
                   "Max_NACK_Retx is 0 to 31; 31, as trims tell of congestion, not of faults"))
      .field("sleek", &UecConfig::infers_loss,
             "whether a sender infers losses: from packets that overtook what is missing, or by a "
             "probe where no ACK comes")
      .source("UE specification 1.0: for fabrics that do not trim; uet-htsim: -sleek, off")
      .include(keys::self<UecConfig>,
               keys::tracked<UecConfig>("the specification leaves it to the receiver: all that "
                                        "MP_Range lets in"))
      .field("receiver_gap", &UecConfig::receiver_gap,
             "later packets that overtake a missing one until its receiver asks for it with a NACK "
             "(RCVR_INFER_LOSS), once; `none`: it does not")
      .source("an option of UE specification 1.0, 3.5, of which nothing says how far: none")
      .special("none", std::uint64_t{0})
      .range(1, 32'640);
}

using ReceiverControl = decltype(UecConfig::receiver_control);

schema::Object<ReceiverControl> receiver_control_schema() {
  const auto self = [](ReceiverControl& control) -> ReceiverControl& { return control; };
  auto keys = schema::describe<ReceiverControl>("receiver control", "how receivers limit senders");
  keys.optional_tag("type", 0, "which algorithm");
  keys.alternative<congestion::NoControlConfig>(congestion::NoControlSpec::kName, self,
                                                congestion::NoControlSpec::schema())
      .implied();
  keys.alternative<congestion::RcccConfig>(congestion::RcccSpec::kName, self,
                                           congestion::RcccSpec::schema())
      .implied();
  return keys.shorthand("type");
}

void check_uec(const UecConfig& uec, std::vector<schema::Problem>& problems) {
  const congestion::Needs needs = congestion::requirements_of(uec.congestion_control);
  const bool has_none = std::holds_alternative<congestion::NoControlConfig>(uec.congestion_control);
  if (!has_none && !needs.contexts) {
    problems.push_back({"congestion_control",
                        std::string("is ") + congestion::title_of(uec.congestion_control) +
                            ", which counts packets of a queue pair; uec has windows in bytes per "
                            "destination: nscc or none"});
  }
  if (uec.infers_loss && uec.delivery == UecConfig::Delivery::kRod) {
    problems.push_back({"recovery.sleek",
                        "is on with delivery: rod, whose receivers drop what overtakes a gap, so "
                        "that nothing tells of it; set delivery: rud, or recovery.sleek: false"});
  }
  if (uec.receiver_gap != 0 && uec.delivery == UecConfig::Delivery::kRod) {
    problems.push_back({"recovery.receiver_gap",
                        "is set with delivery: rod, whose receivers report a gap with the first "
                        "packet after it; set delivery: rud"});
  }
  if (uec.tracked && uec.delivery == UecConfig::Delivery::kRod) {
    problems.push_back({"recovery.tracked",
                        "is set with delivery: rod, whose receivers drop whatever overtakes a gap; "
                        "set delivery: rud"});
  }
  if (uec.infers_loss && !needs.contexts) {
    problems.push_back({"recovery.sleek",
                        std::string("is on with ") + congestion::title_of(uec.congestion_control) +
                            "; it counts what is early by the window of congestion_control: nscc"});
  }
  if (uec.delivery == UecConfig::Delivery::kRod &&
      uec.planes.choice == PlaneConfig::Choice::kPacket) {
    problems.push_back(
        {"plane_choice",
         "lets packets overtake each other, and delivery: rod keeps them to one path; set "
         "plane_choice: qp, or delivery: rud"});
  }
  keys::check_packets(uec, problems);
}

}  // namespace

UecConfig UecConfig::from_preset(Preset preset) {
  UecConfig config;
  config.preset = preset;
  if (preset == Preset::kHtsim) {
    config.mtu = 4086_B;
    config.header = 64_B;
    config.ack_size = 64_B;
    config.counted_header = 64_B;
    config.ack_min_add = 0_B;
    config.counts_headers = true;
    config.psn_window = 16'384;
    config.timeout = std::nullopt;
    config.backs_off = false;
    config.retries = 15;
    config.congestion_control =
        congestion::NsccConfig::from_preset(congestion::NsccConfig::Preset::kHtsim);
  }
  return config;
}

Bytes UecConfig::on_wire(Bytes transport) const {
  const Bytes lead = kEthernet + (ip == Ip::kIpv4 ? 20_B : 40_B) + (udp ? 8_B : 4_B);
  return std::max(lead + transport, kMinFrame) + kGap;
}

TransportTraits UecConfig::traits() const {
  const auto* credit = std::get_if<congestion::RcccConfig>(&receiver_control);
  const bool has_state =
      credit != nullptr || !std::holds_alternative<congestion::NoControlConfig>(congestion_control);
  TransportTraits traits;
  traits.format = {.payload = mtu,
                   .header = header.value_or(on_wire(kRequest)),
                   .ttl = ttl,
                   .encapsulation = encapsulation};
  traits.is_acknowledged = true;
  traits.takes_any_order = delivery == Delivery::kRud;
  traits.acks_last = false;
  traits.uses_trimming = uses_trimming;
  traits.ack_size = ack_size.value_or(on_wire(has_state ? kAckWithState : kAck));
  traits.ack_every = static_cast<std::uint32_t>(std::max<std::int64_t>(ack_bytes / mtu, 1));
  traits.ack_class = ack_class;
  traits.cnp_class = ack_class;
  traits.retransmit_timeout = timeout.value_or(1_ms);
  traits.retry_limit = retries;
  traits.queue_pairs = queue_pairs;
  traits.congestion_control = congestion_control;
  if (credit != nullptr) traits.receiver_control = *credit;
  if (delivery == Delivery::kRud) traits.path_selection = path_selection;
  traits.planes = planes;
  traits.delivery = PacketDelivery{.in_order = delivery == Delivery::kRod,
                                   .psn_window = psn_window,
                                   .ack_bytes = ack_bytes,
                                   .ack_min_add = ack_min_add,
                                   .acks_marks = acks_marks,
                                   .acks_all = acks_all,
                                   .counts_headers = counts_headers,
                                   .nack_size = ack_size.value_or(on_wire(kNack)),
                                   .counted_header = counted_header,
                                   .timeout = timeout.value_or(PacketDelivery::kByQueue),
                                   .backs_off = backs_off,
                                   .retries = retries,
                                   .nack_retries = nack_retries,
                                   .infers_loss = infers_loss,
                                   .shares_demand = preset == Preset::kHtsim,
                                   .tracked = tracked.value_or(psn_window),
                                   .receiver_gap = receiver_gap};
  return traits;
}

schema::Object<UecConfig> UecConfig::schema(LinkLayer /*layer*/) {
  using Config = UecConfig;
  const auto is_rud = [](const Config& uec) { return uec.delivery == Delivery::kRud; };
  const auto has_headers = [](const Config& uec) { return !uec.header || !uec.ack_size; };
  const auto has_control = [](const Config& uec) {
    return !std::holds_alternative<congestion::NoControlConfig>(uec.congestion_control);
  };
  return schema::describe<Config>("UEC", "Ultra Ethernet Transport: sprayed, trimmed, repeated")
      .presets("preset", &Config::preset, uec_presets(), "values of the other keys")
      .source("the specification")
      .include(keys::self<UecConfig>,
               keys::mtu<UecConfig>(
                   "UE specification 1.0: 1,024, 2,048, 4,096 or 8,192 B, one value per fabric"))
      .choice("ip", &Config::ip,
              {{Ip::kIpv4, "ipv4", "headers of 20 B"}, {Ip::kIpv6, "ipv6", "headers of 40 B"}},
              "version of IP")
      .source("chosen: RoCE fabrics run both")
      .matters_if(has_headers, "where `header` or `ack.size` is auto")
      .field("udp", &Config::udp, "whether packets have UDP's 8 B; else 4 B of entropy")
      .source("UE specification 1.0: either; switches hash UDP ports")
      .matters_if(has_headers, "where `header` or `ack.size` is auto")
      .include(
          keys::self<UecConfig>,
          keys::headers<UecConfig>(
              "wire bytes of a packet besides its payload; `auto`: preamble and gap 20, Ethernet "
              "18, IP, UDP, PDS 12 and SES 44",
              "uet-ref-prov, uet_pkt_hdr.h"))
      .choice("delivery", &Config::delivery,
              {{Delivery::kRud, "rud", "in any order: what is missing is repeated"},
               {Delivery::kRod, "rod",
                "in order, on one path: what follows a gap is dropped and repeated"}},
              "how packets of a context are delivered")
      .source("UE specification 1.0: collectives use RUD")
      .include(keys::self<UecConfig>,
               keys::psn_window<UecConfig>("MP_Range, 8 of 128 packets; uet-htsim: 2^14"))
      .group("ack", uec_ack_schema(), "acknowledgements")
      .group("recovery", uec_recovery_schema(), "repeats")
      .include(keys::self<UecConfig>, keys::queue_pairs<UecConfig>(
                                          "contexts (PDCs) ", "one context per pair of processes"))
      .include(keys::self<UecConfig>,
               keys::counted_header<UecConfig>(
                   has_control, "UE specification 1.0, 3.6: from PDS on, and 40; uet-htsim: 64"))
      .object("congestion_control", &Config::congestion_control,
              congestion::control_schema(congestion::NsccSpec::default_config()),
              "how senders set their windows")
      .source(kSpecification)
      .object("receiver_control", &Config::receiver_control, receiver_control_schema(),
              "how receivers limit what is sent to them, beside that: with `rccc` a packet needs "
              "room in the window and credit")
      .source("UE specification 1.0, 3.6.14: NSCC, RCCC or both; uet-htsim: NSCC alone")
      .object("path_selection", &Config::path_selection,
              path_selection::choice_schema(path_selection::MixedConfig{}),
              "how senders select paths by the entropy values that switches hash")
      .source("the specification leaves it open; uet-htsim: mixed")
      .only_if(is_rud, "with `delivery: rud`; ROD keeps to one path")
      .include(&Config::planes, PlaneConfig::schema())
      .include(&Config::planes, PlaneConfig::windows_schema())
      .check(check_uec);
}

}  // namespace weft::protocols
