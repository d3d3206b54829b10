#pragma once

#include "collectives/jobs/job_specs.hpp"
#include "collectives/jobs/program.hpp"

namespace weft::collectives {

/// Who sends to whom: a permutation of 0 .. n-1 (n >= 2) that moves every element, uniform among
/// those.
[[nodiscard]] std::vector<std::uint32_t> random_derangement(std::uint32_t n,
                                                            const RandomStream& random);

/// Every rank sends one message to rank `destinations[rank]`, at a random time uniform in
/// [0, jitter) after the job's start.
class Permutation final : public JobProgram {
 public:
  /// Destinations drawn by the seed.
  Permutation(const ProgramSetting& setting, const PermutationSpec& spec);
  /// `destinations` is a permutation without fixed points.
  Permutation(ProgramSetting setting, const PermutationSpec& spec,
              std::vector<std::uint32_t> destinations);

  [[nodiscard]] bool needs_acknowledgements() const override {
    return setting_.has_acknowledgements;
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(std::uint32_t rank,
                                                  std::uint32_t lane) const override;

 private:
  ProgramSetting setting_;
  PermutationSpec spec_;
  std::vector<std::uint32_t> destinations_;
  std::vector<std::uint32_t> sources_;  ///< the inverse
};

}  // namespace weft::collectives
