#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scenarios/spec/scenario.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::scenarios {

/// Whether `text` is `pattern`, in which every `*` stands for any text.
[[nodiscard]] bool matches_pattern(std::string_view pattern, std::string_view text);

/// Nodes and cables of a fabric by name.
class FabricNames {
 public:
  /// `fabric` must outlive it.
  explicit FabricNames(const Fabric& fabric);

  /// none() if no node has that name.
  [[nodiscard]] NodeId find(const std::string& name) const;
  /// "`x` is no node of the fabric; did you mean `y`?"
  [[nodiscard]] std::string unknown(const std::string& name) const;
  /// Egress ports of `from` towards `to`, or all of them where `to` is none().
  [[nodiscard]] std::vector<PortId> ports(NodeId from, NodeId to) const;
  /// Egress ports of `links.from` to the links that are meant, at least one; or nothing, and why in
  /// `errors`. `path` is that of the map with the keys `from`, `to` and `network`.
  [[nodiscard]] std::vector<PortId> ports(const LinkSelection& links, const std::string& path,
                                          Errors& errors) const;

 private:
  [[nodiscard]] NodeId find(const std::string& name, const std::string& key, Errors& errors) const;
  [[nodiscard]] std::vector<PortId> ports_in(NodeId from, LinkSelection::Network network,
                                             const std::string& key, Errors& errors) const;

  const Fabric& fabric_;
  std::unordered_map<std::string_view, NodeId> nodes_;
};

}  // namespace weft::scenarios
