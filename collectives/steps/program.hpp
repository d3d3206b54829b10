#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/steps/step.hpp"
#include "simcore/base/random.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// What a program may depend on besides its own specification.
struct ProgramSetting {
  std::uint64_t seed = 1;
  std::uint32_t job = 0;  ///< number of the job in the scenario
  std::uint32_t ranks = 0;
  /// The transport tells the sender that a message has arrived: sending can end with a kFlush.
  bool has_acknowledgements = true;
  std::vector<BitsPerSecond> access_rates;  ///< by rank; may be empty where the program needs none

  /// The random numbers of one rank of this job.
  [[nodiscard]] RandomStream random(Purpose purpose, std::uint32_t rank) const {
    return RandomStream(seed, purpose, (std::uint64_t{job} << 32U) | rank);
  }
};

/// What a rank sends on average where chance decides how much and to whom: messages of a mean size,
/// as likely to each of its send peers.
struct DrawnSends {
  Bytes size;
  double messages = 0;
  Bytes largest = size;  ///< that any has
};

/// Lanes of a rank.
inline constexpr std::uint32_t kMaxLanes = 4096;

/// A lane of a rank.
struct LanePlace {
  std::uint32_t rank = 0;
  std::uint32_t lane = 0;
};

/// A piece of computing, as it begins.
struct Computing {
  Picoseconds nominal;
  Picoseconds start;         ///< counted from the job's
  std::uint64_t number = 0;  ///< of the rank's pieces
  bool is_slowed = false;    ///< a task of a stream that slows computing is running
};

/// The lanes [first_lane, end_lane) of ranks whose data scale-up switches reduce and repeat.
struct ReductionGroup {
  RankGroup ranks;
  std::uint32_t first_lane = 0;
  std::uint32_t end_lane = 0;
};

/// A step of a lane that sends, and how often the lane comes to it in an iteration.
struct SendCount {
  std::uint32_t lane = 0;
  Step step;
  std::int64_t count = 0;
};

// What a program may have besides its steps. A program that has none of it is given the defaults.

/// Ranks carry out tasks in streams side by side, as GPUs do.
class TaskStreams {
 public:
  virtual ~TaskStreams() = default;

  /// Of every rank; see Step::Kind::kAfter. 0: lanes do not depend on streams.
  [[nodiscard]] virtual std::uint32_t streams() const { return 0; }
  /// Lanes of the rank that carry out a stream together; 0: the rank has no such stream.
  [[nodiscard]] virtual std::uint32_t lanes_of(std::uint32_t /*rank*/,
                                               std::uint32_t /*stream*/) const {
    return 0;
  }
  /// That a lane carries out.
  [[nodiscard]] virtual std::uint32_t stream_of(std::uint32_t /*lane*/) const { return 0; }
  /// Steps of a lane of a stream whose tasks a CallOracle knows: nothing is sent in them, so that
  /// the stream's last lane does for all of them. The others take part in iterations alone. Null:
  /// the program has no streams. Refers to the program, as JobProgram::steps.
  [[nodiscard]] virtual std::unique_ptr<StepSource> delegated_steps(LanePlace /*place*/) const {
    return nullptr;
  }
  /// Messages of this lane tell their receivers when they were posted, so that waiting for somebody
  /// who is late is told from waiting for the network.
  [[nodiscard]] virtual bool notes_posts(LanePlace /*place*/) const { return false; }
  /// Of what a rank computes, as a pipeline has stages; 0 where there is one only.
  [[nodiscard]] virtual std::uint32_t stage_of(std::uint32_t /*rank*/) const { return 0; }
  /// Tasks of this stream take from what computes at the same time; its lanes are no messages
  /// between stages, which may have been awaited for long.
  [[nodiscard]] virtual bool slows_computing(std::uint32_t /*rank*/,
                                             std::uint32_t /*stream*/) const {
    return false;
  }
  /// Such as `compute` or the name of a communicator.
  [[nodiscard]] virtual std::string stream_name(std::uint32_t /*rank*/,
                                                std::uint32_t /*stream*/) const {
    return {};
  }
  /// What a task of a stream does, such as `all-reduce 64MiB`; `number`: Step::block of its start,
  /// or of computing.
  [[nodiscard]] virtual std::string task_name(std::uint32_t /*stream*/,
                                              std::uint32_t /*number*/) const {
    return "compute";
  }
};

/// Computing takes a rank longer than planned: stragglers, jitter, what its GPU does besides.
class ComputingTimes {
 public:
  virtual ~ComputingTimes() = default;

  /// What this piece of computing takes a rank.
  [[nodiscard]] virtual Picoseconds computing_time(std::uint32_t /*rank*/,
                                                   const Computing& computing) const {
    return computing.nominal;
  }
  /// What it would take a rank with which nothing is wrong.
  [[nodiscard]] virtual Picoseconds planned_time(const Computing& computing) const {
    return computing.nominal;
  }
};

/// A protocol of the library that sends costs bytes and time of its own.
class TransferCosts {
 public:
  virtual ~TransferCosts() = default;

  /// What a message of `size` puts on the network: a protocol may send flags beside the data.
  [[nodiscard]] virtual Bytes wire_size(LanePlace /*place*/, Bytes size) const { return size; }
  /// From the delivery of a message of another rank in this lane until the receiver sees it.
  [[nodiscard]] virtual Picoseconds receive_latency(LanePlace /*place*/,
                                                    std::uint32_t /*from*/) const {
    return {};
  }
  /// Messages that a connection may have posted and not acknowledged; 0: any number. Sends wait.
  [[nodiscard]] virtual std::uint32_t window(LanePlace /*place*/) const { return 0; }
};

/// Switches of scale-up domains reduce and multicast for ranks.
class InNetworkUse {
 public:
  virtual ~InNetworkUse() = default;

  /// Ranks that they work for, and in which lanes. A lane of a rank is in one of them at most, and
  /// in one if scale-up switches do anything for it.
  [[nodiscard]] virtual std::vector<ReductionGroup> groups() const { return {}; }
  [[nodiscard]] virtual InNetworkWork in_network_work(LanePlace /*place*/) const { return {}; }
};

inline const TaskStreams kNoTaskStreams;
inline const ComputingTimes kAsPlanned;
inline const TransferCosts kPlainTransfers;
inline const InNetworkUse kNothingInNetwork;

/// A job compiled to steps per rank and lane. Immutable: ranks on different threads read it.
class JobProgram {
 public:
  JobProgram() = default;
  JobProgram(const JobProgram&) = delete;
  JobProgram& operator=(const JobProgram&) = delete;
  virtual ~JobProgram() = default;

  /// The ranks that a lane sends to, ascending and without duplicates.
  [[nodiscard]] virtual std::vector<std::uint32_t> send_peers(LanePlace place) const = 0;
  /// Refers to this program, which must outlive it.
  [[nodiscard]] virtual std::unique_ptr<StepSource> steps(LanePlace place) const = 0;

  /// Lanes per rank, 1 .. kMaxLanes.
  [[nodiscard]] virtual std::uint32_t lanes() const { return 1; }
  /// Where sends are reads: lanes of requests, which are the first half of all (ReadProgram). 0:
  /// sends are writes.
  [[nodiscard]] virtual std::uint32_t request_lanes() const { return 0; }
  /// Some lane has a kFlush, or there is a window.
  [[nodiscard]] virtual bool needs_acknowledgements() const { return false; }
  /// Iterations, each between a kBegin and a kEnd, all of which send the same; 0: the program has
  /// none.
  [[nodiscard]] virtual std::uint32_t iterations() const { return 0; }
  /// What lanes spend the time of an iteration on is kept until the iteration is explained.
  [[nodiscard]] virtual bool is_explained() const { return false; }
  /// none: what a rank sends is known without a draw.
  [[nodiscard]] virtual std::optional<DrawnSends> drawn_sends(std::uint32_t /*rank*/) const {
    return std::nullopt;
  }
  /// Visits what a rank sends in an iteration; before the end where there are no iterations. Equal
  /// sends may be visited apart. By default all its steps are walked through.
  virtual void for_each_send(std::uint32_t rank,
                             const std::function<void(const SendCount&)>& visit) const;

  // What it has besides. A program that has one of these is one, and says so here.
  [[nodiscard]] virtual const TaskStreams& task_streams() const { return kNoTaskStreams; }
  [[nodiscard]] virtual const ComputingTimes& computing() const { return kAsPlanned; }
  [[nodiscard]] virtual const TransferCosts& transfers() const { return kPlainTransfers; }
  [[nodiscard]] virtual const InNetworkUse& in_network() const { return kNothingInNetwork; }
};

}  // namespace weft::collectives
