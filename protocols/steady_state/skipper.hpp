#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "protocols/state/network_state.hpp"
#include "protocols/steady_state/flow_groups.hpp"
#include "protocols/steady_state/live_part.hpp"
#include "protocols/steady_state/recurrence.hpp"
#include "protocols/steady_state/skip_counts.hpp"
#include "simcore/engine/logical_process.hpp"

namespace weft::protocols {

/// Steady-state skipping: runs a network of one logical process and skips whole periods of what
/// recurs within long messages. Results are the same to the bit as if all of it were simulated.
///
/// A queue pair with many packets left is the reference. Whenever it sends a packet, the state is
/// compared with a snapshot, which is renewed after 1, 2, 4, 8, ... packets (R. P. Brent, "An
/// improved Monte Carlo factorization algorithm", BIT 20, 1980), so that a period is found whatever
/// came before it. Where a message ends meanwhile, the search restarts, since no earlier state
/// returns. Where no period is found, the search stops until a message ends. It takes no more than
/// a small part of the run; successful skips raise that allowance.
///
/// Several rings on a switch each recur in a period of their own, but hardly ever all together. So
/// where no short period is found, independent flow groups are simulated one after the other, each
/// with its own skips, up to where a message may end or begin.
class Skipper {
 public:
  /// Simulates up to a time, which becomes now. False: the run came to an end before that.
  using Run = std::function<bool(Picoseconds& now, Picoseconds until)>;

  /// All must outlive it; the network can recur (`can_recur`). `run_lp`: as Run, of what is in
  /// the logical process alone, which nobody observes meanwhile.
  Skipper(NetworkState& state, LogicalProcess& lp, Worker& worker, Run run_lp);

  /// As `Run`, which simulates.
  bool run(Picoseconds& now, Picoseconds until, const Run& simulate);
  /// Counters were changed from outside: earlier snapshots are void.
  void restart() {
    if (search_) search_->restart();
  }
  [[nodiscard]] const SkipCounts& skips() const { return skips_; }

 private:
  /// What is looked for, from one run to the next.
  struct Search {
    QueuePairId reference;
    std::uint32_t message = 0;  ///< of the reference, which it is as long as it sends this
    std::uint64_t changes = 0;  ///< Skipper::changes at the start
    Picoseconds settled_at;     ///< nothing is checked before
    std::unique_ptr<StateSnapshot> before;  ///< with which states are compared; null: none yet
    Picoseconds ahead;                      ///< so long before the end of a packet
    Picoseconds last_end;                   ///< of the packet that was checked last
    std::uint32_t packets = 0;              ///< since `before`
    std::uint32_t max_packets = 1;          ///< until it is taken again

    void restart() {
      before.reset();
      packets = 0;
      max_packets = 1;
    }
  };

  /// No short period was found in the whole, nor was looking for flow groups not worthwhile.
  [[nodiscard]] bool may_be_flow_groups() const;
  /// Where there are flow groups, simulates each of them for a while; false: it did not.
  bool run_flow_groups(Picoseconds& now, Picoseconds until);
  void run_flow_group(Picoseconds& now, Picoseconds until);
  /// With a reference that has the most packets left, if they are many.
  [[nodiscard]] std::optional<Search> begin_search() const;
  /// Simulates until it is time to look for a reference again, or whether messages have changed
  /// since looking was given up; as `Run`.
  bool wait(bool has_given_up, Picoseconds& now, Picoseconds until, const Run& simulate);
  /// Looks for a recurrence by the packets of a reference, and skips; as `Run`, but may end
  /// earlier.
  bool search(Picoseconds& now, Picoseconds until, const Run& simulate);
  /// Restarts the search where messages have changed.
  void restart_if_changed(const SenderState& reference, Picoseconds now);
  /// Nothing is to be checked before. Takes the snapshot with which states are compared, where
  /// there is none and it is time to.
  [[nodiscard]] Picoseconds next_stop(const SenderState& reference, Picoseconds now);
  /// The state is to be checked now. False: that it recurs is not to be expected any more.
  bool poll(Picoseconds& now, Picoseconds until);
  void give_up();
  [[nodiscard]] static bool is_reference(const SenderState& sender, std::uint32_t message);
  /// Looking takes a small part of the time that it has taken to simulate, or has spared.
  [[nodiscard]] bool may_check() const {
    const std::uint64_t simulated = worker_.sums.packet_hops - skips_.packet_hops;
    return words_checked_ <= kFirstWords + simulated + kWordsPerHopSpared * skips_.packet_hops;
  }
  /// When the packet will be on the wire that the reference's port sends now; nothing: it sends
  /// none of full size.
  [[nodiscard]] std::optional<Picoseconds> end_of_packet(const SenderState& reference) const;
  [[nodiscard]] Picoseconds packet_of(const SenderState& reference) const {
    return s_.ports[reference.port()].transmission(full_size_of(reference));
  }
  [[nodiscard]] Bytes full_size_of(const SenderState& reference) const {
    return s_.constants.transports[reference.transport].full_size();
  }
  /// Of the flow group that is simulated, or of all.
  void take_snapshot(Picoseconds now);
  /// In packets of the reference: between two states that are compared.
  [[nodiscard]] std::uint32_t longest_period() const;
  /// The state is that of `before`. False: messages are in the way.
  bool skip(const StateSnapshot& before, Picoseconds& now, Picoseconds until);
  /// How many messages were posted, sent and delivered.
  [[nodiscard]] std::uint64_t changes() const {
    const Worker::Sums& sums = worker_.sums;
    return sums.messages_posted + sums.messages_sent + sums.messages_delivered;
  }

  NetworkState& s_;
  LogicalProcess& lp_;
  Worker& worker_;
  const Run run_lp_;
  LivePartFinder live_part_;
  FlowGroups flow_groups_;
  const LivePart* flow_group_ = nullptr;  ///< that is simulated alone; null: all of the network is
  const Picoseconds packet_;              ///< what the slowest port sends the largest one in
  // In words of a snapshot that are compared, of about a nanosecond each; a packet-hop takes a
  // hundred.
  static constexpr std::uint64_t kFirstWords = 30'000'000;
  static constexpr std::uint64_t kWordsPerHopSpared = 20;
  static constexpr std::uint64_t kWordsPerStop = 500;  ///< to stop and continue
  std::uint64_t words_checked_ = 0;
  // Packets of the slowest port, of which a host may have many.
  static constexpr std::int64_t kShortestWait = 4;
  static constexpr std::int64_t kLongestWait = 64;
  std::int64_t wait_ = kShortestWait;
  SkipCounts skips_;
  std::optional<Search> search_;
  // `changes` when
  std::optional<std::uint64_t> given_up_at_;              ///< looking was given up
  std::optional<std::uint64_t> no_short_period_at_;       ///< none was found in the whole
  std::optional<std::uint64_t> flow_groups_given_up_at_;  ///< flow groups were not worth it
};

}  // namespace weft::protocols
