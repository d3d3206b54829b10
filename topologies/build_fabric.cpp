#include "topologies/build_fabric.hpp"

#include "topologies/custom.hpp"
#include "topologies/fat_tree.hpp"
#include "topologies/leaf_spine.hpp"

namespace weft::topologies {
namespace {

struct Build {
  Result<Fabric> operator()(const LeafSpineSpec& spec) const { return build_leaf_spine(spec); }
  Result<Fabric> operator()(const FatTreeSpec& spec) const { return build_fat_tree(spec); }
  Result<Fabric> operator()(const CustomSpec& spec) const { return build_custom(spec); }
};

}  // namespace

Result<Fabric> build_fabric(const TopologySpec& spec) { return std::visit(Build{}, spec); }

}  // namespace weft::topologies
