#include "topologies/build_fabric.hpp"

#include "topologies/clos/clos.hpp"
#include "topologies/clos/fat_tree.hpp"
#include "topologies/clos/leaf_spine.hpp"
#include "topologies/custom/custom.hpp"

namespace weft::topologies {
namespace {

struct Build {
  Result<Fabric> operator()(const LeafSpineSpec& spec) const { return build_clos(clos_of(spec)); }
  Result<Fabric> operator()(const FatTreeSpec& spec) const {
    auto clos = clos_of(spec);
    if (!clos.ok()) return clos.errors();
    return build_clos(clos.value());
  }
  Result<Fabric> operator()(const CustomSpec& spec) const { return build_custom(spec); }
  Result<Fabric> operator()(const ClosSpec& spec) const { return build_clos(spec); }
  Result<Fabric> operator()(const LoneSpec& spec) const { return build_lone(spec); }
};

}  // namespace

Result<Fabric> build_fabric(const TopologySpec& spec) { return std::visit(Build{}, spec); }

}  // namespace weft::topologies
