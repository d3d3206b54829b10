#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/runtime/workload.hpp"
#include "simcore/base/ids.hpp"

namespace weft::scenarios {

/// Equal for connections whose messages of equal sizes take equal times, acknowledgements included.
using TravelNumber = std::function<std::uint32_t(ConnectionId)>;

/// Processes by what they do on a network without contention, as far as plans tell: those of a
/// class have the same tasks, and make the same calls with processes of the same classes over paths
/// of the same times. So they do the same at the same times as long as each call ends at the same
/// time for all members of a class (see LikeCalls, which finds that out).
///
/// Classes are found by refinement, as colours of a graph are: two processes of a class stay
/// together while their communicators are alike, member by member.
struct LikeRanks {
  /// How the calls of communicators of a kind are carried out.
  enum class Execution : std::uint8_t {
    kNone,   ///< there are none, or nothing to send
    kOnce,   ///< no member ends one before all have begun it: one stands for those of all
    kLanes,  ///< lanes run, among the first processes of classes
  };
  /// Communicators of the same stream, calls, layout and paths, whose members are of the same
  /// classes in the same order.
  struct Kind {
    std::uint32_t job = 0;
    std::uint32_t example = 0;           ///< a communicator of the job's program
    std::vector<std::uint32_t> classes;  ///< by member
    Execution execution = Execution::kNone;
  };

  std::vector<std::uint32_t> class_of;  ///< by process
  std::vector<ProcessId> first_of;      ///< by class: its lowest process
  std::vector<Kind> kinds;
  /// By job and communicator; empty: none of the job's processes is like another.
  std::vector<std::vector<std::uint32_t>> kind_of;

  [[nodiscard]] bool is_first(ProcessId process) const {
    return first_of[class_of[process.value()]] == process;
  }
  /// The first processes of classes send messages to one another only, and are so few that it pays
  /// to run no others.
  [[nodiscard]] bool is_closed_and_small(const collectives::Workload& workload) const;
};

/// `apart`: by process; those of different numbers are kept apart. Empty: none are.
[[nodiscard]] LikeRanks find_like_ranks(const collectives::Workload& workload,
                                        const TravelNumber& travel_number,
                                        const std::vector<std::uint32_t>& apart = {});

}  // namespace weft::scenarios
