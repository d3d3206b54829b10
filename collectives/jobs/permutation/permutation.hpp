#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/jobs/job_type.hpp"
#include "collectives/jobs/verb.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// Every rank sends one message to another rank; every rank receives one.
struct PermutationSpec {
  enum class Pairs : std::uint8_t { kRandom, kShift };
  Bytes size;
  Picoseconds jitter;
  Pairs pairs = Pairs::kRandom;
  std::uint32_t shift = 1;  ///< of `kShift`: ranks from who sends to who receives, around the end
  Verb verb = Verb::kWrite;
};

/// Who sends to whom: a permutation of 0 .. n-1 (n >= 2) that moves every element, uniform among
/// those.
[[nodiscard]] std::vector<std::uint32_t> random_derangement(std::uint32_t n,
                                                            const RandomStream& random);

/// Every rank sends one message to rank `destinations[rank]`, at a random time uniform in
/// [0, jitter) after the job's start; or rank `destinations[rank]` reads it then.
class Permutation final : public JobProgram {
 public:
  using Spec = PermutationSpec;
  static constexpr bool kIsOpenLoop = false;
  [[nodiscard]] static const char* type_name(const Spec&) { return "permutation"; }
  [[nodiscard]] static schema::Object<Spec> schema();
  static void check(const Spec& spec, std::uint32_t ranks, Problems& problems);
  [[nodiscard]] static std::uint64_t max_connections(const Spec& spec, std::uint32_t ranks);
  [[nodiscard]] static SendBound bound(const Spec& spec, const BoundSetting& setting);

  /// Destinations drawn by the seed, or shifted.
  Permutation(const ProgramSetting& setting, const PermutationSpec& spec);
  /// `destinations` is a permutation without fixed points.
  Permutation(ProgramSetting setting, const PermutationSpec& spec,
              std::vector<std::uint32_t> destinations);

  [[nodiscard]] bool needs_acknowledgements() const override {
    return setting_.has_acknowledgements;
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(LanePlace place) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(LanePlace place) const override;

 private:
  ProgramSetting setting_;
  PermutationSpec spec_;
  // Of posts: who reads posts to whom it reads from.
  std::vector<std::uint32_t> destinations_;
  std::vector<std::uint32_t> sources_;  ///< the inverse
};

}  // namespace weft::collectives
