#pragma once

#include <cstdint>
#include <memory>

#include "collectives/algorithms/schedule.hpp"
#include "collectives/spec/collective_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// One collective of one group of ranks, with all that it costs besides the network: launch,
/// protocol, reductions and copies. Ranks are those of the group.
class CollectiveCall {
 public:
  /// The specification's algorithm must be one that does not choose, and not refused.
  CollectiveCall(CollectiveSpec spec, std::uint32_t ranks, const RankLayout& layout);

  [[nodiscard]] const CollectiveSpec& spec() const { return spec_; }
  [[nodiscard]] const Schedule& schedule() const { return *schedule_; }
  [[nodiscard]] std::uint32_t lanes() const { return schedule_->lanes(); }
  /// What a message of `size` puts on the network: a protocol may send flags beside the data.
  [[nodiscard]] Bytes wire_size(Bytes size) const;
  /// From the delivery of a message until the receiver sees it.
  [[nodiscard]] Picoseconds receive_latency(std::uint32_t from, std::uint32_t to) const;
  /// Messages that a connection may have posted and not acknowledged; 0: any number.
  [[nodiscard]] std::uint32_t window() const { return spec_.execution.in_flight; }
  /// All steps of a lane of a rank, whose reductions and copies take `slowness` times as long as
  /// those of others. Refers to the call, which must outlive it.
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane, double slowness = 1) const;

 private:
  /// Inside a scale-up domain.
  [[nodiscard]] Picoseconds step_latency() const;
  /// After a message has come: adding it up, or moving it to its place.
  [[nodiscard]] Picoseconds handling_time(const Step& received, double slowness) const;
  /// What a channel's part takes of a rate that the channels share evenly.
  [[nodiscard]] Picoseconds shared_time(Bytes bytes, BitsPerSecond rate) const;
  /// What a serial channel takes at least to move the data of a message.
  [[nodiscard]] Picoseconds transfer_time(const Step& sent) const;
  /// Channels are paced, at a rate that is known.
  [[nodiscard]] bool is_paced() const;
  /// What a paced channel takes to move a slice.
  struct Pace {
    Picoseconds before;  ///< until the message is posted
    Picoseconds along;   ///< while its link carries it, if that carries nothing else
    Picoseconds excess;  ///< of `before`: what a straggler takes longer
  };
  [[nodiscard]] Pace pace_of(const Step& sent, std::uint32_t rank, double slowness) const;
  [[nodiscard]] StepStream paced_steps(std::uint32_t rank, std::uint32_t lane,
                                       double slowness) const;

  CollectiveSpec spec_;
  std::unique_ptr<const Schedule> schedule_;
  BitsPerSecond domain_rate_;   ///< of a rank
  BitsPerSecond network_rate_;  ///< of a rank
};

/// A time `factor` times as long, to the nearest picosecond.
[[nodiscard]] Picoseconds stretched(Picoseconds time, double factor);

}  // namespace weft::collectives
