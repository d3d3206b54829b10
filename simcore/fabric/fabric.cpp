#include "simcore/fabric/fabric.hpp"

namespace weft {

std::string Fabric::port_name(PortId id) const {
  const auto end_name = [this](PortId end) {
    const Node& n = node(port(end).node);
    std::string text = n.name;
    if (n.kind == NodeKind::kSwitch) {
      text += "[" + std::to_string(end.value() - n.first_port.value()) + "]";
    }
    return text;
  };
  return end_name(id) + "->" + end_name(port(id).peer);
}

}  // namespace weft
