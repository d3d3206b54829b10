#include "topologies/build_fabric.hpp"

#include <variant>

#include "topologies/cabled/cabled.hpp"
#include "topologies/clos/clos.hpp"
#include "topologies/clos/leaf_spine.hpp"
#include "topologies/custom/custom.hpp"

namespace weft::topologies {
namespace {

Result<Fabric> build(const LeafSpineSpec& spec) { return build(clos_of(spec)); }

Result<Fabric> build(const FatTreeSpec& spec) {
  auto clos = clos_of(spec);
  if (!clos.ok()) return clos.errors();
  return build(clos.value());
}

}  // namespace

Result<Fabric> build_fabric(const TopologySpec& spec) {
  return std::visit([](const auto& any) { return build(any); }, spec);
}

}  // namespace weft::topologies
