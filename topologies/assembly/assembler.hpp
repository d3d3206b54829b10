#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/limits.hpp"
#include "topologies/assembly/spec.hpp"

namespace weft::topologies {

/// Of a fabric, as the hosts of `kMaxHosts`: beyond it a typing error is likelier than a wish.
inline constexpr std::uint64_t kMaxPorts = 5'000'000;

/// One cable: two link directions.
struct Cable {
  NodeId a;
  NodeId b;
  LinkSpec link;
  Picoseconds edge_from_a{};  ///< `Port::edge_latency` of what leaves a
  Picoseconds edge_from_b{};
  std::uint32_t shared_from_a = 0;  ///< `Port::shared_link` of what leaves a
  std::uint32_t shared_from_b = 0;
};

/// Collects nodes and cables and numbers the ports. What all builders share.
///
/// Nodes are to be added hosts first, then switches by tier. The ports of a node are ordered by the
/// number of the node at the other end, parallel cables in the order they were added: downlinks
/// come before uplinks.
class Assembler {
 public:
  NodeId add_host(std::string name, std::int32_t group, Picoseconds pipeline);
  NodeId add_switch(std::string name, std::uint32_t tier, std::int32_t group, Picoseconds pipeline);
  /// The next scale-up domain; `group` says which are alike.
  std::int32_t add_domain(std::uint32_t group) {
    fabric_.group_of_domain.push_back(group);
    return static_cast<std::int32_t>(fabric_.group_of_domain.size() - 1);
  }
  /// A node that has been added, for what is not said then.
  [[nodiscard]] Node& node(NodeId id) { return fabric_.nodes[id.value()]; }
  /// Takes pipeline, buffer and cell of a switch from its part.
  NodeId add_switch(std::string name, std::uint32_t tier, std::int32_t group,
                    const SwitchPart& part);
  void add_cable(const Cable& cable) { cables_.push_back(cable); }
  void reserve(std::size_t nodes, std::size_t cables);

  /// The fabric, or why it is none: a switch with more than kMaxRadix ports, no hosts, not in one
  /// piece. Errors point at the key `fabric`.
  [[nodiscard]] Result<Fabric> finish() &&;

 private:
  void number_ports();
  void connect();

  Fabric fabric_;
  std::vector<Cable> cables_;
};

/// The key of an item of a list, such as `fabric.nodes[3]`.
[[nodiscard]] std::string indexed(const char* list, std::size_t i);

/// An error at a key of the scenario.
[[nodiscard]] Error error_at(std::string key, std::string message);

/// a * b and a + b, or the largest value where that does not fit.
[[nodiscard]] std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b);
[[nodiscard]] std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b);

/// What builders check before they build; each adds to `errors`.
void check_size(std::uint64_t hosts, std::uint64_t ports, Errors& errors);
void check_at_least_one(std::uint32_t value, const std::string& key, Errors& errors);
void check_link(const LinkSpec& link, const std::string& key, Errors& errors);
void check_not_negative(Picoseconds time, const std::string& key, Errors& errors);

}  // namespace weft::topologies
