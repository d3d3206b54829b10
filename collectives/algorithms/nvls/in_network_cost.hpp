#pragma once

/// What scale-up switches that add and multicast cost beside the rates of the links.
namespace weft::collectives {

/// What a message that scale-up switches reduce, or repeat, takes at the port of its sender besides
/// its bytes (NVL72, 4 KiB in 8 channels).
inline constexpr double kInNetworkMessage = 3.75e-9;

}  // namespace weft::collectives
