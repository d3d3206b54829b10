#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "scenarios/results/message_statistics.hpp"
#include "simcore/base/digest.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// Who sends to whom, as a factor of sums of rows.
class RowName {
 public:
  RowName() { factors_.fill(1); }  ///< nobody
  RowName(std::uint32_t source_rank, std::uint32_t destination_rank);

 private:
  friend class RowSum;
  std::array<std::uint64_t, 4> factors_;  ///< odd: no two rows become one
};

/// What a list of rows is known by, whatever their order: in four words of 64 bits the sum of
/// their hashes, and the sum of these times when each row began. All of it is linear: what rows
/// add up to that happen again, later and between others, follows from their sum in a few
/// multiplications.
class RowSum {
 public:
  /// A row of numbers that began at `time`.
  void add(const RowName& name, std::span<const std::int64_t> row, std::int64_t time);
  /// A given number of `copies` of rows of nobody, which begin later by times that add up to
  /// `shifts`.
  void add(const RowName& name, const RowSum& rows, std::uint64_t copies, std::uint64_t shifts);
  void add_to(Digest& digest) const;
  bool operator==(const RowSum&) const = default;

 private:
  std::array<std::uint64_t, 4> words_{};
  std::array<std::uint64_t, 4> moments_{};
};

/// The hash of a message but for its name and when it began.
void add_message(RowSum& sum, const RowName& name, const MessageResult& message, Picoseconds start);

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
