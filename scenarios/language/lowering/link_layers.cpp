#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/language/lowering/lower.hpp"

namespace weft::scenarios::language {
namespace {

/// A place where the document says what some switches are.
struct SwitchUse {
  std::string path;
  LinkLayer layer = LinkLayer::kEthernet;
};

/// The switches of the scale-out network, place by place.
class SwitchUses {
 public:
  explicit SwitchUses(const Document& document) : fabric_(document.fabric) {
    std::visit(*this, fabric_.topology);
  }

  void operator()(const LeafSpineDocument& d) {
    add(d.leaf, "leaf");
    add(d.spine, "spine");
  }
  void operator()(const RailDocument& d) { (*this)(d.tiers); }
  void operator()(const ClosDocument& d) {
    (*this)(d.tiers);
    add(d.super_spine, "super_spine");
  }
  void operator()(const FatTreeDocument& d) {
    add(d.edge, "edge");
    add(d.aggregation, "aggregation");
    add(d.core, "core");
  }
  void operator()(const CustomDocument& d) {
    for (std::size_t i = 0; i < d.nodes.size(); ++i) {
      const CustomDocument::Node& node = d.nodes[i];
      if (node.kind == CustomDocument::NodeKind::kHost || node.network == NetworkKind::kScaleUp) {
        continue;
      }
      add(TierDocument{node.switch_part}, "nodes[" + std::to_string(i) + "]");
    }
  }
  void operator()(const LoneDocument&) {}

  std::vector<SwitchUse> uses;

 private:
  void add(const TierDocument& tier, const std::string& key) {
    if (tier.switch_part) {
      uses.push_back({"fabric." + key + ".switch", tier.switch_part->link_layer});
    } else {
      uses.push_back({"fabric.switch", fabric_.switch_part.link_layer});
    }
  }

  const FabricDocument& fabric_;
};

const char* name_of(LinkLayer layer) {
  return layer == LinkLayer::kInfiniBand ? "InfiniBand" : "Ethernet";
}

}  // namespace

LinkLayer link_layer_of(const Document& document) {
  const std::vector<SwitchUse> uses = SwitchUses(document).uses;
  const bool is_infiniband = !uses.empty() && std::ranges::all_of(uses, [](const SwitchUse& use) {
    return use.layer == LinkLayer::kInfiniBand;
  });
  return is_infiniband ? LinkLayer::kInfiniBand : LinkLayer::kEthernet;
}

void check_link_layers(const Context& context) {
  const std::vector<SwitchUse> uses = SwitchUses(context.document).uses;
  const auto other = std::ranges::find_if(
      uses, [&](const SwitchUse& use) { return use.layer != uses.front().layer; });
  if (other == uses.end()) return;
  // The one that is said nearer to the switches is likelier to be the odd one.
  const auto [odd, rest] = other->path == "fabric.switch" ? std::pair(uses.front(), *other)
                                                          : std::pair(*other, uses.front());
  context.fail(odd.path, std::string("is an ") + name_of(odd.layer) + " switch, and " + rest.path +
                             " is an " + name_of(rest.layer) +
                             " switch; no cable joins the two (link_layer)");
}

}  // namespace weft::scenarios::language
