#pragma once

/// What chips that add and multicast cost beside the rates of the links.
namespace weft::collectives {

/// What a message that chips add up, or repeat, takes at the port of its sender besides its bytes
/// (NVL72, 4 KiB in 8 channels).
inline constexpr double kInNetworkMessage = 3.75e-9;
/// In-network reductions and multicasts run at this part of the rate of plain messages while all
/// ranks do the same (16 MiB: 1.2 on 8 GPUs, 1.4 on 72).
inline constexpr double kInNetworkSlowness = 1.3;

}  // namespace weft::collectives
