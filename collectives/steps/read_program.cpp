#include "collectives/steps/read_program.hpp"

#include <cstddef>
#include <utility>

#include "collectives/steps/step_list.hpp"
#include "simcore/base/check.hpp"

namespace weft::collectives {

ReadProgram::ReadProgram(std::unique_ptr<const JobProgram> program, std::uint32_t ranks)
    : program_(std::move(program)), ranks_(ranks), readers_(program_->lanes()) {
  WEFT_CHECK(lanes() <= kMaxLanes, "requests and data have lanes");
  for (std::uint32_t lane = 0; lane < request_lanes(); ++lane) {
    Readers& readers = readers_[lane];
    readers.first.resize(std::size_t{ranks_} + 1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> reads;  // who, from whom
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      for (const std::uint32_t peer : program_->send_peers({rank, lane})) {
        reads.emplace_back(rank, peer);
        ++readers.first[peer + 1];
      }
    }
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      readers.first[rank + 1] += readers.first[rank];
    }
    readers.all.resize(reads.size());
    std::vector<std::uint32_t> next(readers.first.begin(), readers.first.end() - 1);
    for (const auto& [reader, peer] : reads) readers.all[next[peer]++] = reader;
  }
}

std::vector<std::uint32_t> ReadProgram::send_peers(LanePlace place) const {
  if (place.lane < request_lanes()) return program_->send_peers(place);
  const Readers& readers = readers_[place.lane - request_lanes()];
  const auto begin = readers.all.begin();
  return {begin + readers.first[place.rank], begin + readers.first[place.rank + 1]};
}

std::unique_ptr<StepSource> ReadProgram::steps(LanePlace place) const {
  if (place.lane < request_lanes()) return program_->steps(place);
  return std::make_unique<StepList>(std::vector<Step>());
}

}  // namespace weft::collectives
