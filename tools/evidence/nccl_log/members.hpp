#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/evidence/measurements.hpp"
#include "tools/evidence/nccl_log/log_line.hpp"

namespace weft::evidence {

/// A rank of a communicator, as its process names it: NCCL's other lines have no name of either.
struct Member {
  std::string id{};  ///< `commId`; empty: versions before 2.16
  NcclRank rank{};
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  std::string process{};
  SourceLocation where{};
  // What its thread says of it.
  std::uint32_t channels = 0;
  std::uint32_t p2p_channels = 0;
  std::uint32_t p2p_channels_per_peer = 0;
  std::optional<bool> nvls{};
  std::optional<bool> gpu_direct{};
  std::string worst_path{};
  std::map<std::uint32_t, std::vector<std::uint32_t>> rings{};
  std::vector<RingNeighbours> neighbours{};
  std::vector<ChannelNet> nets{};
  std::vector<std::uint32_t> net_devices{};  ///< beside `nets`: NCCL's number of the NIC
  std::vector<NcclCost> costs{};
  std::vector<Choice> choices{};
  std::vector<Call> calls{};
};

/// Finds whose a line is. Communicators are set up one after the other in a thread: what is between
/// their first and their last line is of them. Before 2.16 there is only a last line.
class Members {
 public:
  /// `comm 0x.. rank 0 nranks 32 cudaDev 0 ...`; false: the line is another one.
  bool read(const LogLine& line, const SourceLocation& where);

  /// Whose structure a line of this thread describes. A line that begins a set-up in versions that
  /// do not say so begins a new member.
  [[nodiscard]] Member& described_by(const LogLine& line, bool begins_set_up);

  /// The member of that address in that process; null: none is known.
  [[nodiscard]] Member* find(std::string_view process, std::string_view address);
  /// The only member of a process; null: it has none, or several.
  [[nodiscard]] Member* only_of(std::string_view process);

  /// Those whose rank is known, in the order of the log.
  [[nodiscard]] std::vector<Member> take();

 private:
  struct Thread {
    std::size_t current = 0;  ///< + 1 of the member; 0: none
    bool is_complete = false;
  };

  std::size_t add(const LogLine& line);

  std::vector<Member> members_;
  std::map<std::string, Thread, std::less<>> threads_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> of_process_;
  std::map<std::string, std::size_t, std::less<>> by_address_;  ///< `host:pid 0x..`
};

}  // namespace weft::evidence
