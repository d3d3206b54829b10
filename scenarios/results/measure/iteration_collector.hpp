#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/blame/path_finder.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/measure/blocked_times.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {

/// What critical paths need to know of the messages of collectives, by connection in the order of
/// their delivery. Those of iterations that are dealt with are forgotten. Of what scale-up switches
/// reduce it is the contribution that came last: a sum is known by its owner's connection to
/// itself.
class Deliveries {
 public:
  struct Delivery {
    Picoseconds posted;
    Picoseconds delivered;
    std::uint32_t entropy = 0;
    std::uint32_t size = 0;  ///< see bytes_of
  };

  /// A contribution to a sum, which was delivered when the sum was.
  struct Contribution {
    ConnectionId connection;
    Delivery delivery;
  };

  /// The workload must outlive it.
  explicit Deliveries(const collectives::Workload& workload)
      : workload_(workload), place_(workload.connections().size()) {}

  /// A message that was delivered.
  void add(const protocols::MessageOutcome& message);
  /// The message of this number, of all that the connection delivered; of no sum.
  [[nodiscard]] const Delivery& of(ConnectionId connection, std::uint32_t ordinal) const {
    return lists_[place_[connection.value()] - 1][ordinal];
  }
  /// The contribution that was posted last to the sum of this number, of all that `owner`, the
  /// connection of a rank to itself, delivered; of several at once that of the owner, or of the
  /// first one in its group.
  [[nodiscard]] const Contribution& last_of_sum(ConnectionId owner, std::uint32_t ordinal) const {
    return sums_.find(owner.value())->second[ordinal];
  }
  [[nodiscard]] Bytes bytes_of(const Delivery& delivery) const { return sizes_[delivery.size]; }
  /// Messages that were posted before one time and delivered before another one.
  void forget(ConnectionId connection, Picoseconds posted_before, Picoseconds delivered_before);

 private:
  /// In order; entries keep their numbers when earlier ones are forgotten.
  template <class Entry>
  struct List {
    std::vector<Entry> known;
    std::uint32_t forgotten = 0;

    [[nodiscard]] const Entry& operator[](std::uint32_t ordinal) const {
      return known[ordinal - forgotten];
    }
    /// Forgets the first ones, for which `is_old` holds.
    template <class IsOld>
    void forget(IsOld is_old) {
      const auto first = std::ranges::find_if_not(known, is_old);
      forgotten += static_cast<std::uint32_t>(first - known.begin());
      known.erase(known.begin(), first);
    }
  };

  void add_contribution(ConnectionId connection, const Delivery& delivery);
  /// Whether a critical path goes by `a` rather than by `b`, both of one sum.
  [[nodiscard]] bool comes_first(const Contribution& a, const Contribution& b) const;

  const collectives::Workload& workload_;
  /// By connection: one more than its place in `lists_`, 0 if it has none yet; of contributions how
  /// many were delivered.
  std::vector<std::uint32_t> place_;
  std::vector<List<Delivery>> lists_;
  std::unordered_map<std::uint32_t, List<Contribution>> sums_;  ///< by their owner's connection
  std::vector<Bytes> sizes_;                                    ///< the different ones
  std::unordered_map<std::int64_t, std::uint32_t> number_of_size_;
};

/// The iterations of all jobs that all their ranks ended: when, how fast, and of collectives why
/// not faster, of others what ranks spent them on. What is no longer needed of an iteration is
/// forgotten once it is dealt with.
class IterationCollector {
 public:
  /// How long flow control held ports, as far as is known by now.
  using Held = std::function<BlockedTimes()>;
  /// Calls its argument with every message that is not over: its connection, and when it was
  /// posted.
  using VisitPending =
      std::function<void(const std::function<void(ConnectionId, Picoseconds)>& visit)>;

  /// All arguments must outlive it. `paths`, which may be null, hears of iterations that ended
  /// before they are forgotten.
  IterationCollector(const Experiment& experiment, collectives::Executor& executor,
                     ZeroLoadTimes& ideals, PathFinder* paths);

  /// Messages that are over, or at the end of the run all others.
  void add(std::span<const protocols::MessageOutcome> messages);
  /// Deals with the iterations whose messages are all over.
  void settle(const VisitPending& pending, const Held& held);
  /// How far a job is; the rest of what is seen of it stays as it is.
  [[nodiscard]] RunState::Job steps_of(std::uint32_t job) const;
  /// Deals with the other iterations that ended, and hands over all, by job and iteration.
  void finish(const Held& held, Results& results);

 private:
  struct Job {
    bool has_iterations = false;
    bool is_explained = false;  ///< by critical paths, as collectives are
    std::uint32_t settled = 0;  ///< iterations
    std::vector<CollectiveResult> collectives;
    std::vector<IterationResult> iterations;
    // Of those that are settled, so that who watches need not go through them:
    Picoseconds sum;
    std::optional<Picoseconds> last;
    std::optional<Picoseconds> last_end;

    void add(Picoseconds time) {
      sum += time;
      last = time;
    }
  };
  void settle_collective(std::uint32_t job, std::uint32_t until, BlockedTimes& held);
  void settle(std::uint32_t job, std::uint32_t until, BlockedTimes& held);
  /// From the end of the iteration that was settled before, or the job's start, to this end, as
  /// blame counts iterations (PathFinder).
  [[nodiscard]] Picoseconds since_previous(std::uint32_t job, Picoseconds end);
  [[nodiscard]] std::uint32_t ended(std::uint32_t job) const;
  /// When the last rank ended an iteration.
  [[nodiscard]] Picoseconds end_of(std::uint32_t job, std::uint32_t iteration) const;
  void forget(std::uint32_t job, std::uint32_t iteration);

  const Experiment& e_;
  collectives::Executor& executor_;
  ZeroLoadTimes& ideals_;
  PathFinder* paths_;
  Deliveries deliveries_;
  std::vector<Job> jobs_;
};

}  // namespace weft::scenarios
