#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectives/runtime/lane.hpp"
#include "collectives/runtime/workload.hpp"
#include "simcore/base/ids.hpp"

namespace weft::collectives {

/// Who waits for whom, in sentences.
struct BlockedLanes {
  const Workload& workload;
  std::span<const Process> processes;
  std::span<const Lane> lanes;                 ///< by lane index
  std::span<const std::uint32_t> outstanding;  ///< unacknowledged messages, by connection
  const std::function<std::string(HostId)>& host_name;

  /// One sentence per lane that is not done; after `limit` of them the number of the others.
  [[nodiscard]] std::vector<std::string> describe(std::size_t limit) const;

 private:
  [[nodiscard]] std::string sentence_of(ProcessId process, std::uint32_t number) const;
  [[nodiscard]] std::string wait_of(ProcessId process, std::uint32_t number) const;
  [[nodiscard]] std::string begin_of(ProcessId process) const;
  [[nodiscard]] std::string place_of(ProcessId process) const;
  [[nodiscard]] std::string peer_name(ProcessId process) const;
};

}  // namespace weft::collectives
