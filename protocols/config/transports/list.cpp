#include "protocols/config/transports/list.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocols/config/transports/shared_keys.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols {

schema::Object<PacketFormat> PacketFormat::schema() {
  return schema::describe<PacketFormat>("packet format", "how messages become packets")
      .field("mtu", &PacketFormat::payload, "payload of a full packet (path MTU)")
      .source("the largest path MTU of RoCEv2")
      .at_least(64_B)
      .at_most(64_KiB)
      .field("header", &PacketFormat::header, "what else a data packet occupies the wire with")
      .source("Ethernet 38 B with preamble and gap, IPv4 20, UDP 8, BTH 12, ICRC 4")
      .at_most(1_KiB)
      .field("ttl", &PacketFormat::ttl, "switches a packet crosses at most")
      .source("the usual initial TTL of IP hosts")
      .range(1, 255)
      .words("encapsulation", &PacketFormat::encapsulation, encapsulation_doc())
      .source("none")
      .check([](const PacketFormat& format, std::vector<schema::Problem>& problems) {
        if (std::string problem = encapsulation_problem(format.encapsulation); !problem.empty()) {
          problems.push_back({"encapsulation", std::move(problem)});
        }
        if (format.payload + format.header > kMaxPacket) {
          problems.push_back({"mtu", "makes packets of " +
                                         std::to_string((format.payload + format.header).count()) +
                                         " B with their header; at most " +
                                         std::to_string(kMaxPacket.count()) + " B are possible"});
        }
      });
}

TransportTraits traits_of(const TransportConfig& transport) {
  TransportTraits traits = std::visit([](const auto& t) { return t.traits(); }, transport);
  const Bytes around = encapsulation_size(traits.format.encapsulation);
  traits.format.header += around;
  if (traits.is_acknowledged) traits.ack_size += around;
  if (traits.delivery) traits.delivery->nack_size += around;
  return traits;
}

std::size_t model_of(const TransportConfig& transport) {
  return std::visit(
      []<class T>(const T&) {
        if constexpr (HasModelOfAnother<T>) {
          return Transports::number_of<typename T::Model>();
        } else {
          return Transports::number_of<T>();
        }
      },
      transport);
}

TransportConfig standard_transport(LinkLayer layer) {
  return std::variant_alternative_t<0, TransportConfig>::default_config(layer);
}

namespace {

schema::Object<TransportConfig> describe_transport(LinkLayer layer) {
  const auto self = [](TransportConfig& t) -> TransportConfig& { return t; };
  auto keys = schema::describe<TransportConfig>("transport", "how hosts send messages");
  keys.optional_tag("type", 0, "which transport");
  Transports::for_each([&]<class T>() {
    keys.alternative<T>(T::kName, self, T::schema(layer), T::default_config(layer));
  });
  keys.check([](const TransportConfig& transport, std::vector<schema::Problem>& problems) {
    const TransportTraits traits = traits_of(transport);
    const Bytes around = encapsulation_size(traits.format.encapsulation);
    if (around == Bytes() || traits.full_packet() <= kMaxPacket) return;
    problems.push_back({"encapsulation", "makes packets of " +
                                             std::to_string(traits.full_packet().count()) +
                                             " B; at most " + std::to_string(kMaxPacket.count()) +
                                             " B are possible"});
  });
  return keys.shorthand("type");
}

}  // namespace

schema::Object<TransportConfig> transport_schema(LinkLayer layer) {
  // Classes and jobs have transports, too: each is described once per process, and shared.
  if (layer == LinkLayer::kEthernet) {
    static const schema::Object<TransportConfig> ethernet = describe_transport(layer);
    return ethernet;
  }
  static const schema::Object<TransportConfig> infiniband = describe_transport(layer);
  return infiniband;
}

}  // namespace weft::protocols
