#include <string>
#include <utility>
#include <vector>

#include "protocols/config/transports/encapsulation.hpp"
#include "protocols/config/transports/transport.hpp"
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

}  // namespace weft::protocols
