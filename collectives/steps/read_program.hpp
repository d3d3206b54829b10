#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/steps/program.hpp"

namespace weft::collectives {

/// A request's bytes on the network besides the headers that every packet has: the RETH, with
/// address, key and length of what is read (InfiniBand Architecture Specification 1.4, 9.3.3).
inline constexpr Bytes kReadRequest = Bytes(16);

/// A program whose sends are reads: what a rank posts to a peer is a request, and the peer's NIC
/// responds with as many bytes as the send has. Data comes back in lanes of its own, as many as the
/// program has and after these, which have no steps. The peer's kReceive takes the request. A
/// kFlush of who posted waits for the data. So the program is written as if it wrote to the ranks
/// that it reads from.
class ReadProgram final : public JobProgram {
 public:
  ReadProgram(std::unique_ptr<const JobProgram> program, std::uint32_t ranks);

  [[nodiscard]] std::vector<std::uint32_t> send_peers(LanePlace place) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(LanePlace place) const override;
  [[nodiscard]] std::uint32_t lanes() const override { return 2 * program_->lanes(); }
  [[nodiscard]] std::uint32_t request_lanes() const override { return program_->lanes(); }
  [[nodiscard]] std::optional<DrawnSends> drawn_sends(std::uint32_t rank) const override {
    return program_->drawn_sends(rank);
  }
  /// Visits what a rank asks for.
  void for_each_send(std::uint32_t rank,
                     const std::function<void(const SendCount&)>& visit) const override {
    program_->for_each_send(rank, visit);
  }

 private:
  std::unique_ptr<const JobProgram> program_;
  std::uint32_t ranks_;
  /// Of a lane of requests: who reads from a rank, by rank.
  struct Readers {
    std::vector<std::uint32_t> first;  ///< by rank, and the end
    std::vector<std::uint32_t> all;    ///< ascending within each
  };
  std::vector<Readers> readers_;  ///< by lane
};

}  // namespace weft::collectives
