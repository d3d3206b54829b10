#include "topologies/export/simgrid_platform.hpp"

#include <string>
#include <vector>

#include "simcore/base/escape.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"

namespace weft::topologies {
namespace {

constexpr const char* kHead =
    "<?xml version=\"1.0\"?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\">\n"
    "  <!-- Written by weft. Bandwidths are what payload gets; link latencies include switch\n"
    "       pipelines and storing packets. One path per pair of hosts, chosen as ECMP by "
    "flow\n"
    "       does. The settings make SimGrid's network an ideal fluid; a command line overrides "
    "them.\n"
    "       Flows that share a link share it in inverse proportion to their routes' latencies. "
    "-->\n"
    "  <config>\n"
    "    <prop id=\"network/model\" value=\"CM02\"/>\n"
    "    <prop id=\"network/crosstraffic\" value=\"0\"/>\n"
    "    <prop id=\"network/TCP-gamma\" value=\"1e18\"/>\n"
    "  </config>\n";

class Writer {
 public:
  Writer(std::ostream& out, const Fabric& fabric, const Routes& routes,
         const PlatformOptions& options)
      : out_(out),
        fabric_(fabric),
        routes_(routes),
        options_(options),
        owners_(fabric.link_owners()) {}

  Errors write() {
    out_ << kHead << "  <zone id=\"" << xml_escaped(options_.name) << "\" routing=\"Full\">\n";
    for (const NodeId id : fabric_.hosts) {
      // Computing is not modelled; SimGrid wants a speed.
      out_ << "    <host id=\"" << xml_escaped(fabric_.node(id).name) << "\" speed=\"1Gf\"/>\n";
    }
    for (std::uint32_t p = 0; p < fabric_.ports.size(); ++p) {
      if (owners_[p] == PortId(p)) write_link(PortId(p));
    }
    for (std::uint32_t from = 0; from < fabric_.hosts.size(); ++from) {
      for (std::uint32_t to = 0; to < fabric_.hosts.size(); ++to) {
        if (from == to) continue;
        if (Errors errors = write_route(HostId(from), HostId(to)); !errors.empty()) return errors;
      }
    }
    out_ << "  </zone>\n</platform>\n";
    return {};
  }

 private:
  [[nodiscard]] std::string link_name(PortId id) const {
    const Node& node = fabric_.node(fabric_.port(id).node);
    return xml_escaped(node.name) + "_" + std::to_string(id.value() - node.first_port.value());
  }

  void write_link(PortId id) {
    const Port& port = fabric_.port(id);
    const Bytes packet = options_.payload + options_.header;
    Picoseconds latency = fabric_.data_latency(id);
    if (fabric_.node(port.node).kind == NodeKind::kSwitch) {
      latency += transmission_time(options_.stored, port.rate);
    }
    const double payload_rate = static_cast<double>(port.rate.count()) / 8 *
                                static_cast<double>(options_.payload.count()) /
                                static_cast<double>(packet.count());
    out_ << "    <link id=\"" << link_name(id) << "\" bandwidth=\"" << std::to_string(payload_rate)
         << "Bps\" latency=\"" << latency.count() << "ps\"/>\n";
  }

  Errors write_route(HostId from, HostId to) {
    const std::uint32_t entropy = flow_entropy(from, to, queue_pair_number(0, 0));
    const std::vector<PortId> path = flow_path(fabric_, routes_, options_.seed, from, to, entropy);
    if (path.empty()) {
      return {Error{fabric_.host(from).name + " cannot reach " + fabric_.host(to).name,
                    {.key = "fabric"}}};
    }
    out_ << "    <route src=\"" << xml_escaped(fabric_.host(from).name) << "\" dst=\""
         << xml_escaped(fabric_.host(to).name) << "\" symmetrical=\"NO\">";
    for (const PortId port : path) {
      out_ << "<link_ctn id=\"" << link_name(owners_[port.value()]) << "\"/>";
    }
    out_ << "</route>\n";
    return {};
  }

  std::ostream& out_;
  const Fabric& fabric_;
  const Routes& routes_;
  const PlatformOptions& options_;
  std::vector<PortId> owners_;  ///< ports that share a link are one link
};

}  // namespace

Errors write_simgrid_platform(std::ostream& out, const Fabric& fabric, const Routes& routes,
                              const PlatformOptions& options) {
  if (fabric.hosts.size() > kMaxPlatformHosts) {
    return {Error{"a SimGrid platform has a route per pair of hosts: at most " +
                      std::to_string(kMaxPlatformHosts) + " hosts can be written, not " +
                      std::to_string(fabric.hosts.size()),
                  {.key = "fabric"}}};
  }
  return Writer(out, fabric, routes, options).write();
}

}  // namespace weft::topologies
