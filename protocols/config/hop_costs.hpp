#pragma once

namespace weft::protocols {

// What a packet-hop takes, in nanoseconds of one thread of an AMD EPYC of 1 MiB of second-level
// cache per core that runs the permutation of tools/bench over 64 hosts at 60 ns per packet-hop.
// Forecasts of runs and the choice of a partition share them.

/// A packet-hop whose memory is at hand, on shipped scenarios of 64 hosts (all-reduce, straggler).
inline constexpr double kNanosecondsPerHop = 65;
/// More where links go by credits. It was 90 while each credit took an event, calibrated with what
/// a message takes on all shipped scenarios of a second or more. Without these events the part of
/// the credits in a hop is 0.6 of that (feature/credits beside permutation/sprayed/512 of
/// tools/bench).
inline constexpr double kNanosecondsPerCredit = 55;
/// The second-level cache of a core, in bytes.
inline constexpr double kSecondLevelCache = 1 << 20U;

}  // namespace weft::protocols
