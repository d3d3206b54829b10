#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collectives/runtime/call_oracle.hpp"
#include "collectives/runtime/workload.hpp"
#include "scenarios/zero_load/call_alone.hpp"
#include "scenarios/zero_load/like_ranks.hpp"
#include "simcore/messages/zero_load_network.hpp"

namespace weft::scenarios {

/// Calls on a network without contention of which only the first process of each class begins its
/// own (LikeRanks): the others do what it does. One call stands for those of all communicators of a
/// kind, as long as it ends at the same time for all members of a class.
class LikeCalls final : public collectives::CallOracle {
 public:
  /// All arguments must outlive it. `delay_of`: of messages of the workload.
  LikeCalls(const collectives::Workload& workload, const LikeRanks& ranks,
            ZeroLoadNetwork::DelayOf delay_of, Picoseconds control_latency);

  [[nodiscard]] bool takes(ProcessId process, std::uint32_t stream) const override;
  std::span<const End> begin(ProcessId process, std::uint32_t stream, std::uint32_t call,
                             Picoseconds now) override;

  /// So far one call could stand for all. Else what follows means nothing.
  [[nodiscard]] bool is_sound() const { return apart_.empty() && !overlap_; }
  /// A class began a call before another had ended the last one. Where the second call's messages
  /// are shorter they may overtake those of the first, which receivers only count: then the calls
  /// are not what they are alone.
  [[nodiscard]] bool overlap() const { return overlap_; }
  /// A call ended at different times for members of a class. Then: what keeps them apart
  /// (find_like_ranks), besides what did so before.
  [[nodiscard]] std::vector<std::uint32_t> apart_as_well(
      const std::vector<std::uint32_t>& before) const;

 private:
  /// Calls of a kind of communicators.
  struct Calls {
    std::unique_ptr<CallAlone> alone;            ///< made when it is asked first
    std::vector<std::uint32_t> class_of;         ///< by member, in the order of ranks
    std::vector<std::uint32_t> classes;          ///< of members, ascending
    std::map<std::uint32_t, Picoseconds> begun;  ///< by class: the call that not all have begun yet
    Picoseconds last_end;                        ///< of the call before it
  };
  [[nodiscard]] const std::uint32_t* kind_at(ProcessId process, std::uint32_t stream) const;
  [[nodiscard]] CallAlone& alone(std::uint32_t kind);
  /// Whether each class has one end, which is noted where it is not so.
  [[nodiscard]] bool is_one_per_class(std::uint32_t kind, const CallAlone::Ends& ends);
  void note_parting(std::uint32_t kind, const CallAlone::Ends& ends);

  const collectives::Workload& workload_;
  const LikeRanks& ranks_;
  const ZeroLoadNetwork::DelayOf delay_of_;
  const Picoseconds control_latency_;
  std::vector<std::vector<std::uint32_t>> number_of_call_;  ///< by job and call of its program
  std::vector<Calls> calls_;                                ///< by kind
  std::vector<End> ends_;
  std::vector<std::uint32_t> apart_;
  bool overlap_ = false;
};

}  // namespace weft::scenarios
