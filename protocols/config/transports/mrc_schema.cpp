#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocols/config/transports/mrc_config.hpp"
#include "protocols/config/transports/shared_keys.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols {
namespace {

namespace keys = delivery_keys;

constexpr Bytes kHeader = 82_B;       ///< of RoCE: PacketFormat::header
constexpr Bytes kAnswer = 86_B;       ///< of RoCE: RoceConfig::ack_size
constexpr Bytes kSack = 16_B;         ///< beyond an ACK of RoCE
constexpr Bytes kSourceRoute = 40_B;  ///< IPv6 around IPv6

constexpr const char* kMrc = "OCP Multipath Reliable Connection 1.0";
constexpr const char* kOpen = "assumed, as Ultra Ethernet has it: MRC's own is not public";

bool has_window(const MrcConfig& mrc) {
  return congestion::requirements_of(mrc.congestion_control).contexts;
}

schema::Object<MrcConfig> mrc_ack_schema() {
  return schema::describe<MrcConfig>("acknowledgements", "how receivers acknowledge")
      .include(keys::self<MrcConfig>, keys::ack_bytes<MrcConfig>(kOpen))
      .include(keys::self<MrcConfig>, keys::ack_every_packet<MrcConfig>(kOpen))
      .include(
          keys::self<MrcConfig>,
          keys::ack_size<MrcConfig>(
              "wire bytes of whatever answers data; `auto`: 102 B of an ACK, 86 of a NACK, and 40 "
              "with source_routes",
              "assumed: RoCE's 86 B, and 16 B of a SACK"))
      .include(keys::self<MrcConfig>, keys::ack_priority<MrcConfig>(
                                          std::string(kMrc) + ": control packets go before data"));
}

schema::Object<MrcConfig> mrc_recovery_schema() {
  return schema::describe<MrcConfig>("recovery", "how what is lost is repeated")
      .include(keys::self<MrcConfig>,
               keys::trimming<MrcConfig>(std::string(kMrc) + ": NACK TRIMMED; see fabric.trimming"))
      .field("timeout_exponent", &MrcConfig::timeout_exponent,
             "the ACK time-out of a packet is 1.024 us times two to the power of this")
      .source("mrc_ctl.h: at most 24; 8 in its examples, 262 us")
      .range(0, 24)
      .field("linear_retries", &MrcConfig::linear_retries, "of a packet after that time each")
      .source("mrc_ctl.h: linear_cnt, at most 7; 7 in its examples")
      .range(0, 7)
      .field("exponential_retries", &MrcConfig::exponential_retries,
             "after these, each after twice the time, until the connection fails; 25: without end")
      .source(
          "assumed: mrc_ctl.h has exp_cnt up to 25, which its examples take, and with which a "
          "receiver that is gone is waited for without end")
      .range(0, MrcConfig::kEndless)
      .include(keys::self<MrcConfig>,
               keys::nack_retries<MrcConfig>("connection",
                                             "31, as trims tell of congestion, not of faults"))
      .include(keys::self<MrcConfig>, keys::tracked<MrcConfig>("mrc.h: as many as MPR lets in"))
      .field("gaps", &MrcConfig::infers_loss,
             "whether a sender takes for lost what a window of later packets has overtaken, and "
             "asks by a probe where no ACK comes")
      .source(
          "assumed: MRC repeats what its SACKs leave out; when is not public, so the rule is "
          "SLEEK's of Ultra Ethernet")
      .matters_if(has_window, "with a congestion control");
}

void check_mrc(const MrcConfig& mrc, std::vector<schema::Problem>& problems) {
  const bool has_none = std::holds_alternative<congestion::NoControlConfig>(mrc.congestion_control);
  if (!has_none && !has_window(mrc)) {
    problems.push_back({"congestion_control",
                        std::string("is ") + congestion::title_of(mrc.congestion_control) +
                            ", which counts packets of a queue pair; mrc has windows in bytes per "
                            "destination: nscc or none"});
  }
  if (mrc.source_routes &&
      !std::holds_alternative<path_selection::EvStatesConfig>(mrc.path_selection)) {
    problems.push_back(
        {"source_routes", std::string("is on with path_selection: ") +
                              path_selection::name_of(mrc.path_selection) +
                              ", whose values are hashed and name no path; set path_selection: "
                              "ev-states"});
  }
  keys::check_packets(mrc, problems);
}

}  // namespace

TransportTraits MrcConfig::traits() const {
  const Bytes route = source_routes ? kSourceRoute : Bytes();
  const std::uint32_t retries = linear_retries + exponential_retries;
  TransportTraits traits;
  traits.format = {.payload = mtu,
                   .header = header.value_or(kHeader + route),
                   .ttl = ttl,
                   .encapsulation = encapsulation};
  traits.is_acknowledged = true;
  traits.takes_any_order = true;
  traits.acks_last = false;
  traits.uses_trimming = uses_trimming;
  traits.ack_size = ack_size.value_or(kAnswer + kSack + route);
  traits.ack_every = static_cast<std::uint32_t>(std::max<std::int64_t>(ack_bytes / mtu, 1));
  traits.ack_class = ack_class;
  traits.cnp_class = ack_class;
  traits.retransmit_timeout = timeout();
  traits.retry_limit = retries;
  traits.queue_pairs = queue_pairs;
  traits.congestion_control = congestion_control;
  traits.path_selection = path_selection;
  traits.source_routes = source_routes;
  traits.planes = planes;
  traits.delivery = PacketDelivery{.psn_window = psn_window,
                                   .ack_bytes = ack_bytes,
                                   .acks_all = acks_all,
                                   .nack_size = ack_size.value_or(kAnswer + route),
                                   .counted_header = counted_header,
                                   .timeout = timeout(),
                                   .linear_retries = linear_retries,
                                   .retries = exponential_retries == kEndless
                                                  ? std::numeric_limits<std::uint32_t>::max()
                                                  : retries,
                                   .nack_retries = nack_retries,
                                   .infers_loss = infers_loss && has_window(*this),
                                   .tracked = tracked.value_or(psn_window)};
  return traits;
}

schema::Object<MrcConfig> MrcConfig::schema(LinkLayer /*layer*/) {
  using Config = MrcConfig;
  return schema::describe<Config>(
             "MRC", "Multipath Reliable Connection: RDMA writes over many paths of several planes")
      .include(keys::self<MrcConfig>, keys::mtu<MrcConfig>("the largest path MTU of RoCEv2"))
      .include(
          keys::self<MrcConfig>,
          keys::headers<MrcConfig>(
              "wire bytes of a packet besides its payload; `auto`: the 82 of RoCEv2, and 40 with "
              "source_routes",
              "assumed: MRC extends RoCEv2, whose headers these are"))
      .field("source_routes", &Config::source_routes,
             "whether values name the uplink at each tier (SRv6), which switches go by without a "
             "hash and whatever fails; its classes have load_balancing: source-routes")
      .source(std::string(kMrc) + ": an option, beside UDP ports that switches hash")
      .include(keys::self<MrcConfig>,
               keys::psn_window<MrcConfig>("mrc.h: MPR in units of 128 packets; 8 in its examples"))
      .group("ack", mrc_ack_schema(), "acknowledgements")
      .group("recovery", mrc_recovery_schema(), "repeats")
      .include(keys::self<MrcConfig>, keys::queue_pairs<MrcConfig>("", "one per pair of processes"))
      .include(keys::self<MrcConfig>,
               keys::counted_header<MrcConfig>(
                   has_window, "assumed: BTH 12, ICRC 4, and 40 as in Ultra Ethernet"))
      .object("congestion_control", &Config::congestion_control,
              congestion::control_schema(congestion::NsccSpec::default_config()),
              "how senders set their windows")
      .source(std::string(kMrc) + ": profile uet-1.0-nscc")
      .object("path_selection", &Config::path_selection,
              path_selection::choice_schema(path_selection::EvStatesConfig{}),
              "how senders select paths by entropy values")
      .source(std::string(kMrc) + ": states of entropy values")
      .include(&Config::planes, PlaneConfig::schema())
      .include(&Config::planes, PlaneConfig::windows_schema())
      .check(check_mrc);
}

}  // namespace weft::protocols
