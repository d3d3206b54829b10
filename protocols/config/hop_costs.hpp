#pragma once

namespace weft::protocols {

// What a packet-hop takes, in nanoseconds of one thread of an AMD EPYC of 1 MiB of second-level
// cache per core that runs the permutation of tools/bench over 64 hosts at 60 ns per packet-hop.
// Forecasts of runs and the choice of a partition share them.

/// A packet-hop whose memory is at hand, on shipped scenarios of 64 hosts (all-reduce, straggler).
inline constexpr double kNanosecondsPerHop = 65;
/// More where links go by credits, which come back as a third event of every packet-hop. Calibrated
/// with what a message takes, on all shipped scenarios that take a second or more; in the rows of
/// tools/bench a hop with credits takes two and a half times as long as one with nothing, too.
inline constexpr double kNanosecondsPerCredit = 90;
/// The second-level cache of a core, in bytes.
inline constexpr double kSecondLevelCache = 1 << 20U;

}  // namespace weft::protocols
