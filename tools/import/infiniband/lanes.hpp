#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "simcore/base/units.hpp"

namespace weft::import {

/// The rate of an InfiniBand link: `4x` or `4X` lanes of `NDR` (ibnetdiscover) or of `106.25`
/// (iblinkinfo, Gb/s with line code). In the round figures of ports: 4xNDR is 400 Gb/s.
[[nodiscard]] std::optional<BitsPerSecond> infiniband_rate(std::string_view width,
                                                           std::string_view speed);

/// `gpu01 mlx5_0` as host and NIC; a switch or a name without a blank has no second part.
struct NodeName {
  std::string device;
  std::string nic;
};
[[nodiscard]] NodeName split_node_name(std::string_view description);

/// Whether a node description is what firmware calls a card or switch of its model, such as
/// `MT4129 ConnectX7   Mellanox Technologies`: hosts cannot be told apart by it.
[[nodiscard]] bool is_generic_description(std::string_view description);

}  // namespace weft::import
