#pragma once

#include "collectives/job_specs.hpp"
#include "collectives/program.hpp"

namespace weft::collectives {

/// Pairwise all-to-all (R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective
/// Communication Operations in MPICH", IJHPCA 19, 2005, section 3.4, for any number of ranks): in
/// step s = 1 .. n-1, rank r sends its block for rank r+s there and takes a block from rank r-s.
/// The next step begins when that has come. The block a rank keeps for itself takes no time.
///
/// Chunks: a sender's are numbered by destination, a receiver's by source.
class PairwiseAllToAll final : public JobProgram {
 public:
  PairwiseAllToAll(std::uint32_t ranks, const AllToAllSpec& spec);

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(std::uint32_t rank,
                                                  std::uint32_t lane) const override;

 private:
  class Source;

  std::uint32_t ranks_;
  AllToAllSpec spec_;
};

}  // namespace weft::collectives
