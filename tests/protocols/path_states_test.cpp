// What is counted of the states of paths: each change once, and over time in few intervals.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocols/path_selection/ev_states.hpp"
#include "protocols/path_selection/path_history.hpp"

namespace weft::testing {
namespace {

using namespace protocols::path_selection;

/// A sender by values of which some are in reserve and one is denied.
class CountedSender {
 public:
  explicit CountedSender(const EvStatesConfig& config, std::uint32_t planes = 1) : p_(config) {
    paths_.start(p_, 7, planes);
  }
  std::optional<ChangedPath> mark(std::uint32_t value) {
    paths_.on_ack(p_, {.value = value, .is_marked = true}, {});
    return paths_.take_change();
  }
  std::optional<ChangedPath> lose(std::uint32_t value) {
    paths_.on_path_loss(p_, value, LossSignal::kTimeout, {});
    return paths_.take_change();
  }
  std::optional<ChangedPath> answer_probe(std::uint32_t value) {
    while (paths_.take_probe(p_, 1_s)) continue;
    paths_.on_probe(p_, value);
    return paths_.take_change();
  }
  [[nodiscard]] PathStateCounts count(std::uint32_t plane = 0) const {
    return paths_.count(p_, plane);
  }

 private:
  EvStatesConfig p_;
  EvStates paths_;
};

const EvStatesConfig kEight{.values = 8, .reserve = 2, .min_active = 1, .denied = {3}};

// MODEL.md 19.1, 19.2, 19.3
TEST(PathStates, EveryValueIsInOneState) {
  CountedSender sender(kEight);
  PathStateCounts now = sender.count();
  EXPECT_EQ(now.good, 5U);
  EXPECT_EQ(now.reserve, 2U);
  EXPECT_EQ(now.denied, 1U);
  (void)sender.mark(0);
  (void)sender.lose(1);
  now = sender.count();
  EXPECT_EQ(now.good, 4U) << "of the five, one is skipped, one is bad, and the reserve gives one";
  EXPECT_EQ(now.passed_over, 1U);
  EXPECT_EQ(now.assumed_bad, 1U);
  EXPECT_EQ(now.reserve, 1U);
  EXPECT_EQ(now.denied, 1U);
}

TEST(PathStates, AChangeIsToldOnce) {
  CountedSender sender(kEight);
  EXPECT_EQ(sender.mark(0)->change, PathChange::kPassedOver);
  EXPECT_FALSE(sender.mark(0)) << "it is to be skipped already";
  EXPECT_EQ(sender.lose(0)->change, PathChange::kFailed);
  EXPECT_FALSE(sender.lose(0));
  EXPECT_FALSE(sender.lose(3)) << "denied";
  EXPECT_EQ(sender.answer_probe(0)->change, PathChange::kRecovered);
  EXPECT_FALSE(sender.answer_probe(0)) << "it is good";
}

// Without a reserve, and with no more values in use than there have to be, a loss only skips.
TEST(PathStates, ALossThatMayNotTakeAValueAwaySkipsIt) {
  CountedSender sender({.values = 4, .reserve = 0, .min_active = 4});
  EXPECT_EQ(sender.lose(2)->change, PathChange::kPassedOver);
  EXPECT_EQ(sender.count().assumed_bad, 0U);
}

TEST(PathStates, AChangeIsOfThePlaneOfItsValue) {
  CountedSender sender({.values = 16, .reserve = 0, .min_active = 1}, 4);
  EXPECT_EQ(sender.lose(6)->plane, 2U);
  EXPECT_EQ(sender.mark(7)->plane, 3U);
  for (std::uint32_t plane = 0; plane < 4; ++plane) {
    EXPECT_EQ(sender.count(plane).assumed_bad, plane == 2 ? 1U : 0U);
    EXPECT_EQ(sender.count(plane).good + sender.count(plane).passed_over, plane == 2 ? 3U : 4U);
  }
}

TEST(PathHistory, IntervalsDoubleWhenAChangeLiesBeyond) {
  PathHistory history;
  history.note(PathChange::kFailed, 63'999'999_ps);
  EXPECT_EQ(history.width(), 1_us);
  EXPECT_EQ(history.intervals().size(), 64U);
  history.note(PathChange::kRecovered, 64_us);
  EXPECT_EQ(history.width(), 2_us);
  ASSERT_EQ(history.intervals().size(), 33U);
  EXPECT_EQ(history.intervals()[31], (PathChangeCounts{.failures = 1}));
  EXPECT_EQ(history.intervals()[32], (PathChangeCounts{.recoveries = 1}));
  history.note(PathChange::kPassedOver, 10_s);
  EXPECT_LE(history.intervals().size(), PathHistory::kIntervals);
  EXPECT_GE(history.intervals().size(), PathHistory::kIntervals / 2);
  EXPECT_EQ(history.sum(), (PathChangeCounts{.passes = 1, .failures = 1, .recoveries = 1}));
  EXPECT_EQ(history.first_failure(), 63'999'999_ps);
}

// Hosts are counted apart, on any thread, and added up at the end.
TEST(PathHistory, AddingUpIsAsCountingTogether) {
  const std::vector<Picoseconds> times{1_us, 3_us, 70_us, 5_ms, 5_ms + 1_us, 200_ms};
  for (std::size_t cut = 0; cut <= times.size(); ++cut) {
    PathHistory whole;
    PathHistory first;
    PathHistory second;
    for (std::size_t i = 0; i < times.size(); ++i) {
      whole.note(PathChange::kFailed, times[i]);
      (i < cut ? first : second).note(PathChange::kFailed, times[i]);
    }
    PathHistory backwards = second;
    backwards += first;
    EXPECT_EQ(backwards.width(), whole.width());
    EXPECT_EQ(backwards.intervals(), whole.intervals());
    first += second;
    EXPECT_EQ(first.width(), whole.width());
    EXPECT_EQ(first.intervals(), whole.intervals());
    EXPECT_EQ(first.first_failure(), 1_us);
    EXPECT_EQ(first.last_failure(), 200_ms);
    second += PathHistory();
    EXPECT_EQ(second.last_failure(), cut < times.size() ? std::optional(200_ms) : std::nullopt);
  }
}

}  // namespace
}  // namespace weft::testing
