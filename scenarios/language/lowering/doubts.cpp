#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "scenarios/language/lowering/lower.hpp"
#include "scenarios/language/lowering/topology.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/text/quantity_text.hpp"

/// What the language can say and is hardly meant: units that were mistaken, and parts that nobody
/// makes. Warnings, at the place in the file.
namespace weft::scenarios::language {
namespace {

using topologies::LinkPart;
using topologies::LinkRoles;
using topologies::NicPart;

template <class Quantity>
std::string in_words(Quantity quantity) {
  return quantity_text(quantity.count(), dimension_of<Quantity>());
}

class Doubts {
 public:
  explicit Doubts(const Context& context) : context_(context) {}

  void run() {
    const Document& document = context_.document;
    const auto& racks = document.racks;
    for (std::size_t i = 0; i < racks.size(); ++i) {
      const bool is_listed = locate(context_.root, "racks[0]").is_exact;
      rate(racks[i].server.nic.rate,
           (is_listed ? element_path("racks", i) : "racks") + ".server.nic.rate");
    }
    std::visit([this](const auto& topology) { links_of(topology); }, document.fabric.topology);
    for (std::size_t i = 0; i < document.links.changes.size(); ++i) {
      const LinkPart& link = document.links.changes[i].link;
      const std::string path = element_path("links.changes", i);
      reach(link, path);
      if (link.rate) rate(*link.rate, child_path(path, "rate"));
    }
    transports();
  }

 private:
  [[nodiscard]] bool is_given(const std::string& path) const {
    return locate(context_.root, path).is_exact;
  }

  /// Mbps where Gbps were meant: no port of a data centre is slower.
  void rate(BitsPerSecond rate, const std::string& path) {
    if (rate >= 1_Gbps || !is_given(path)) return;
    context_.doubt(
        path, "is " + in_words(rate) + ", slower than any port of a data centre; are Gbps meant?");
  }

  /// Passive copper, which has nothing plugged in at its ends: 7 m at 10 Gbps, the longest
  /// direct-attach cables that are sold; IEEE 802.3 has 5 m at 25 Gbps per lane (802.3by), 3 m at
  /// 50 (802.3cd), 2 m at 100 (802.3ck).
  void reach(const LinkPart& link, const std::string& path) {
    constexpr Millimetres kLongest(7'000);
    if (!link.length || !link.cable || *link.length <= kLongest) return;
    const topologies::CablePart& cable = *link.cable;
    if (cable.transceivers > Picoseconds(0) || cable.latency_per_metre == Picoseconds(0)) return;
    const std::string key = child_path(path, "length");
    if (!is_given(key)) return;
    context_.doubt(key, "is " + in_words(*link.length) + " of passive copper, which reaches " +
                            in_words(kLongest) +
                            " at most and less at high rates; take the cable "
                            "`fibre` or `active-optical`");
  }

  /// Links that outrun the NICs at their ends.
  void outruns(const LinkPart& link, const NicPart& nic, const std::string& path) {
    if (!link.rate || *link.rate <= nic.rate) return;
    context_.doubt(child_path(path, "rate"),
                   "is " + in_words(*link.rate) + ", and the NIC there has " + in_words(nic.rate) +
                       ": hosts would send faster than their NIC can; say the NIC's `rate`, too");
  }

  template <class Topology>
  void links_of(const Topology& topology) {
    if constexpr (Topology::kRoles == LinkRoles::kOwn) {
      for (std::size_t i = 0; i < topology.links.size(); ++i) {
        const std::string path = element_path("fabric.links", i);
        reach(topology.links[i].link, path);
        if (const auto& r = topology.links[i].link.rate) rate(*r, child_path(path, "rate"));
      }
      own_nics(topology);
    } else if constexpr (Topology::kRoles != LinkRoles::kNone) {
      roles();
    }
  }

  void roles() {
    const LinksDocument& links = context_.document.links;
    for (const auto& [link, path] :
         {std::pair(&links.access, "links.access"), std::pair(&links.uplink, "links.uplink"),
          std::pair(&links.super_uplink, "links.super_uplink")}) {
      reach(*link, path);
      if (link->rate) rate(*link->rate, child_path(path, "rate"));
    }
    for (const topologies::RackSpec& rack : racks_of(context_.document)) {
      if (rack.server.nics == 0 || !is_given("links.access.rate")) continue;
      if (*links.access.rate <= rack.server.nic.rate) continue;
      outruns(links.access, rack.server.nic, "links.access");
      return;
    }
  }

  /// Of links that a topology lists, those of hosts to switches between servers.
  template <class Topology>
  void own_nics(const Topology& topology) {
    using Node = typename Topology::Node;
    std::map<std::string_view, const Node*> nodes;
    for (const Node& node : topology.nodes) nodes.emplace(node.name, &node);
    for (std::size_t i = 0; i < topology.links.size(); ++i) {
      const auto from = nodes.find(topology.links[i].from);
      const auto to = nodes.find(topology.links[i].to);
      if (from == nodes.end() || to == nodes.end()) continue;
      const bool is_from = from->second->kind == NodeKind::kHost;
      const Node& host = is_from ? *from->second : *to->second;
      const Node& other = is_from ? *to->second : *from->second;
      if (host.kind != NodeKind::kHost || other.kind == NodeKind::kHost) continue;
      if (other.network == NetworkKind::kScaleUp) continue;
      outruns(topology.links[i].link, topology.nic, element_path("fabric.links", i));
    }
  }

  void transports() {
    const Document& document = context_.document;
    mtu(document.transport, "transport");
    for (std::size_t i = 0; i < document.fabric.classes.size(); ++i) {
      const auto& own = document.fabric.classes[i].transport;
      if (own) mtu(*own, element_path("fabric.classes", i) + ".transport");
    }
    for (std::size_t i = 0; i < document.jobs.size(); ++i) {
      const auto& own = document.jobs[i].transport;
      if (own) mtu(*own, element_path("jobs", i) + ".transport");
    }
  }

  /// InfiniBand, and so RoCE, has path MTUs of 256, 512, 1024, 2048 and 4096 B (`enum ibv_mtu` of
  /// libibverbs). Below the largest, models in papers have others, such as 1000 B; beyond it, and
  /// at 1500 B, people mean the MTU of Ethernet ports, which has room for headers.
  void mtu(const protocols::TransportConfig& transport, const std::string& path) {
    const auto* roce = std::get_if<protocols::RoceConfig>(&transport);
    if (roce == nullptr) return;
    constexpr Bytes kLargest = 4_KiB;
    constexpr Bytes kEthernet = Bytes(1500);
    const Bytes mtu = roce->format.payload;
    if (mtu <= kLargest && mtu != kEthernet) return;
    context_.doubt(child_path(path, "mtu"),
                   "is " + std::to_string(mtu.count()) +
                       " B, and path MTUs of RoCE are 256, 512, 1024, 2048 and 4096 B; the MTU of "
                       "switch ports is another, and has room for headers");
  }

  const Context& context_;
};

}  // namespace

void doubt_parts(const Context& context) { Doubts(context).run(); }

}  // namespace weft::scenarios::language
