// Which path a sender's packets take: what each choice of entropy does with what it hears.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "protocols/path_selection/list.hpp"
#include "protocols/path_selection/source_route.hpp"
#include "protocols/path_selection/states.hpp"

namespace weft::testing {
namespace {

using namespace protocols::path_selection;

template <class Choice>
class Sender {
 public:
  explicit Sender(const typename Choice::Config& config, std::uint64_t key = 1)
      : parameters_(config) {
    choice_.start(parameters_, key);
  }
  std::uint32_t send() { return choice_.next(parameters_, sent_++, now); }
  std::vector<std::uint32_t> send(std::size_t packets) {
    std::vector<std::uint32_t> values(packets);
    std::ranges::generate(values, [this] { return send(); });
    return values;
  }
  void acknowledge(std::uint32_t value, bool is_marked = false) {
    choice_.on_ack(parameters_,
                   {.value = value, .is_marked = is_marked, .arrived = ++arrived_, .sent = sent_},
                   now);
  }
  void lose_path(std::uint32_t value, LossSignal signal) {
    choice_.on_path_loss(parameters_, value, signal, now);
  }
  void lose(std::uint32_t sequence, LossSignal signal) {
    choice_.on_loss(parameters_, sequence, signal, now);
  }

  Picoseconds now;

 private:
  typename Choice::Parameters parameters_;
  Choice choice_;
  std::uint32_t sent_ = 0;
  std::uint32_t arrived_ = 0;
};

// MODEL.md 5.3
TEST(Entropy, APacketTellsTheValueThatItCarries) {
  std::set<std::uint32_t> all;
  for (std::uint32_t value = 0; value < kMaxValues; ++value) {
    const std::uint32_t entropy = with_value(0xdeadbeef, value);
    EXPECT_EQ(value_in(entropy), value);
    all.insert(entropy >> 8U);
  }
  EXPECT_GT(all.size(), 250U) << "what ECMP hashes is drawn";
}

TEST(ObliviousEntropy, EveryRoundHasAllValuesInAnOrderOfItsOwn) {
  Sender<Oblivious> sender({.values = 16});
  std::set<std::vector<std::uint32_t>> orders;
  for (int round = 0; round < 8; ++round) {
    const std::vector<std::uint32_t> values = sender.send(16);
    EXPECT_EQ(std::set(values.begin(), values.end()).size(), 16U);
    orders.insert(values);
  }
  EXPECT_GT(orders.size(), 4U);
  EXPECT_NE(Sender<Oblivious>({.values = 16}, 2).send(32),
            Sender<Oblivious>({.values = 16}, 3).send(32));
}

/// How often `value` is among the next packets.
template <class Choice>
std::int64_t times(Sender<Choice>& sender, std::uint32_t value, std::size_t packets) {
  const std::vector<std::uint32_t> values = sender.send(packets);
  return std::ranges::count(values, value);
}

TEST(BitmapEntropy, PassesAValueOverAsOftenAsItsPenaltySays) {
  Sender<Bitmap> sender({.values = 8, .mark_penalty = 3});
  EXPECT_EQ(times(sender, 5, 8), 1);
  sender.acknowledge(5, true);
  EXPECT_EQ(times(sender, 5, std::size_t{3} * 7), 0) << "three rounds of the seven others";
  EXPECT_EQ(times(sender, 5, std::size_t{2} * 8), 2);
  sender.acknowledge(5, false);
  EXPECT_EQ(times(sender, 5, 8), 1) << "an ACK without a mark says nothing against it";
}

TEST(BitmapEntropy, PunishesTheWayOfThePacketThatWasLost) {
  Sender<Bitmap> sender({.values = 8, .timeout_penalty = 4});
  const std::vector<std::uint32_t> values = sender.send(8);
  sender.lose(2, LossSignal::kTimeout);
  EXPECT_EQ(times(sender, values[2], std::size_t{4} * 7), 0);
  EXPECT_EQ(times(sender, values[2], 8), 1);
}

TEST(BitmapEntropy, PunishesNobodyForWhatWasSentTooLongAgo) {
  Sender<Bitmap> sender({.values = 8});
  (void)sender.send(SentValues::kRemembered + 1);
  sender.lose(0, LossSignal::kTimeout);
  const std::vector<std::uint32_t> values = sender.send(16);
  for (std::uint32_t value = 0; value < 8; ++value) EXPECT_GT(std::ranges::count(values, value), 0);
}

TEST(BitmapEntropy, SendsOnWhereAllArePunished) {
  Sender<Bitmap> sender({.values = 4, .mark_penalty = 15});
  for (std::uint32_t value = 0; value < 4; ++value) sender.acknowledge(value, true);
  const std::vector<std::uint32_t> punished = sender.send(20);
  EXPECT_EQ(std::set(punished.begin(), punished.end()).size(), 4U);
  (void)sender.send(400);  // nothing is left of the penalties
  EXPECT_NEAR(static_cast<double>(times(sender, 0, 400)), 100, 1);
}

// MODEL.md 15.11
TEST(BitmapEntropy, LessensThePenaltyOfTheFirstOfSeveralOnly) {
  const std::vector<std::uint32_t> walk = Sender<Oblivious>({.values = 4}).send(8);
  Sender<Bitmap> sender({.values = 4});
  (void)sender.send(4);
  sender.acknowledge(walk[4], true);
  sender.acknowledge(walk[5], true);
  EXPECT_EQ(sender.send(), walk[6]);
  EXPECT_EQ(sender.send(), walk[7]);
  const std::vector<std::uint32_t> next = sender.send(3);
  EXPECT_EQ(std::ranges::count(next, walk[4]), 1) << "it has been passed over";
  EXPECT_EQ(std::ranges::count(next, walk[5]), 0) << "which was passed over for nothing";
}

// uet-htsim: of n values one is always marked, trimmed or timed out, and that is known before its
// next turn: it is passed over 1, 4 or 15 times for each packet.
// MODEL.md 15.10
TEST(UecOracle, E2_BitmapGivesABadPathItsShare) {
  for (const int signal : {0, 1, 2}) {
    Sender<Bitmap> sender({.values = 64});
    constexpr std::uint32_t kBad = 7;
    std::vector<double> counts(64);
    for (int i = 0; i < 640'000; ++i) {
      const std::uint32_t value = sender.send();
      ++counts[value];
      if (value != kBad) continue;
      if (signal == 0) sender.acknowledge(kBad, true);
      if (signal == 1) sender.lose_path(kBad, LossSignal::kNack);
      if (signal == 2) sender.lose_path(kBad, LossSignal::kTimeout);
    }
    const double shares[] = {1.0 / 2, 1.0 / 5, 1.0 / 16};
    EXPECT_NEAR(counts[kBad] / counts[8], shares[signal], 0.02 * shares[signal]);
  }
}

TEST(UecOracle, E1_ObliviousUsesEachValueOncePerRound) {
  for (const std::uint32_t n : {2U, 64U, 256U}) {
    Sender<Oblivious> sender({.values = n});
    for (int round = 0; round < 20; ++round) {
      const std::vector<std::uint32_t> values = sender.send(n);
      EXPECT_EQ(std::set(values.begin(), values.end()).size(), n);
    }
  }
}

/// Of 64 packets in flight in all, how many of 6,400 take no value that came back, where a window
/// of `window` packets has an ACK per `per_ack`.
int reps_draws(int window, int per_ack) {
  Sender<Reps> sender({.values = 64, .explorations = 1});
  std::vector<std::uint32_t> flight;
  std::multiset<std::uint32_t> fresh;
  int drawn = 0;
  for (int i = 0; i < 6'400; ++i) {
    if (static_cast<int>(flight.size()) == window) {
      for (int k = 0; k < per_ack; ++k) {
        if (k == 0) {
          sender.acknowledge(flight.front());
          fresh.insert(flight.front());
        }
        flight.erase(flight.begin());
      }
    }
    const std::uint32_t value = sender.send();
    const auto known = fresh.find(value);
    if (known != fresh.end()) {
      fresh.erase(known);
    } else if (i >= window) {
      ++drawn;
    }
    flight.push_back(value);
  }
  return drawn;
}

TEST(UecOracle, E3_RepsRecyclesWhatIsAcknowledged) {
  EXPECT_EQ(reps_draws(8, 1), 0) << "an ACK per packet: nothing is drawn after the first round";
  EXPECT_NEAR(reps_draws(8, 4), 0.75 * 6'400, 0.02 * 6'400) << "an ACK per four";
  Sender<Reps> sender({.values = 64});
  (void)sender.send(16);
  for (const std::uint32_t value : {1U, 2U, 3U}) sender.acknowledge(value);
  sender.lose_path(9, LossSignal::kTimeout);
  sender.now = 10_ms - 1_ps;
  const std::vector<std::uint32_t> frozen = sender.send(9);
  EXPECT_EQ(std::set(frozen.begin(), frozen.end()), (std::set<std::uint32_t>{1, 2, 3}));
  sender.now = 10_ms;
  sender.acknowledge(50);
  const std::vector<std::uint32_t> thawed = sender.send(16);
  EXPECT_GT(std::set(thawed.begin(), thawed.end()).size(), 8U) << "16 are drawn";
}

TEST(MixedEntropy, UsesEveryGoodValueOnceMoreAndElseGoesByTheBitmap) {
  Sender<Mixed> sender({.values = 8});
  const std::vector<std::uint32_t> first = sender.send(8);
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 8U);
  for (std::uint32_t i = 0; i < 40; ++i) sender.acknowledge(i % 8);
  std::vector<std::uint32_t> expected(40);
  for (std::uint32_t i = 0; i < 40; ++i) expected[i] = i % 8;
  EXPECT_EQ(sender.send(40), expected) << "however many there are";
  sender.lose_path(5, LossSignal::kNack);
  EXPECT_EQ(times(sender, 5, std::size_t{4} * 7), 0);
  EXPECT_EQ(times(sender, 5, 8), 1);
}

TEST(RepsEntropy, UsesWhatCameBackUnmarkedOnceMoreTheOldestFirst) {
  Sender<Reps> sender({.values = 64, .explorations = 4});
  (void)sender.send(4);
  for (const std::uint32_t value : {9U, 17U, 3U}) sender.acknowledge(value);
  sender.acknowledge(40, true);
  EXPECT_EQ(sender.send(3), (std::vector<std::uint32_t>{9, 17, 3}));
  // Nothing is left: values are drawn, of 64 by 60 packets about 64 (1 - e^(-60 / 64)) = 39.
  const std::vector<std::uint32_t> rest = sender.send(60);
  EXPECT_NEAR(static_cast<double>(std::set(rest.begin(), rest.end()).size()), 39, 8);
}

TEST(RepsEntropy, KeepsTheLastEight) {
  Sender<Reps> sender({.values = 64, .explorations = 1});
  (void)sender.send(1);
  for (std::uint32_t value = 20; value < 30; ++value) sender.acknowledge(value);
  EXPECT_EQ(sender.send(8), (std::vector<std::uint32_t>{22, 23, 24, 25, 26, 27, 28, 29}));
}

TEST(RepsEntropy, TriesNothingNewForATimeAfterATimeOut) {
  Sender<Reps> sender({.values = 64, .freeze_time = 10_ms, .explorations = 2});
  (void)sender.send(2);
  for (const std::uint32_t value : {9U, 17U}) sender.acknowledge(value);
  sender.lose(0, LossSignal::kTimeout);
  sender.now = 9_ms;
  EXPECT_EQ(sender.send(4), (std::vector<std::uint32_t>{9, 17, 9, 17}));
  sender.now = 10_ms;
  const std::vector<std::uint32_t> later = sender.send(32);
  // Drawn: of 64 by 32 packets about 64 (1 - e^(-1 / 2)) = 25.
  EXPECT_NEAR(static_cast<double>(std::set(later.begin(), later.end()).size()), 25, 7);
}

/// A sender of MRC, whose packets go by one of some planes.
class EvSender {
 public:
  explicit EvSender(const EvStatesConfig& config, std::uint32_t planes = 1) : p_(config) {
    paths_.start(p_, 7, planes);
  }
  std::uint32_t send(std::uint32_t plane = 0) { return paths_.next(p_, sent_++, now, plane); }
  std::multiset<std::uint32_t> send_many(std::uint32_t packets, std::uint32_t plane = 0) {
    std::multiset<std::uint32_t> values;
    for (std::uint32_t i = 0; i < packets; ++i) values.insert(send(plane));
    return values;
  }
  void acknowledge(std::uint32_t value, bool is_marked) {
    paths_.on_ack(p_, {.value = value, .is_marked = is_marked}, now);
  }
  void lose(std::uint32_t value) { paths_.on_path_loss(p_, value, LossSignal::kTimeout, now); }
  void trim(std::uint32_t value) { paths_.on_path_loss(p_, value, LossSignal::kNack, now); }
  /// What is probed now.
  std::set<std::uint32_t> probe() {
    std::set<std::uint32_t> values;
    while (const auto value = paths_.take_probe(p_, now)) values.insert(*value);
    return values;
  }
  void answer(std::uint32_t value) { paths_.on_probe(p_, value); }
  EvStates& paths() { return paths_; }

  Picoseconds now;

 private:
  EvStatesConfig p_;
  EvStates paths_;
  std::uint32_t sent_ = 0;
};
/// Eight values, all of them in use.
EvStatesConfig eight_values() { return {.values = 8, .reserve = 0, .min_active = 1}; }

// An eighth of the values is kept back, and a fourth stays in use, as with the 256 of MRC's
// examples: 32 and 64. MODEL.md 19.1
TEST(EvStates, ReserveAndValuesInUseFollowFromTheirNumber) {
  for (const std::uint32_t values : {8U, 16U, 64U, 256U}) {
    EvSender sender({.values = values});
    std::set<std::uint32_t> used;
    for (std::uint32_t i = 0; i < values; ++i) used.insert(sender.send());
    EXPECT_EQ(used.size(), values - values / 8);
    EXPECT_EQ(EvStatesConfig{.values = values}.min_in_use(), values / 4);
  }
}

// MODEL.md 19.1
TEST(MrcOracle, M1_EveryRotationHasEachActiveValueOnceInAnOrderOfItsOwn) {
  EvSender sender(eight_values());
  std::set<std::vector<std::uint32_t>> orders;
  for (int round = 0; round < 8; ++round) {
    std::vector<std::uint32_t> values;
    for (int i = 0; i < 8; ++i) values.push_back(sender.send());
    EXPECT_EQ(std::set(values.begin(), values.end()).size(), 8U);
    orders.insert(values);
  }
  EXPECT_GT(orders.size(), 6U);
}

// MODEL.md 19.2
TEST(MrcOracle, M1_AMarkOrATrimPassesAValueOverOnce) {
  for (const bool is_trim : {false, true}) {
    EvSender sender(eight_values());
    sender.send_many(8);
    for (int i = 0; i < 2; ++i) {  // once, however often it is told before its turn
      if (is_trim) {
        sender.trim(5);
      } else {
        sender.acknowledge(5, true);
      }
    }
    EXPECT_EQ(sender.send_many(7).count(5), 0U);
    EXPECT_EQ(sender.send_many(8).count(5), 1U) << "good again in the next rotation";
    EXPECT_FALSE(sender.paths().next_probe()) << "no probe is needed";
    sender.acknowledge(5, false);
    EXPECT_EQ(sender.send_many(8).count(5), 1U) << "an ACK without a mark changes nothing";
  }
  EvSender all(eight_values());
  for (std::uint32_t value = 0; value < 8; ++value) all.acknowledge(value, true);
  const auto values = all.send_many(16);
  EXPECT_EQ(std::set(values.begin(), values.end()).size(), 8U) << "where all are to be skipped";
}

// MODEL.md 19.3
TEST(MrcOracle, M1_ALossTakesAValueOutAndAnotherOfItsPlaneIn) {
  EvSender sender({.values = 16, .reserve = 8, .min_active = 1}, 2);
  for (const std::uint32_t plane : {0U, 1U}) {
    const auto before = sender.send_many(4, plane);
    const std::uint32_t lost = *before.begin();
    sender.lose(lost);
    const auto after = sender.send_many(40, plane);
    EXPECT_EQ(after.count(lost), 0U);
    const std::set<std::uint32_t> used(after.begin(), after.end());
    EXPECT_EQ(used.size(), 4U) << "one of the reserve has taken its place";
    for (const std::uint32_t value : used) EXPECT_EQ(value % 2, plane);
  }
  EXPECT_EQ(sender.paths().active(), 8U);
  EvSender skipped(eight_values());
  skipped.acknowledge(3, true);
  skipped.lose(3);
  EXPECT_EQ(skipped.send_many(40).count(3), 0U) << "one that was to be skipped, too";
  skipped.acknowledge(3, true);
  skipped.acknowledge(3, false);
  skipped.lose(3);
  skipped.trim(3);
  EXPECT_EQ(skipped.send_many(40).count(3), 0U) << "what comes late changes nothing";
  EXPECT_EQ(skipped.paths().active(), 7U);
}

TEST(MrcOracle, M1_DeniedValuesAreNeitherUsedNorProbed) {
  EvSender sender({.values = 16, .reserve = 4, .min_active = 1, .denied = {2, 15}});
  EXPECT_EQ(sender.paths().active(), 11U);
  for (std::uint32_t value = 0; value < 16; ++value) sender.lose(value);
  sender.now += 1_ms;
  const std::set<std::uint32_t> probed = sender.probe();
  EXPECT_EQ(probed.count(2) + probed.count(15), 0U);
  for (const std::uint32_t value : probed) sender.answer(value);
  sender.answer(2);
  const auto values = sender.send_many(200);
  EXPECT_EQ(values.count(2) + values.count(15), 0U);
}

// MODEL.md 19.3
TEST(MrcOracle, M2_NeverFewerThanMinActiveAreInUse) {
  for (const std::uint32_t planes : {1U, 4U}) {
    for (const std::uint32_t n : {1U, 8U, 32U}) {
      EvSender sender({.values = 64, .reserve = 16, .min_active = n}, planes);
      for (int round = 0; round < 3; ++round) {
        for (std::uint32_t value = 0; value < 64; ++value) {
          sender.lose(value);
          EXPECT_GE(sender.paths().active(), n);
        }
      }
      EXPECT_EQ(sender.paths().active(), n) << "all have lost packets";
      std::set<std::uint32_t> used;
      for (std::uint32_t plane = 0; plane < planes; ++plane) {
        if ((sender.paths().planes_without_values() >> plane & 1U) != 0) continue;
        const auto values = sender.send_many(256, plane);
        used.insert(values.begin(), values.end());
      }
      EXPECT_EQ(used.size(), n);
    }
  }
  EvSender last({.values = 8, .reserve = 0, .min_active = 8});
  last.send_many(8);
  last.lose(5);
  EXPECT_EQ(last.send_many(7).count(5), 0U) << "what may not leave is skipped once";
  EXPECT_EQ(last.send_many(8).count(5), 1U);
}

// A value dies at some packet, and its first loss is known D later: ceil(D / rotation) of its
// packets are lost, within one, and none afterwards.
TEST(MrcOracle, M3_ADeadPathLosesOnePacketPerRotationUntilItIsKnown) {
  for (const std::uint32_t values : {8U, 64U, 256U}) {
    for (const std::uint32_t rotations : {1U, 5U, 25U}) {
      EvSender sender({.values = values, .reserve = 0, .min_active = 1});
      sender.send_many(3);
      constexpr std::uint32_t kDead = 6;
      while (sender.send() != kDead) {
      }
      const auto lost = 1 + sender.send_many(rotations * values - 1).count(kDead);
      EXPECT_NEAR(static_cast<double>(lost), rotations, 1);
      sender.lose(kDead);
      EXPECT_EQ(sender.send_many(10 * values).count(kDead), 0U);
    }
  }
}

// MODEL.md 19.4
TEST(MrcOracle, M6_ABadValueIsGoodAtTheNthProbeInARowThatComesBack) {
  EvSender sender(
      {.values = 8, .reserve = 0, .min_active = 1, .probe_interval = 50_us, .good_probes = 3});
  sender.lose(4);
  EXPECT_TRUE(sender.probe().empty());
  const auto probe = [&](bool comes_back) {
    sender.now += 50_us - 1_ps;
    EXPECT_TRUE(sender.probe().empty()) << "not before its time";
    sender.now += 1_ps;
    EXPECT_EQ(sender.probe(), std::set<std::uint32_t>{4});
    EXPECT_TRUE(sender.probe().empty()) << "once per interval";
    if (comes_back) sender.answer(4);
    sender.answer(4);  // counts once, and not at all where none is awaited
  };
  const auto lose = [&] {
    sender.now += 50_us;
    EXPECT_EQ(sender.probe().size(), 1U);
  };
  probe(true);
  probe(true);
  lose();
  probe(true);
  probe(true);
  EXPECT_EQ(sender.send_many(70).count(4), 0U) << "two in a row after one that was lost";
  probe(true);
  EXPECT_NEAR(static_cast<double>(sender.send_many(80).count(4)), 10, 1);
  EXPECT_FALSE(sender.paths().next_probe());
}

// MODEL.md 19.4
TEST(MrcOracle, M6_ARepairedValueFillsItsPlaneBeforeTheReserve) {
  EvSender sender({.values = 8, .reserve = 2, .min_active = 1});
  EXPECT_EQ(sender.paths().active(), 6U);
  for (const std::uint32_t value : {0U, 1U, 2U}) sender.lose(value);
  EXPECT_EQ(sender.paths().active(), 5U) << "two were in the reserve";
  sender.now += 1_ms;
  sender.probe();
  sender.answer(1);
  EXPECT_EQ(sender.paths().active(), 6U);
  sender.answer(2);
  EXPECT_EQ(sender.paths().active(), 6U) << "what is too many is kept in reserve";
  EXPECT_EQ(sender.send_many(60).count(2), 0U);
  sender.lose(1);
  EXPECT_NEAR(static_cast<double>(sender.send_many(60).count(2)), 10, 1)
      << "from which it comes back";
}

TEST(EvStatesSelection, KnowsThePathOfAPacketByItsNumber) {
  Sender<EvStates> sender({.values = 8, .reserve = 0, .min_active = 1});
  const std::vector<std::uint32_t> values = sender.send(8);
  sender.lose(2, LossSignal::kTimeout);
  EXPECT_EQ(times(sender, values[2], 70), 0);
  (void)sender.send(SentValues::kRemembered);
  sender.lose(3, LossSignal::kTimeout);
  EXPECT_NEAR(static_cast<double>(times(sender, values[3], 70)), 10, 1) << "that was too long ago";
}

// MODEL.md 19.6
TEST(SourceRoutes, ValuesOfAPlaneFollowOneAnotherThroughTheUplinks) {
  std::set<std::uint32_t> first;
  for (std::uint32_t qp = 0; qp < 64; ++qp) {
    std::vector<std::uint32_t> leaf;
    std::vector<std::uint32_t> spine;
    for (std::uint32_t value = 3; value < 256; value += 4) {
      Packet packet;
      packet.entropy = with_route(protocols::QueuePairId(qp), value, 4);
      leaf.push_back(take_segment(packet, 8));
      EXPECT_EQ(value_in(packet.entropy), value) << "which answers echo";
      spine.push_back(take_segment(packet, 5));
      EXPECT_EQ(value_in(packet.entropy), value);
    }
    for (std::size_t i = 1; i < leaf.size(); ++i) {
      EXPECT_EQ(leaf[i], (leaf[i - 1] + 1) % 8);
      EXPECT_EQ(spine[i], (spine[i - 1] + (leaf[i] == 0 ? 1 : 0)) % 5) << "the next digit";
    }
    first.insert(leaf.front());
  }
  EXPECT_EQ(first.size(), 8U) << "queue pairs begin with different ones";
}

/// Round trips of ten packets, that many of which are marked.
void round_trips(Sender<Plb>& sender, int count, int marked) {
  for (int round = 0; round < count; ++round) {
    const std::vector<std::uint32_t> values = sender.send(10);
    for (int i = 0; i < 10; ++i) {
      sender.acknowledge(values[static_cast<std::size_t>(i)], i < marked);
    }
  }
}

TEST(PlbEntropy, TakesAnotherPathAfterCongestedRoundTripsInARow) {
  Sender<Plb> sender({.marked_share = 0.5, .congested_rounds = 3, .idle_rounds = 1000});
  const std::uint32_t first = sender.send();
  sender.acknowledge(first);
  round_trips(sender, 2, 9);
  EXPECT_EQ(sender.send(), first);
  sender.acknowledge(first);
  round_trips(sender, 1, 2);  // one that was not
  round_trips(sender, 2, 9);
  EXPECT_EQ(sender.send(), first);
  sender.acknowledge(first);
  round_trips(sender, 4, 9);
  EXPECT_NE(sender.send(), first);
}

TEST(PlbEntropy, TakesAnotherPathEarlierWhereNothingIsInFlight) {
  Sender<Plb> sender({.marked_share = 0.5, .congested_rounds = 1000, .idle_rounds = 2});
  const std::uint32_t first = sender.send();
  sender.acknowledge(first);
  round_trips(sender, 1, 9);
  EXPECT_EQ(sender.send(), first);
  sender.acknowledge(first, true);
  EXPECT_NE(sender.send(), first) << "two round trips, each with all that was sent acknowledged";
}

TEST(PlbEntropy, StaysWhereFewerAreMarked) {
  Sender<Plb> sender({.marked_share = 0.5, .congested_rounds = 1});
  const std::uint32_t first = sender.send();
  sender.acknowledge(first);
  round_trips(sender, 50, 4);
  EXPECT_EQ(sender.send(), first);
}

TEST(PlbEntropy, TakesAnotherPathAfterATimeOutAndForgetsTheOldOne) {
  Sender<Plb> sender({.marked_share = 0.5, .congested_rounds = 1});
  const std::uint32_t first = sender.send();
  sender.lose(0, LossSignal::kTimeout);
  const std::uint32_t second = sender.send();
  EXPECT_NE(second, first);
  for (int i = 0; i < 100; ++i) sender.acknowledge(first, true);
  EXPECT_EQ(sender.send(), second) << "what came back late says nothing of the new path";
}

}  // namespace
}  // namespace weft::testing
