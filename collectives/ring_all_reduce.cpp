#include "collectives/ring_all_reduce.hpp"

namespace weft::collectives {

class RingAllReduce::Source final : public StepSource {
 public:
  Source(const RingAllReduce& program, std::uint32_t rank)
      : program_(program), rank_(rank), send_chunk_(rank) {}

  bool next(Step& step) override {
    while (iteration_ < program_.spec_.iterations) {
      const bool is_send = is_send_;
      const std::uint32_t chunk = is_send ? send_chunk_ : before(send_chunk_);
      const bool reduces = step_ < program_.ranks_ - 1;
      advance();
      const Bytes size = program_.chunk_size(chunk);
      if (size == Bytes(0)) continue;
      if (is_send) {
        step = Step::send(after(rank_), size, chunk);
      } else {
        step = reduces ? Step::receive_and_reduce(before(rank_), size, chunk)
                       : Step::receive(before(rank_), size, chunk);
      }
      return true;
    }
    return false;
  }

 private:
  [[nodiscard]] std::uint32_t before(std::uint32_t i) const {
    return i == 0 ? program_.ranks_ - 1 : i - 1;
  }
  [[nodiscard]] std::uint32_t after(std::uint32_t i) const {
    return i + 1 == program_.ranks_ ? 0 : i + 1;
  }
  void advance() {
    is_send_ = !is_send_;
    if (!is_send_) return;
    send_chunk_ = before(send_chunk_);
    if (++step_ < 2 * (program_.ranks_ - 1)) return;
    step_ = 0;
    send_chunk_ = rank_;
    ++iteration_;
  }

  const RingAllReduce& program_;
  std::uint32_t rank_;
  std::uint32_t iteration_ = 0;
  std::uint32_t step_ = 0;
  std::uint32_t send_chunk_;
  bool is_send_ = true;
};

RingAllReduce::RingAllReduce(std::uint32_t ranks, const AllReduceSpec& spec)
    : ranks_(ranks), spec_(spec) {}

std::vector<std::uint32_t> RingAllReduce::send_peers(std::uint32_t rank, std::uint32_t) const {
  return {(rank + 1) % ranks_};
}

std::unique_ptr<StepSource> RingAllReduce::steps(std::uint32_t rank, std::uint32_t) const {
  return std::make_unique<Source>(*this, rank);
}

Bytes RingAllReduce::chunk_size(std::uint32_t chunk) const {
  const std::int64_t size = spec_.size.count();
  return Bytes(size / ranks_ + (chunk < size % ranks_ ? 1 : 0));
}

}  // namespace weft::collectives
