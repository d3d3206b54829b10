#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/memo/matching_calls.hpp"
#include "scenarios/memo/epoch_replay.hpp"
#include "scenarios/memo/obstacles.hpp"
#include "scenarios/memo/run_reuse.hpp"
#include "scenarios/run/network_options.hpp"
#include "tests/properties/random_training.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/state_of.hpp"

/// What an epoch may be known by is when its calls begin, and nothing else: what a network keeps of
/// earlier epochs once its links are quiet decides nothing. A census of the state says of each
/// field what it is then; what is dead gets random values here, and epochs continue as on a network
/// that has never been used.
namespace weft::testing {
namespace {

using scenarios::CommEpoch;
using scenarios::EpochBegin;
using scenarios::EpochReplay;

/// Gives random values to what is dead in a network that is quiet, and expects what is always the
/// same then; all else is fixed for the run or counted. Every field of these structures is named,
/// so that a new one does not compile until somebody has looked at it here; but for those that
/// SenderState adds to SendingEnd.
class DeadFields {
 public:
  DeadFields(protocols::NetworkState& state, Picoseconds now, Draws& draws)
      : s_(state), now_(now), draws_(draws) {}

  void scramble() {
    for (std::uint32_t q = 0; q < s_.senders.size(); ++q) queue_pair(protocols::QueuePairId(q));
    for (protocols::ConnectionState& connection : s_.connections) {
      connection.next = static_cast<std::uint16_t>(draws_.below(connection.queue_pairs));
    }
    for (protocols::PortState& p : s_.ports) port(p);
    for (protocols::ClassQueue& q : s_.queues) queue(q);
    for (protocols::IngressAccount& account : s_.ingress) ingress(account);
    for (protocols::NicState& nic : s_.nics) hints(nic);
    for (const protocols::ReadyList& ready : s_.ready) {
      EXPECT_TRUE(ready.head.is_none() && ready.tail.is_none());
    }
    for (protocols::ProcessState& process : s_.processes) process.sequence += any32() >> 8U;
  }

 private:
  std::uint32_t any32() {
    return static_cast<std::uint32_t>(draws_.below(std::uint64_t{1} << 32U));
  }
  std::uint16_t any16() { return static_cast<std::uint16_t>(any32()); }
  /// No later than now.
  Picoseconds any_past() { return Picoseconds(draws_.between(0, now_.count())); }
  protocols::QueuePairId any_queue_pair() {
    return protocols::QueuePairId(static_cast<std::uint32_t>(draws_.below(s_.senders.size())));
  }

  void queue_pair(protocols::QueuePairId qp) {
    protocols::SendingEnd& end = s_.senders[qp];
    const std::uint32_t by = renumbering(end);
    auto& [next, posted, next_ready, message, next_send, message_last, last_size, local_port,
           schedule, traffic_class, first_of_message, window_reduced, asks_ack, repeats, spreading,
           transport, marks, connection, newest_message, host, first_port, first_local_port] = end;
    EXPECT_EQ(schedule, protocols::SendingEnd::Schedule::kIdle);
    EXPECT_EQ(next, posted);
    EXPECT_EQ(message, protocols::kNoIndex);
    EXPECT_FALSE(window_reduced);
    next += by;
    posted += by;
    next_ready = any_queue_pair();
    next_send = any_past();
    message_last = any32();
    last_size = any16();
    if (!end.is_added_up()) {
      protocols::SenderState& sender = end.whole();
      EXPECT_FALSE(sender.has_outstanding());
      EXPECT_EQ(sender.retries, 0U);
      EXPECT_EQ(sender.oldest_message, protocols::kNoIndex);
      sender.unacked += by;
      sender.sent_end += by;
      sender.received += by;
      sender.deadline = any_past();
      if (sender.port_count > 0) {
        sender.turn = static_cast<std::uint16_t>(draws_.below(sender.port_count));
      }
    }
    receivers(qp, by);
  }

  /// Numbers of packets matter by their differences; where scale-up switches count rounds in few
  /// bits, modulo those.
  std::uint32_t renumbering(const protocols::SendingEnd& end) {
    if (!end.is_added_up()) return any32();
    const protocols::Reduction& sum = s_.reduction_of(end);
    if (renumbered_.size() < s_.reductions.size()) renumbered_.resize(s_.reductions.size());
    std::uint32_t& by = renumbered_[end.in_network_index()];
    if (by == 0) {
      by = static_cast<std::uint32_t>(draws_.between(1, 3)) * sum.links * sum.window << 16U;
      receiver(s_.receivers[sum.receiver], by);
    }
    return by;
  }

  void receivers(protocols::QueuePairId qp, std::uint32_t by) {
    const protocols::SendingEnd& end = s_.senders[qp];
    if (end.is_added_up()) return;  // all of a sum have one
    const protocols::ReceiverId first = s_.first_receiver(qp);
    if (!end.is_repeated()) return receiver(s_.receivers[first], by);
    const std::size_t members = s_.members_of(s_.multicasts[end.in_network_index()]).size();
    for (std::uint32_t i = 0; i < members; ++i) {
      auto& [expected, multicast, early] =
          s_.copy_receiver(protocols::ReceiverId(first.value() + i));
      EXPECT_TRUE(early.empty());
      expected += by;
    }
  }

  void receiver(protocols::ReceiverState& state, std::uint32_t by) {
    auto& [expected, received, since_ack, host, ack_entropy, traffic_class, transport, nack_sent,
           echo_pending, message_broken, path_is_marked, latency_group, sent, control_slot,
           connection, process, early] = state;
    EXPECT_TRUE(early.empty());
    EXPECT_FALSE(nack_sent || echo_pending || message_broken);
    expected += by;
    received += by;
    path_is_marked = draws_.one_in(2);
    sent = any32();
  }

  void port(protocols::PortState& state) {
    auto& [out, data_latency, backlog, peak_backlog, ps_per_byte, index, local, first_slot, owner,
           service_bytes, service_ingress, service_class, waiting, blocked, pending_control,
           is_transmitting, owner_is_host, leads_inside, peer_cuts_through, rate, pause_latency,
           wire_latency, ingress_rate, peer_local, control_sequence, paused, starved,
           pauses_to_send, credits_to_send, forced_pauses, round_robin, network, is_down, has_retry,
           is_held, is_watched, ignored, dropping, settings, ingress_up_since, ttl_drops,
           fault_drops, poison_drops, pauses_sent, pauses, pauses_lost, stalls, service_pending,
           shared_link, nominal_rate, sprayed, id, peer] = state;
    EXPECT_EQ(backlog, 0_B);
    EXPECT_EQ(waiting | blocked | pending_control | paused | starved | pauses_to_send |
                  credits_to_send | forced_pauses | dropping,
              0);
    EXPECT_FALSE(is_transmitting || is_down || is_held);
    service_ingress = any16();
    if (s_.constants.works_in_network) service_pending = any32();
    control_sequence += any32() >> 8U;
    // Ways are the only ones there are.
    for (std::uint32_t& turn : sprayed) turn = any32();
  }

  void queue(protocols::ClassQueue& state) {
    auto& [packets, integral, changed_at, credits, deficit, bytes, started, taken, marked,
           peak_bytes, held, counted_from, trimmed, trimmed_before, blocked_since, paused_time,
           stall_time, pause_expires, pauses_received, stalls, expiry_sequence, pause_cause] =
        state;
    EXPECT_TRUE(packets.empty());
    EXPECT_EQ(held, 0_B);
    changed_at = any_past();
    blocked_since = any_past();
    pause_expires = any_past();
    expiry_sequence = any32();
    pause_cause = PortId(any32());
  }

  void ingress(protocols::IngressAccount& state) {
    auto& [bytes, headroom_used, headroom, freed_blocks, refresh_sequence, drops, cause,
           is_pausing] = state;
    EXPECT_EQ(bytes, 0_B);
    EXPECT_EQ(headroom_used, 0);
    EXPECT_FALSE(is_pausing);
    refresh_sequence = any32();
    cause = any16();
  }

  void hints(protocols::NicState& nic) {
    auto& [recent_sender, recent_receiver, recent_control, paced, inbox, has_moved] = nic;
    EXPECT_TRUE(paced.empty() && inbox.empty());
    has_moved = draws_.below(2) == 1;
    recent_sender = any_queue_pair();
    recent_receiver =
        protocols::ReceiverId(static_cast<std::uint32_t>(draws_.below(s_.receivers.size())));
  }

  protocols::NetworkState& s_;
  const Picoseconds now_;
  Draws& draws_;
  std::vector<std::uint32_t> renumbered_;  ///< by reduction
};

/// Some calls of some communicators of a connected GPU set, begun by each of their members at
/// random times.
std::vector<EpochBegin> random_begins(const scenarios::Experiment& e,
                                      const collectives::GpuSet& gpu_set, Draws& draws) {
  const collectives::TaskProgram& program = scenarios::program_of(e, gpu_set);
  std::vector<EpochBegin> begins;
  for (std::int64_t i = draws.between(1, 3); i-- > 0;) {
    const std::uint32_t c = gpu_set.communicators[draws.below(gpu_set.communicators.size())];
    if (program.lane_plan().lanes_of(c) == 0) continue;  // its calls are not made
    const std::uint32_t stream =
        program.lane_plan().number_of(collectives::StreamOf::communicator(c));
    const auto call = static_cast<std::uint32_t>(draws.below(program.calls_of(c).size()));
    const std::vector<std::uint32_t>& ranks = program.task_set().communicators()[c].ranks;
    const auto place = [&](std::uint32_t rank) {
      const auto at = std::ranges::lower_bound(gpu_set.ranks, rank);
      return static_cast<std::uint32_t>(at - gpu_set.ranks.begin());
    };
    const bool is_taken = std::ranges::any_of(begins, [&](const EpochBegin& b) {
      return b.stream == stream &&
             std::ranges::any_of(ranks, [&](std::uint32_t r) { return place(r) == b.rank; });
    });
    if (is_taken) continue;
    for (const std::uint32_t rank : ranks) {
      const Picoseconds time(draws.one_in(3) ? 0 : draws.between(0, 3'000'000));
      begins.push_back({time, place(rank), stream, call});
    }
  }
  if (begins.empty()) return begins;
  std::ranges::stable_sort(begins, {}, &EpochBegin::time);
  const Picoseconds first = begins.front().time;
  for (EpochBegin& begin : begins) begin.time -= first;
  return begins;
}

bool are_equal(const scenarios::EpochMessage& a, const scenarios::EpochMessage& b) {
  const auto fields = [](const scenarios::EpochMessage& m) {
    return std::tuple(m.source, m.destination, m.lane, m.kind, m.queue_pair, m.bytes, m.posted,
                      m.delivered, m.acknowledged);
  };
  return fields(a) == fields(b);
}

/// All that comes of it.
bool are_equal(const CommEpoch& a, const CommEpoch& b) {
  const auto sums = [](const CommEpoch& epoch) {
    const Worker::Sums& s = epoch.share.sums;
    return std::tuple(s.packet_hops, s.packets_injected, s.packets_delivered, s.packets_dropped,
                      s.packets_retransmitted, s.timeouts, s.messages_sent, s.messages_delivered);
  };
  return a.ends == b.ends && a.last == b.last && a.is_whole == b.is_whole && sums(a) == sums(b) &&
         a.share.queues == b.share.queues && a.share.packet_latency == b.share.packet_latency &&
         std::ranges::equal(a.messages, b.messages,
                            [](const auto& m, const auto& n) { return are_equal(m, n); });
}

/// A random training, and what of it is simulated apart.
struct Parts {
  explicit Parts(std::uint64_t seed)
      : experiment(experiment_of_text(RandomTraining(seed).text())),
        options(scenarios::network_options(experiment)) {
    if (!scenarios::obstacle_to_reuse(experiment).empty()) return;
    reusable = scenarios::find_reusable(experiment);
  }
  /// Of each kind one: domains, then rails.
  [[nodiscard]] std::vector<const collectives::GpuSet*> gpu_sets() const {
    std::vector<const collectives::GpuSet*> all;
    for (const collectives::GpuSets* of : {&reusable.domains, &reusable.rails}) {
      for (const std::uint32_t first : of->of_kind) all.push_back(&of->all[first]);
    }
    return all;
  }

  scenarios::Experiment experiment;
  protocols::PacketNetwork::Options options;
  scenarios::Reusable reusable;
};

class QuietState : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(QuietState, DecidesNothingInFieldsThatAreDead) {
  int epochs_of_domains = 0;
  int epochs_of_rails = 0;
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 800; seed += 4) {
    const Parts parts(seed);
    Draws draws(seed);
    for (const collectives::GpuSet* gpu_set : parts.gpu_sets()) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", domain " + std::to_string(gpu_set->domain));
      EpochReplay used(parts.experiment, parts.options, *gpu_set);
      for (int i = 0; i < 4; ++i) {
        const std::vector<EpochBegin> begins = random_begins(parts.experiment, *gpu_set, draws);
        if (begins.empty()) continue;
        EpochReplay fresh(parts.experiment, parts.options, *gpu_set);
        const CommEpoch expected = fresh.run({begins, true}, {});
        const CommEpoch found = used.run({begins, true}, {});
        ASSERT_TRUE(expected.is_whole);
        EXPECT_TRUE(are_equal(expected, found)) << "phase " << i;
        protocols::NetworkState& state = protocols::NetworkStateOf::network(used.network());
        DeadFields(state, used.network().now(), draws).scramble();
        ++(gpu_set->domain >= 0 ? epochs_of_domains : epochs_of_rails);
      }
    }
  }
  EXPECT_GT(epochs_of_domains, 20);
  EXPECT_GT(epochs_of_rails, 4);
}

INSTANTIATE_TEST_SUITE_P(Seeds, QuietState, ::testing::Range<std::uint64_t>(1, 5));

// What is not dead shows: or the test above could not fail.
TEST(QuietState, DecidesWhereALinkOfASenderIsAnotherOne) {
  int changed = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const Parts parts(seed);
    Draws draws(seed);
    for (const collectives::GpuSet* gpu_set : parts.gpu_sets()) {
      const std::vector<EpochBegin> begins = random_begins(parts.experiment, *gpu_set, draws);
      if (begins.empty()) continue;
      EpochReplay replay(parts.experiment, parts.options, *gpu_set);
      const CommEpoch before = replay.run({begins, true}, {});
      protocols::NetworkState& state = protocols::NetworkStateOf::network(replay.network());
      for (std::uint32_t q = 0; q < state.senders.all_whole().size(); q += 2) {
        ++state.senders.whole(protocols::QueuePairId(q)).first_turn;
      }
      if (!are_equal(before, replay.run({begins, true}, {}))) ++changed;
    }
  }
  EXPECT_GT(changed, 10);
}

}  // namespace
}  // namespace weft::testing
