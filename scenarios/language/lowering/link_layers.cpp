#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/language/lowering/lower.hpp"
#include "scenarios/language/lowering/topology.hpp"

namespace weft::scenarios::language {
namespace {

/// A place where the document says what some switches are.
struct SwitchUse {
  std::string path;
  LinkLayer layer = LinkLayer::kEthernet;
};

/// The switches of the scale-out network, place by place.
std::vector<SwitchUse> switch_uses(const Document& document) {
  std::vector<SwitchUse> uses;
  for (const topologies::SwitchUse& use : switch_uses_of(document)) {
    if (use.part != nullptr) {
      uses.push_back({"fabric." + use.key, use.part->link_layer});
    } else {
      uses.push_back({"fabric.switch", document.fabric.switch_part.link_layer});
    }
  }
  return uses;
}

const char* name_of(LinkLayer layer) {
  return layer == LinkLayer::kInfiniBand ? "InfiniBand" : "Ethernet";
}

}  // namespace

LinkLayer link_layer_of(const Document& document) {
  const std::vector<SwitchUse> uses = switch_uses(document);
  const bool is_infiniband = !uses.empty() && std::ranges::all_of(uses, [](const SwitchUse& use) {
    return use.layer == LinkLayer::kInfiniBand;
  });
  return is_infiniband ? LinkLayer::kInfiniBand : LinkLayer::kEthernet;
}

void check_link_layers(const Context& context) {
  const std::vector<SwitchUse> uses = switch_uses(context.document);
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
