#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "scenarios/results/message_statistics.hpp"
#include "simcore/base/digest.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What a list of rows of numbers is known by, whatever their order: the sum of their hashes in 256
/// bits.
class RowSum {
 public:
  void add(std::span<const std::int64_t> row);
  void add_to(Digest& digest) const;
  bool operator==(const RowSum&) const = default;

 private:
  std::array<std::uint64_t, 4> words_{};
};

/// The messages of one iteration of a job (of all of it, where it has none), for the digest: times
/// are relative to the begin, so that a phase that happens again later has the same sum.
struct MessagePhase {
  std::uint32_t job = 0;
  std::uint32_t iteration = 0;
  Picoseconds start;  ///< of its first rank
  std::uint64_t messages = 0;
  RowSum sum;

  void add(const MessageResult& message);
  void add_to(Digest& digest) const;
};

}  // namespace weft::scenarios
