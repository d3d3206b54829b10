#include "protocols/host/wrong_delivery.hpp"

#include <fmt/format.h>

#include "simcore/base/check.hpp"

namespace weft::protocols {

void fail_delivery(const Fabric& fabric, PortId at, HostId destination) {
  const std::string sentence =
      fmt::format("packets are delivered at their destination; one for {} came to {} by {}",
                  fabric.host(destination).name, fabric.node(fabric.port(at).node).name,
                  fabric.port_name(fabric.port(at).peer));
  fail_check(sentence.c_str(), "packet.destination == host", __FILE_NAME__, __LINE__);
}

}  // namespace weft::protocols
