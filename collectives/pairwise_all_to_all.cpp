#include "collectives/pairwise_all_to_all.hpp"

namespace weft::collectives {

class PairwiseAllToAll::Source final : public StepSource {
 public:
  Source(const PairwiseAllToAll& program, std::uint32_t rank) : program_(program), rank_(rank) {}

  bool next(Step& step) override {
    if (iteration_ == program_.spec_.iterations) return false;
    const std::uint32_t n = program_.ranks_;
    const Bytes size = program_.spec_.size;
    if (is_send_) {
      const std::uint32_t to = (rank_ + distance_) % n;
      step = Step::send(to, size, to);
    } else {
      const std::uint32_t from = (rank_ + n - distance_) % n;
      step = Step::receive(from, size, from);
      if (++distance_ == n) {
        distance_ = 1;
        ++iteration_;
      }
    }
    is_send_ = !is_send_;
    return true;
  }

 private:
  const PairwiseAllToAll& program_;
  std::uint32_t rank_;
  std::uint32_t iteration_ = 0;
  std::uint32_t distance_ = 1;
  bool is_send_ = true;
};

PairwiseAllToAll::PairwiseAllToAll(std::uint32_t ranks, const AllToAllSpec& spec)
    : ranks_(ranks), spec_(spec) {}

std::vector<std::uint32_t> PairwiseAllToAll::send_peers(std::uint32_t rank, std::uint32_t) const {
  return all_but(rank, ranks_);
}

std::unique_ptr<StepSource> PairwiseAllToAll::steps(std::uint32_t rank, std::uint32_t) const {
  return std::make_unique<Source>(*this, rank);
}

}  // namespace weft::collectives
