#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/tasks/collective_call.hpp"
#include "collectives/tasks/tasks.hpp"

namespace weft::collectives {

/// Calls of a communicator that cost their messages the same, and so share lanes and connections.
/// Those by another protocol have lanes of their own, as NCCL has buffers of their own for it.
struct CallClass {
  std::uint32_t first_lane = 0;  ///< of the communicator's
  std::uint32_t lanes = 0;       ///< as many as the call with most of them
  std::vector<std::uint32_t> calls;
};

/// Which lanes of a rank carry out which stream. Streams are numbered alike on all ranks, the one
/// that computes first; communicators that have no rank in common may share a number. A stream's
/// lanes are as many as its widest communicator needs.
class LanePlan {
 public:
  /// `calls`: by number, as those of `task_set`.
  LanePlan(const TaskSet& task_set, std::span<const CollectiveCall* const> calls,
           std::uint32_t ranks);

  [[nodiscard]] std::uint32_t lanes() const { return first_lane_.back(); }
  [[nodiscard]] std::uint32_t streams() const {
    return static_cast<std::uint32_t>(first_lane_.size()) - 1;
  }
  [[nodiscard]] std::uint32_t stream_of_lane(std::uint32_t lane) const;
  [[nodiscard]] std::uint32_t first_lane(std::uint32_t stream) const { return first_lane_[stream]; }
  [[nodiscard]] std::uint32_t number_of(StreamOf stream) const {
    return stream.is_compute() ? 0 : stream_of_communicator_[stream.number()];
  }

  /// A rank of a communicator.
  struct Member {
    std::uint32_t communicator = 0;
    std::uint32_t rank = 0;  ///< its number among the communicator's
  };
  /// Whose calls a rank makes in a stream that does not compute; none: the rank has no such stream.
  [[nodiscard]] std::optional<Member> member(std::uint32_t rank, std::uint32_t stream) const;
  /// Of a communicator.
  [[nodiscard]] std::uint32_t lanes_of(std::uint32_t communicator) const {
    return lanes_of_communicator_[communicator];
  }
  [[nodiscard]] const std::vector<CallClass>& classes(std::uint32_t communicator) const {
    return classes_[communicator];
  }
  /// Where the lanes of a call begin among those of its communicator.
  [[nodiscard]] std::uint32_t first_lane_of_call(std::uint32_t call) const {
    return first_lane_of_call_[call];
  }
  /// The class that a lane of a communicator belongs to; null: none.
  [[nodiscard]] const CallClass* class_at(std::uint32_t communicator, std::uint32_t lane) const;

 private:
  void make_classes(const TaskSet& task_set, std::span<const CollectiveCall* const> calls);
  void number_streams(const TaskSet& task_set, std::uint32_t ranks);

  static constexpr std::uint32_t kNone = ~0U;

  std::vector<std::uint32_t> first_lane_;  ///< by stream, and the end
  std::vector<std::uint32_t> stream_of_communicator_;
  std::vector<std::uint32_t> lanes_of_communicator_;
  std::vector<std::vector<CallClass>> classes_;  ///< by communicator
  std::vector<std::uint32_t> first_lane_of_call_;
  std::vector<std::vector<Member>> members_;  ///< by rank and stream; kNone: none
};

}  // namespace weft::collectives
