#include "protocols/switch/crossbar.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/bare_state.hpp"
#include "tests/support/draws.hpp"

namespace weft::protocols {
namespace {

constexpr std::uint32_t kCrossbarClasses = 2;

SwitchConfig input_queued(SwitchConfig::Arbitration arbitration) {
  SwitchConfig config;
  config.classes.resize(kCrossbarClasses, config.classes.front());
  config.queueing = SwitchConfig::Queueing::kInput;
  config.arbitration = arbitration;
  return config;
}

/// A switch whose inputs queue, and the logical process that it is in.
struct Switch {
  explicit Switch(std::uint32_t ports,
                  SwitchConfig::Arbitration arbitration = SwitchConfig::Arbitration::kRoundRobin)
      : bare(input_queued(arbitration)), arbiter(bare.state) {
    bare.add_ports(ports);
    bare.state.switches.resize(1);
    bare.state.switches[0].port_count = ports;
    bare.state.crossbars.resize(1);
    bare.state.crossbars[0].requests.resize(std::size_t{ports} * kCrossbarClasses);
    bare.state.crossbars[0].last_input.resize(ports);
  }
  void request(std::uint32_t input, std::uint32_t output, std::uint32_t c = 0) {
    arbiter.request(here(), 0, input, output, ClassId(c));
  }
  [[nodiscard]] std::uint64_t candidates(std::uint32_t output, std::uint32_t c = 0) const {
    return arbiter.candidates(0, output, ClassId(c));
  }
  [[nodiscard]] Crossbar& crossbar() { return bare.state.crossbars[0]; }

  testing::BareState bare;
  CrossbarArbiter arbiter;
  [[nodiscard]] Here here() { return {lp, worker, now}; }

  LogicalProcess lp;
  Worker worker;
  Picoseconds now{100};
};

TEST(Crossbar, OffersAnOutputTheIdleInputsWhoseHeadWantsIt) {
  Switch s(64);
  for (const std::uint32_t input : {0U, 5U, 63U}) s.request(input, 7);
  s.request(5, 7, 1);
  s.request(6, 8);
  EXPECT_EQ(s.candidates(7), (1ULL << 63U) | (1ULL << 5U) | 1U);
  EXPECT_EQ(s.candidates(7, 1), 1ULL << 5U);
  EXPECT_EQ(s.candidates(8), 1ULL << 6U);
  s.arbiter.occupy_input(0, 5);
  EXPECT_EQ(s.candidates(7), (1ULL << 63U) | 1U) << "an input sends one packet at a time";
  EXPECT_EQ(s.candidates(7, 1), 0U) << "whatever the class";
  s.arbiter.free_input(s.here(), 0, 5);
  s.arbiter.withdraw(0, 63, 7, ClassId(0));
  EXPECT_EQ(s.candidates(7), (1ULL << 5U) | 1U);
}

// All requests of an instant are matched together, after all other control of that instant.

// MODEL.md 1.4
TEST(Crossbar, ArbitratesOncePerInstant) {
  Switch s(8);
  s.request(1, 2);
  s.request(3, 2);
  s.request(4, 6);
  ASSERT_EQ(s.lp.calendar.events().size(), 1U);
  EXPECT_EQ(s.lp.live_events, 1);
  EXPECT_EQ(s.crossbar().changed_outputs, (1U << 2U) | (1U << 6U));
  const CalendarEvent event = s.lp.calendar.pop();
  EXPECT_EQ(event.time, s.now);
  EXPECT_EQ(event.type, static_cast<std::uint32_t>(EventType::kArbitrate));
  for (const EventType before : {EventType::kPause, EventType::kControlEvent, EventType::kCredit}) {
    const auto type = static_cast<std::uint32_t>(before);
    EXPECT_LT(CalendarEvent::make_order(EventPriority::kControl, type, ~0U >> 6U, ~0U),
              event.order);
  }
  s.crossbar().is_scheduled = false;  // it has run
  s.arbiter.check_output(s.here(), 0, 5);
  EXPECT_GT(s.lp.calendar.pop().order, event.order);
}

// An input that is free again is looked at by the outputs that the heads of its FIFOs want.
TEST(Crossbar, LooksAgainAtWhatAFreedInputHolds) {
  Switch s(8);
  ChunkPool pool;
  PortState& input = s.bare.state.ports[3];
  for (const auto& [c, output] : {std::pair{ClassId(0), 6}, {ClassId(1), 2}}) {
    for (const int place : {output, 7}) {  // behind the head, 7 does not matter
      Packet packet;
      packet.stamp = place;
      s.bare.state.queue(input, c).packets.push(packet, pool);
    }
    input.waiting |= class_bit(c);
  }
  s.arbiter.occupy_input(0, 3);
  s.arbiter.free_input(s.here(), 0, 3);
  EXPECT_EQ(s.crossbar().changed_outputs, (1U << 6U) | (1U << 2U));
}

// Against a walk from the input after the last one served, around the switch; up to 64 ports.
TEST(Crossbar, ServesInputsInTurn) {
  for (const std::uint32_t ports : {1U, 2U, 5U, 32U, 63U, 64U}) {
    Switch s(ports);
    testing::Draws draws(ports);
    std::vector<std::uint32_t> last(ports, 0);
    for (int i = 0; i < 5000; ++i) {
      std::uint64_t wanted = 0;
      for (std::uint32_t input = 0; input < ports; ++input) {
        if (draws.one_in(3)) wanted |= std::uint64_t{1} << input;
      }
      if (wanted == 0) continue;
      const auto output = static_cast<std::uint32_t>(draws.below(ports));
      std::uint32_t expected = (last[output] + 1) % ports;
      while ((wanted >> expected & 1U) == 0) expected = (expected + 1) % ports;
      ASSERT_EQ(s.arbiter.choose_input(0, output, wanted), expected);
      last[output] = expected;
    }
  }
}

// Nobody waits for more than one packet of each of the others.
TEST(Crossbar, LetsNoInputWaitForMoreThanTheOthersOnce) {
  Switch s(16);
  std::vector<int> served(16);
  for (int i = 0; i < 160; ++i) ++served[s.arbiter.choose_input(0, 4, 0xffff)];
  EXPECT_EQ(served, std::vector<int>(16, 10));
}

// 12,000 draws among three: 4,000 each, within five standard deviations of sqrt(12,000 x 2/9) = 52.
TEST(Crossbar, ChoosesAtRandomAmongAllAlike) {
  Switch s(64, SwitchConfig::Arbitration::kRandom);
  const std::uint64_t wanted = (1ULL << 63U) | (1ULL << 17U) | 1U;
  std::vector<int> served(64);
  for (int i = 0; i < 12'000; ++i) ++served[s.arbiter.choose_input(0, i % 64, wanted)];
  EXPECT_EQ(served[0] + served[17] + served[63], 12'000);
  for (const std::size_t input : {0U, 17U, 63U}) EXPECT_NEAR(served[input], 4'000, 260);
  EXPECT_EQ(s.crossbar().draws, 12'000U);
}

}  // namespace
}  // namespace weft::protocols
