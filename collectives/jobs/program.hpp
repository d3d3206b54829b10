#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/steps/step.hpp"
#include "simcore/base/random.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// What a program may depend on besides its own specification.
struct ProgramSetting {
  std::uint64_t seed = 1;
  std::uint32_t job = 0;  ///< number of the job in the scenario
  std::uint32_t ranks = 0;
  Picoseconds start;  ///< of the job; no step runs before
  /// The transport tells the sender that a message has arrived: sending can end with a kFlush.
  bool has_acknowledgements = true;
  std::vector<BitsPerSecond> access_rates;  ///< by rank; may be empty where the program needs none

  /// The random numbers of one rank of this job.
  [[nodiscard]] RandomStream random(Purpose purpose, std::uint32_t rank) const {
    return RandomStream(seed, purpose, (std::uint64_t{job} << 32U) | rank);
  }
};

/// What a rank sends on average where chance decides how much and to whom: messages of one size, as
/// likely to each of its send peers.
struct DrawnSends {
  Bytes size;
  double messages = 0;
};

/// A job compiled to steps per rank and lane. Immutable: ranks on different threads read it.
class JobProgram {
 public:
  JobProgram() = default;
  JobProgram(const JobProgram&) = delete;
  JobProgram& operator=(const JobProgram&) = delete;
  virtual ~JobProgram() = default;

  /// Lanes per rank, 1 .. 256.
  [[nodiscard]] virtual std::uint32_t lanes() const { return 1; }
  /// Some lane has a kFlush, or there is a window.
  [[nodiscard]] virtual bool needs_acknowledgements() const { return false; }
  /// Iterations, each between a kBegin and a kEnd, all of which send the same; 0: the program is no
  /// collective.
  [[nodiscard]] virtual std::uint32_t iterations() const { return 0; }
  /// What a message of `size` puts on the network: a protocol may send flags beside the data.
  [[nodiscard]] virtual Bytes wire_size(Bytes size) const { return size; }
  /// From the delivery of a message of one rank to another until the receiver sees it.
  [[nodiscard]] virtual Picoseconds receive_latency(std::uint32_t /*from*/,
                                                    std::uint32_t /*to*/) const {
    return {};
  }
  /// Messages that a connection may have posted and not acknowledged; 0: any number. Sends wait.
  [[nodiscard]] virtual std::uint32_t window() const { return 0; }
  /// Sets of ranks that chips of scale-up domains work for, every rank in one of them; empty: none.
  [[nodiscard]] virtual std::vector<RankGroup> groups() const { return {}; }
  [[nodiscard]] virtual ChipWork chip_work(std::uint32_t /*lane*/) const { return {}; }
  /// none: what a rank sends is known without a draw.
  [[nodiscard]] virtual std::optional<DrawnSends> drawn_sends(std::uint32_t /*rank*/) const {
    return std::nullopt;
  }
  /// The ranks that `lane` of `rank` sends to, ascending and without duplicates.
  [[nodiscard]] virtual std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                              std::uint32_t lane) const = 0;
  /// Refers to this program, which must outlive it.
  [[nodiscard]] virtual std::unique_ptr<StepSource> steps(std::uint32_t rank,
                                                          std::uint32_t lane) const = 0;
};

}  // namespace weft::collectives
