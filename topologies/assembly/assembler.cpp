#include "topologies/assembly/assembler.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "simcore/base/check.hpp"
#include "topologies/assembly/fabric_graph.hpp"

namespace weft::topologies {

NodeId Assembler::add_host(std::string name, std::int32_t group, Picoseconds pipeline) {
  WEFT_CHECK(fabric_.switches.empty(), "hosts come first");
  const NodeId id(fabric_.nodes.size());
  fabric_.nodes.push_back({.name = std::move(name),
                           .kind = NodeKind::kHost,
                           .tier = 0,
                           .index = static_cast<std::uint32_t>(fabric_.hosts.size()),
                           .group = group,
                           .first_port = {},
                           .port_count = 0,
                           .pipeline = pipeline});
  fabric_.hosts.push_back(id);
  return id;
}

NodeId Assembler::add_switch(std::string name, std::uint32_t tier, std::int32_t group,
                             Picoseconds pipeline) {
  WEFT_CHECK(fabric_.nodes.empty() || fabric_.nodes.back().tier <= tier, "tiers ascend");
  const NodeId id(fabric_.nodes.size());
  fabric_.nodes.push_back({.name = std::move(name),
                           .kind = NodeKind::kSwitch,
                           .tier = tier,
                           .index = static_cast<std::uint32_t>(fabric_.switches.size()),
                           .group = group,
                           .first_port = {},
                           .port_count = 0,
                           .pipeline = pipeline});
  fabric_.switches.push_back(id);
  return id;
}

NodeId Assembler::add_switch(std::string name, std::uint32_t tier, std::int32_t group,
                             const SwitchPart& part) {
  const NodeId id = add_switch(std::move(name), tier, group, part.latency);
  node(id).buffer = part.buffer;
  node(id).cell = part.cell;
  node(id).headroom_pool = part.headroom_pool;
  node(id).capacity = part.capacity.value_or(BitsPerSecond());
  return id;
}

void Assembler::reserve(std::size_t nodes, std::size_t cables) {
  fabric_.nodes.reserve(nodes);
  cables_.reserve(cables);
}

void Assembler::number_ports() {
  for (const Cable& cable : cables_) {
    ++fabric_.nodes[cable.a.value()].port_count;
    ++fabric_.nodes[cable.b.value()].port_count;
  }
  std::uint32_t first = 0;
  for (Node& node : fabric_.nodes) {
    node.first_port = PortId(first);
    first += node.port_count;
  }
  fabric_.ports.resize(first);
}

void Assembler::connect() {
  struct End {
    NodeId node;
    NodeId peer;
    std::uint32_t cable;
    auto operator<=>(const End&) const = default;
  };
  std::vector<End> ends;
  ends.reserve(2 * cables_.size());
  for (std::uint32_t i = 0; i < cables_.size(); ++i) {
    ends.push_back({cables_[i].a, cables_[i].b, i});
    ends.push_back({cables_[i].b, cables_[i].a, i});
  }
  std::ranges::sort(ends);
  std::vector<PortId> other_end(cables_.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const Cable& cable = cables_[ends[i].cable];
    Port& port = fabric_.ports[i];
    port.node = ends[i].node;
    port.rate = cable.link.rate;
    port.wire_latency = cable.link.latency;
    port.errors = cable.link.errors;
    port.edge_latency = ends[i].node == cable.a ? cable.edge_from_a : cable.edge_from_b;
    port.shared_link = ends[i].node == cable.a ? cable.shared_from_a : cable.shared_from_b;
    PortId& other = other_end[ends[i].cable];
    if (other.is_none()) {
      other = PortId(i);
    } else {
      port.peer = other;
      fabric_.ports[other.value()].peer = PortId(i);
    }
  }
}

Result<Fabric> Assembler::finish() && {
  if (fabric_.hosts.empty()) return error_at("fabric", "the fabric has no hosts");
  number_ports();
  Errors errors;
  for (const Node& node : fabric_.nodes) {
    if (node.port_count <= kMaxRadix) continue;
    errors.push_back(
        error_at("fabric", "switch " + node.name + " needs " + std::to_string(node.port_count) +
                               " ports; a switch has at most " + std::to_string(kMaxRadix)));
  }
  if (!errors.empty()) return errors;
  connect();
  const NodeId cut_off = FabricGraph(fabric_).first_unconnected();
  if (!cut_off.is_none()) {
    return error_at("fabric", "the fabric is not in one piece: no path from " +
                                  fabric_.nodes.front().name + " to " + fabric_.node(cut_off).name);
  }
  return std::move(fabric_);
}

std::string indexed(const char* list, std::size_t i) {
  return std::string(list) + "[" + std::to_string(i) + "]";
}

Error error_at(std::string key, std::string message) {
  return {std::move(message), {.file = {}, .line = 0, .column = 0, .key = std::move(key)}};
}

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > kMax / b ? kMax : a * b;
}

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return a > kMax - b ? kMax : a + b;
}

void check_size(std::uint64_t hosts, std::uint64_t ports, Errors& errors) {
  const auto refuse_above = [&](const char* what, std::uint64_t count, std::uint64_t max) {
    if (count <= max) return;
    errors.push_back(error_at("fabric", "the fabric would have " + std::to_string(count) + " " +
                                            what + "; at most " + std::to_string(max) +
                                            " are supported"));
  };
  refuse_above("hosts", hosts, kMaxHosts);
  refuse_above("ports", ports, kMaxPorts);
}

void check_at_least_one(std::uint32_t value, const std::string& key, Errors& errors) {
  if (value == 0) errors.push_back(error_at(key, "is 0; at least 1 is needed"));
}

void check_link(const LinkSpec& link, const std::string& key, Errors& errors) {
  if (link.rate.count() <= 0) {
    errors.push_back(error_at(key + ".rate", "is " + std::to_string(link.rate.count()) +
                                                 " bit/s; a rate above 0 is needed"));
  }
  check_not_negative(link.latency, key + ".latency", errors);
}

void check_not_negative(Picoseconds time, const std::string& key, Errors& errors) {
  if (time.count() >= 0) return;
  errors.push_back(
      error_at(key, "is " + std::to_string(time.count()) + " ps; a latency cannot be negative"));
}

}  // namespace weft::topologies
