#include "scenarios/build/fabric_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "simcore/text/nearest.hpp"

namespace weft::scenarios {
namespace {

bool is_meant(LinkSelection::Network meant, NetworkKind network) {
  if (meant == LinkSelection::Network::kBoth) return true;
  return (meant == LinkSelection::Network::kScaleUp) == (network == NetworkKind::kScaleUp);
}

const char* word_for(NetworkKind network) {
  return network == NetworkKind::kScaleUp ? "scale-up" : "scale-out";
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

FabricNames::FabricNames(const Fabric& fabric) : fabric_(fabric) {
  nodes_.reserve(fabric.nodes.size());
  for (std::size_t i = 0; i < fabric.nodes.size(); ++i) {
    nodes_.emplace(fabric.nodes[i].name, NodeId(i));
  }
}

NodeId FabricNames::find(const std::string& name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? NodeId::none() : found->second;
}

std::string FabricNames::unknown(const std::string& name) const {
  std::vector<std::string> names;
  names.reserve(fabric_.nodes.size());
  for (const Node& node : fabric_.nodes) names.push_back(node.name);
  return "`" + name + "` is no node of the fabric" + did_you_mean(name, names);
}

std::vector<PortId> FabricNames::ports(NodeId from, NodeId to) const {
  std::vector<PortId> ports;
  const Node& node = fabric_.node(from);
  for (std::uint32_t i = 0; i < node.port_count; ++i) {
    const PortId port(node.first_port.value() + i);
    if (to.is_none() || fabric_.peer_node(port) == to) ports.push_back(port);
  }
  return ports;
}

std::vector<PortId> FabricNames::ports(const LinkSelection& links, const std::string& path,
                                       Errors& errors) const {
  const NodeId from = find(links.from, path + ".from", errors);
  const NodeId to = links.to.empty() ? NodeId::none() : find(links.to, path + ".to", errors);
  if (from.is_none() || (to.is_none() && !links.to.empty())) return {};
  if (to.is_none()) return ports_in(from, links.network, path + ".network", errors);
  std::vector<PortId> found = ports(from, to);
  if (found.empty()) {
    errors.push_back(
        {"no link joins `" + links.from + "` and `" + links.to + "`", {{}, 0, 0, path + ".to"}});
  }
  return found;
}

std::vector<PortId> FabricNames::ports_in(NodeId from, LinkSelection::Network network,
                                          const std::string& key, Errors& errors) const {
  const std::vector<PortId> all = ports(from, NodeId::none());
  for (const NetworkKind kind : {NetworkKind::kScaleOut, NetworkKind::kScaleUp}) {
    const auto is_of_kind = [&](PortId port) { return fabric_.network_of(port) == kind; };
    if (!is_meant(network, kind) || std::ranges::any_of(all, is_of_kind)) continue;
    const std::string other =
        word_for(kind == NetworkKind::kScaleOut ? NetworkKind::kScaleUp : NetworkKind::kScaleOut);
    std::string message = "`" + fabric_.node(from).name + "` has no " + word_for(kind) + " link";
    if (!all.empty()) {
      message += fmt::format("; for its {0} {1} links say `network: {1}`", all.size(), other);
    }
    errors.push_back({std::move(message), {{}, 0, 0, key}});
    return {};
  }
  std::vector<PortId> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [&](PortId port) { return is_meant(network, fabric_.network_of(port)); });
  return found;
}

NodeId FabricNames::find(const std::string& name, const std::string& key, Errors& errors) const {
  const NodeId node = find(name);
  if (node.is_none()) errors.push_back({unknown(name), {{}, 0, 0, key}});
  return node;
}

}  // namespace weft::scenarios
