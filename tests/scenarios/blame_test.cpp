// Who is to blame, where it is known: constructed cases against closed forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/blame/counterfactual/candidates.hpp"
#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/blame/counterfactual/slow_links.hpp"
#include "scenarios/blame/explain/explanation.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/tables/incidents/incidents_table.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/scenarios/blame_runs.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

// Nothing is in its way: bytes on the wire and latency, which are its zero-load time exactly.
TEST(Blame, OfALoneMessageIsItsZeroLoadTime) {
  const Results r =
      blamed(two_leaves("transport: {type: datagram}\n"
                        "jobs: [{name: a, type: messages, ranks: [h0, h4], list: [{from: 0, to: 1, "
                        "size: 1MiB}]}]\n"));
  const Picoseconds wire = time_of(r, "a", "serialisation") + time_of(r, "a", "propagation");
  EXPECT_EQ(wire, job_of(r, "a").ideal);
  EXPECT_EQ(wire, job_of(r, "a").jct);
}

// Of a chain of reads the requests are part, which go the other way; the time between them is the
// job's own. The ACK of a request, 86 bytes, leaves before the data.
TEST(Blame, OfReadsIsTheirRequestsAndTheirData) {
  const Results r =
      blamed(two_leaves(
          kPlain + "jobs: [{name: a, type: messages, operation: read, ranks: [h0, h4, h5], list: "
                   "[{from: 0, to: 1, size: 1MiB}, {from: 2, to: 1, size: 1MiB, after: 0, start: "
                   "7us}]}]\n"));
  const Picoseconds wire = time_of(r, "a", "serialisation") + time_of(r, "a", "propagation");
  const Picoseconds acks = 2 * transmission_time(86_B, 400_Gbps);
  EXPECT_EQ(wire + 7_us + acks, job_of(r, "a").jct);
  EXPECT_EQ(time_of(r, "a", "queueing", "a"), acks);
  EXPECT_EQ(time_of(r, "a", "schedule"), 7_us);
  EXPECT_EQ(job_of(r, "a").ideal + acks, job_of(r, "a").jct);
}

// A ring of 16 in which h5's link is slow: h4 sends data to h5, and to h3 nothing but ACKs. Packets
// of its own may be as many as others in the queue to h3, but its bytes are few: they overload
// nothing.
TEST(Blame, OfPausesIsTheQueueOfMostBytesNotOfMostPackets) {
  const Results r = simulate(experiment_of_text(
      "name: t\nracks: {count: 2, servers: 8, server: host-400g}\n"
      "links: {changes: [{from: h5, rate: 100Gbps}]}\n"
      "fabric: {topology: leaf-spine, spines: 8, switch: spectrum-4}\n" +
      kPlain + "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 16MiB}]\n"));
  ASSERT_EQ(r.pauses.analysis.storms.size(), 1U);
  EXPECT_EQ(root_name(r, r.pauses.analysis.storms[0]), "leaf0[5]->h5");
  EXPECT_GT(r.pauses.analysis.storms[0].pauses, 100U);
}

// N senders with equal messages share a link: while one packet of a message crosses it, N - 1 of
// the others do. Up to a packet per hop and sender, where they meet.
TEST(Blame, OfAnInCastIsTheOtherSenders) {
  for (const int senders : {2, 3, 7}) {
    const Results r =
        blamed(two_leaves(kPlain + "jobs: [{name: in, type: incast, receiver: 0, senders: " +
                              std::to_string(senders) + ", size: 4MiB}]\n",
                          kDeep));
    const Picoseconds queueing = time_of(r, "in", "queueing", "in");
    const Picoseconds wire = time_of(r, "in", "serialisation");
    const Picoseconds all = queueing + wire;
    EXPECT_NEAR(to_seconds(queueing), to_seconds(all) * (senders - 1) / senders,
                to_seconds(4LL * senders * kBlamePacket));
    // The rest is latency, and the last acknowledgement on its way back.
    EXPECT_GE(to_seconds(all), 0.98 * to_seconds(job_of(r, "in").jct));
  }
}

// Another job's message of the same size crosses the same link, packet by packet in turn: half of
// the time each.
TEST(Blame, OfTwoJobsAtOnePortIsHalfTheOther) {
  const Results r = blamed(two_leaves(
      kPlain +
          "jobs:\n"
          "  - {name: a, type: messages, ranks: [h1, h0], list: [{from: 0, to: 1, size: 8MiB}]}\n"
          "  - {name: b, type: messages, ranks: [h2, h0], list: [{from: 0, to: 1, size: 8MiB}]}\n",
      kDeep));
  for (const auto& [own, other] : {std::pair("a", "b"), std::pair("b", "a")}) {
    const double half = to_seconds(job_of(r, own).jct) / 2;
    EXPECT_NEAR(to_seconds(time_of(r, own, "queueing", other)), half, 0.01 * half);
    EXPECT_NEAR(to_seconds(time_of(r, own, "serialisation")), half, 0.01 * half);
    EXPECT_EQ(time_of(r, own, "queueing", own), 0_ps);
  }
}

// A control answers to a queue that is another job's: seven of eight bytes there. The in-cast
// answers to its own. Nothing is told where nothing is held back.
TEST(Blame, OfACongestionControlSaysWhosePacketsItReactedTo) {
  const std::string jobs =
      "jobs:\n"
      "  - {name: a, type: messages, ranks: [h1, h0], list: [{from: 0, to: 1, size: 4MiB}]}\n"
      "  - {name: in, type: incast, ranks: [h0, h2, h3, h4, h5, h6, h7], size: 4MiB}\n";
  const Results r = blamed(two_leaves(jobs));
  const auto rows_of = [&r](std::uint32_t job) {
    std::vector<ReactionResult> rows;
    std::ranges::copy_if(r.reactions, std::back_inserter(rows),
                         [job](const ReactionResult& one) { return one.job == job; });
    return rows;
  };
  const std::vector<ReactionResult> of_a = rows_of(0);
  ASSERT_EQ(of_a.size(), 1U);
  EXPECT_EQ(r.port_name(of_a[0].port), "leaf0[0]->h0");
  EXPECT_EQ(of_a[0].held, time_of(r, "a", "congestion control"));
  EXPECT_EQ(of_a[0].queue_pairs, 1U);
  EXPECT_EQ(of_a[0].other_job, 1U);
  EXPECT_NEAR(of_a[0].others_share, 6.0 / 7, 0.1);
  EXPECT_EQ(of_a[0].other_job_share, of_a[0].others_share);
  EXPECT_EQ(of_a[0].load_ratio, 0) << "it does not join switches";
  const std::vector<ReactionResult> of_in = rows_of(1);
  ASSERT_FALSE(of_in.empty());
  EXPECT_EQ(r.port_name(of_in[0].port), "leaf0[0]->h0");
  EXPECT_NEAR(of_in[0].others_share, 1.0 / 7, 0.1);
  EXPECT_TRUE(blamed(two_leaves(kPlain + jobs)).reactions.empty());
}

// A NIC asks for a pause of d while the message comes: d is the pause's, but for what is left of
// the packet under way when it takes effect, and a packet that a frame waits for.
TEST(Blame, OfAPauseIsThePauseAndItsRoot) {
  for (const Picoseconds d : {20_us, 70_us}) {
    const Results r = blamed(two_leaves(
        kPlain +
            "jobs: [{name: a, type: messages, ranks: [h0, h4], list: [{from: 0, to: 1, size: "
            "8MiB}]}]\n"
            "faults: [{type: nic-pause, host: h4, at: 50us, until: " +
            std::to_string((50_us + d).count()) + "ps}]\n",
        kSwitch + ", flow_control: {type: pfc, threshold: static, xoff: 8MB, xon: 7MB}"));
    const Picoseconds paused = time_of(r, "a", "pause");
    EXPECT_NEAR(to_seconds(paused), to_seconds(d), to_seconds(2 * kBlamePacket));
    EXPECT_EQ(time_of(r, "a", "pause", "NIC of h4"), paused);
  }
}

// The tail of a message is lost: nobody asks for it, and the sender waits for its time-out.
TEST(Blame, OfALostTailIsTheTimeOut) {
  const Results r = blamed(two_leaves(
      "transport: {type: roce, congestion_control: none, retransmit_timeout: 500us}\n"
      "jobs: [{name: a, type: messages, ranks: [h0, h4], list: [{from: 0, to: 1, size: 1MiB}]}]\n"
      "faults: [{type: link-down, from: h4, at: 20us, until: 100us}]\n",
      kDeep));
  const Picoseconds timeout =
      time_of(r, "a", "time-out", "rank 0 -> rank 1 (h0 -> h4) by link-down of h4");
  // Counted from the end of the lost transmission: the timer began with the last acknowledgement,
  // at most a round trip later.
  EXPECT_GE(timeout, 500_us);
  EXPECT_LE(timeout, 510_us);
  EXPECT_GE(to_seconds(timeout + time_of(r, "a", "serialisation")),
            0.97 * to_seconds(job_of(r, "a").jct));
}

// A frame in the middle of a message is corrupted: under selective repeat its repair is what it
// takes longer than the wire, from the end of the transmission that was lost until the NACK for the
// next packet came, and then the packet under way.
TEST(Blame, OfASpoiltFrameIsItsRepair) {
  const Results r = blamed(two_leaves(
      "transport: {type: roce, congestion_control: none, recovery: selective-repeat}\n"
      "jobs: [{name: a, type: messages, ranks: [h0, h4], list: [{from: 0, to: 1, size: 128KiB}]}]\n"
      "faults: [{type: bit-errors, from: h0, at: 1900ns, until: 1990ns, frame_loss_rate: 1}]\n",
      kDeep));
  EXPECT_GE(r.totals.error_drops, 1);
  EXPECT_EQ(r.totals.timeouts, 0u);
  EXPECT_GT(time_of(r, "a", "retransmission", "rank 0 -> rank 1 (h0 -> h4) by bit-errors of h0"),
            0_ps);
}

/// Whether a culprit of this cause has a failure behind it, whose name ends so.
bool is_behind(const Results& r, const std::string& cause, const std::string& failure) {
  return std::ranges::any_of(r.blame, [&](const BlameResult& b) {
    return b.cause == cause && b.culprit.ends_with(failure);
  });
}

// The NIC waits for its own link.
TEST(Blame, OfALinkThatIsDownIsTheFailure) {
  const Results r = blamed(two_leaves(
      kPlain + "jobs: [{name: a, type: messages, ranks: [h0, h4], list: [{from: 0, to: 1, size: "
               "1MiB}]}]\n"
               "faults: [{type: link-down, from: h0, at: 5us, until: 55us}]\n",
      kDeep));
  EXPECT_GT(time_of(r, "a", "link failure"), 40_us);
  EXPECT_TRUE(is_behind(r, "link failure", " by link-down of h0"));
}

// What found no route any more follows from the outage, if there is one alone.
TEST(Blame, OfAMissingRouteIsTheOutage) {
  const auto run = [](const std::string& faults) {
    return blamed(
        "name: t\nracks: {count: 2, servers: 4, server: host-400g}\n"
        "links: {access: {length: 3m}, uplink: {length: 30m}}\n"
        "fabric: {topology: leaf-spine, spines: 2, load_balancing: round-robin, convergence: 5us" +
        kDeep +
        "}\ntransport: {type: roce, congestion_control: none, receiver: any-order, "
        "retransmit_timeout: 200us}\n"
        "jobs: [{name: a, type: messages, ranks: [h0, h4], list: [{from: 0, to: 1, size: 2MiB}]}]\n"
        "faults: [" +
        faults + "]\n");
  };
  const std::string one = "{type: link-down, from: leaf1, to: spine0, at: 20us}";
  const Results r = run(one);
  EXPECT_TRUE(is_behind(r, "time-out", " by link-down of leaf1 to spine0"));
  const auto lost_way =
      std::ranges::find(r.incidents, IncidentKind::kNoRoute, &IncidentResult::kind);
  ASSERT_NE(lost_way, r.incidents.end());
  EXPECT_EQ(lost_way->queue_pairs, 1U);
  // With an outage elsewhere it might be that one's.
  const Results elsewhere = run(one + ", {type: link-down, from: h7, at: 40us, until: 60us}");
  EXPECT_TRUE(is_behind(elsewhere, "time-out", "(h0 -> h4)"));
  // Of two outages either may have taken a packet.
  const Results both = run(one + ", {type: switch-down, switch: spine1, at: 24us, until: 60us}");
  EXPECT_GT(time_of(both, "a", "time-out"), 0_ps);
  EXPECT_TRUE(is_behind(both, "time-out", "(h0 -> h4)"));
  EXPECT_FALSE(is_behind(both, "time-out", "leaf1 to spine0"));
}

// A link that loses frames all the time may have taken what a queue pair repeats.
TEST(Blame, NamesNoFailureBesideOtherLosses) {
  const auto run = [](const std::string& errors) {
    std::string text = two_leaves(
        "transport: {type: roce, congestion_control: none, retransmit_timeout: 500us}\n"
        "jobs: [{name: a, type: messages, ranks: [h0, h4], list: [{from: 0, to: 1, size: 1MiB}]},"
        " {name: b, type: messages, ranks: [h1, h5], list: [{from: 0, to: 1, size: 1MiB}]}]\n"
        "faults: [{type: link-down, from: h4, at: 20us, until: 100us}]\n",
        kDeep);
    const std::string uplink = "uplink: {length: 30m}";
    text.replace(text.find(uplink), uplink.size(),
                 uplink + ", changes: [{from: h1, frame_loss_rate: " + errors + "}]");
    return blamed(text);
  };
  EXPECT_TRUE(is_behind(run("0"), "time-out", " by link-down of h4"));
  const Results lossy = run("0.05");
  ASSERT_GT(lossy.totals.error_drops, 0);
  EXPECT_TRUE(is_behind(lossy, "time-out", "(h0 -> h4)"));
}

// A rank that begins late is all that an all-reduce in a ring takes longer.
TEST(Blame, OfALateRankIsThatRank) {
  const std::string job =
      "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-7";
  const Results healthy = blamed(two_leaves(kPlain + job + "}]\n"));
  const Results r =
      blamed(two_leaves(kPlain + job + ", stragglers: [{ranks: 5, late: 300us}]}]\n"));
  const Picoseconds excess = job_of(r, "a").jct - job_of(healthy, "a").jct;
  EXPECT_EQ(time_of(r, "a", "straggler", "rank 5 (h5)"), 300_us);
  EXPECT_GE(to_seconds(300_us), 0.95 * to_seconds(excess));
}

// A rank of a collective that pauses while it computes: the pause is that rank's.
TEST(Blame, OfAPausingRankIsThatRank) {
  const std::string job =
      "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-7, compute: 1ms";
  const Results healthy = blamed(two_leaves(kPlain + job + "}]\n"));
  const Results r = blamed(two_leaves(kPlain + job +
                                      ", noise: [{ranks: 5, pause: {period: 10ms, length: 300us, "
                                      "phase: 400us}}]}]\n"));
  const Picoseconds excess = job_of(r, "a").jct - job_of(healthy, "a").jct;
  EXPECT_EQ(time_of(r, "a", "straggler", "rank 5 (h5)"), 300_us);
  EXPECT_EQ(time_of(r, "a", "compute"), 1_ms);
  EXPECT_GE(to_seconds(300_us), 0.95 * to_seconds(excess));
}

// A link at a quarter of its rate: what the message takes longer is its own bytes on that link.
TEST(Blame, OfASlowLinkIsThatLink) {
  const std::string job =
      "jobs: [{name: a, type: messages, ranks: [h0, h4], list: [{from: 0, to: 1, size: 8MiB}]}]\n";
  const std::string pfc = kDeep;
  const Results healthy = blamed(two_leaves(kPlain + job, pfc));
  const Results r = blamed(
      two_leaves(kPlain + job + "faults: [{type: link-rate, from: h4, rate: 100Gbps}]\n", pfc));
  const Picoseconds excess = job_of(r, "a").jct - job_of(healthy, "a").jct;
  const Picoseconds slow = time_of(r, "a", "serialisation", "leaf1[0]->h4") -
                           time_of(healthy, "a", "serialisation", "leaf1[0]->h4");
  EXPECT_GE(to_seconds(slow), 0.95 * to_seconds(excess));
}

// Two jobs whose messages share the only uplink though their hosts differ: a collision.
TEST(Blame, OfACollisionIsTheOtherJobAtThatPort) {
  const Results r = blamed(two_leaves(
      kPlain +
          "jobs:\n"
          "  - {name: a, type: messages, ranks: [h0, h4], list: [{from: 0, to: 1, size: 8MiB}]}\n"
          "  - {name: b, type: messages, ranks: [h1, h5], list: [{from: 0, to: 1, size: 16MiB}]}\n",
      kDeep));
  const Picoseconds excess = job_of(r, "a").jct - job_of(r, "a").ideal;
  EXPECT_GE(to_seconds(time_of(r, "a", "queueing", "b")), 0.95 * to_seconds(excess));
  for (const BlameResult& b : r.blame) {
    if (b.cause == "queueing" && b.culprit == "b" && b.time > 10_us) {
      EXPECT_EQ(b.port, "leaf0[4]->spine0[0]");
    }
  }
}

// Jobs whose iterations overlap, that begin late, compute in between, or come after another: what
// tables state of an iteration is what its rows of blame add up to, and those of a job add up to
// it.
TEST(Blame, OfIterationsIsWhatTheirTablesState) {
  const Results r = blamed(two_leaves(
      kPlain +
      "jobs:\n"
      "  - {name: jittering, type: all-reduce, algorithm: ring, size: 64KiB, ranks: 0-3, "
      "iterations: 5, start: 7us, jitter: {type: exponential, mean: 10us}}\n"
      "  - {name: computing, type: all-reduce, algorithm: ring, size: 256KiB, ranks: 2-7, "
      "iterations: 4, compute: 20us}\n"
      "  - name: graph\n"
      "    type: graph\n"
      "    after: computing\n"
      "    ranks: 0-7\n"
      "    iterations: 3\n"
      "    nodes:\n"
      "      - {name: layers, type: compute, time: 30us}\n"
      "      - {name: gradients, type: all-reduce, algorithm: ring, size: 1MiB, after: layers}\n"));
  std::map<std::pair<std::uint32_t, std::uint32_t>, Picoseconds> blamed_for;
  for (const BlameResult& b : r.blame) blamed_for[{b.job, b.iteration}] += b.time;
  std::map<std::uint32_t, Picoseconds> of_job;
  std::map<std::uint32_t, Picoseconds> from_begin_to_end;
  std::size_t iterations = 0;
  const auto check = [&](const auto& rows) {
    for (const auto& row : rows) {
      ++iterations;
      EXPECT_EQ((blamed_for[{row.job, row.iteration}]), row.since_previous);
      of_job[row.job] += row.since_previous;
      from_begin_to_end[row.job] += row.end - row.start;
    }
  };
  check(r.collectives);
  check(r.iterations);
  EXPECT_EQ(iterations, 12U);
  for (const auto& [job, time] : of_job) EXPECT_LE(time, r.jobs[job].jct);
  // Ranks that begin the next iteration earlier than others end theirs.
  EXPECT_NE(from_begin_to_end, of_job);
}

// A window of w packets on a way whose round trip takes longer: the port is free for the rest.
TEST(Blame, OfASmallWindowIsTheWindow) {
  const Results r = blamed(
      two_leaves("transport: {type: roce, congestion_control: none, window: 4, ack: {every: 1}}\n"
                 "jobs: [{name: a, type: messages, ranks: [h0, h4], list: [{from: 0, to: 1, size: "
                 "1MiB}]}]\n"));
  const Picoseconds excess = job_of(r, "a").jct - job_of(r, "a").ideal;
  const Picoseconds window = time_of(r, "a", "window", "rank 0 -> rank 1 (h0 -> h4)");
  EXPECT_GE(to_seconds(window), 0.95 * to_seconds(excess));
}

// Four stages with m micro-batches of F + B each, one layer a stage: while the pipeline fills and
// drains the critical path computes on the three other stages, (p - 1)(F + B) in all (D. Narayanan
// et al., SC 2021, section 2.2). Messages between stages take time of their own beside that.
TEST(Blame, OfAPipelineIsItsBubble) {
  for (const int micro_batches : {4, 12}) {
    const Results r = blamed(
        "name: t\n"
        "racks: {count: 1, servers: 1, server: hgx-h100}\n"
        "fabric: {topology: rail-optimised, group: 1, spines: 4, switch: spectrum-4}\n" +
        kPlain +
        "jobs:\n"
        "  - name: train\n"
        "    type: training\n"
        "    ranks: 0-3\n"
        "    model: {layers: 4, hidden: 512, heads: 8, vocabulary: 1024, sequence: 64}\n"
        "    parallelism: {pipeline: 4}\n"
        "    compute: {layer: {forward: 1ms, backward: 2ms, backward_weights: 1ms}}\n"
        "    batch: {global: " +
        std::to_string(micro_batches) + "}\n");
    const Picoseconds bubble = time_of(r, "train", "bubble");
    const Picoseconds computing = time_of(r, "train", "compute");
    // The layers alone; the ends of the pipeline compute embeddings and the loss besides.
    EXPECT_NEAR(to_seconds(bubble), 3 * 3e-3, 0.05 * 3 * 3e-3);
    EXPECT_NEAR(to_seconds(computing), micro_batches * 3e-3, 0.05 * micro_batches * 3e-3);
  }
}

}  // namespace
}  // namespace weft::scenarios
