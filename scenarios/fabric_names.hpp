#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simcore/fabric.hpp"
#include "simcore/ids.hpp"

namespace weft::scenarios {

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

 private:
  const Fabric& fabric_;
  std::unordered_map<std::string_view, NodeId> nodes_;
};

}  // namespace weft::scenarios
