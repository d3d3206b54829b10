#include "protocols/state/fields.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <typeinfo>
#include <vector>

#include "protocols/steady_state/live_part.hpp"
#include "protocols/steady_state/recurrence.hpp"
#include "protocols/steady_state/state_visitor.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/flow_runner.hpp"
#include "tests/support/state_of.hpp"

/// Every field of the state has one role, and each that is compared matters: without it states
/// would be taken for recurring that do not, and results would be others.
namespace weft::testing {
namespace {

using protocols::FieldId;
using protocols::PacketNetwork;

/// Counts the fields that are compared.
struct FieldCounts {
  template <class Struct>
  bool wants(std::size_t /*number*/, bool /*is_implied*/) {
    ++compared;
    return false;
  }
  void same(std::uint64_t) {}
  void time(Picoseconds&) {}
  int compared = 0;
};

struct Pair {
  std::uint32_t first = 1;
  std::uint32_t second = 2;

  template <class F>
  auto fields(F f) {
    return f.same(first).derived(second, "it follows from the first");
  }
};

TEST(StateFields, AreCountedWithBaseClassesAndBitFields) {
  struct WithBits {
    bool a : 1 = true;
    bool b : 1 = false;
    std::vector<int> list;
    std::array<int, 3> array{};
  };
  struct Derived : Pair {
    int third = 3;
  };
  EXPECT_EQ(protocols::kFieldCount<Pair>, 2U);
  EXPECT_EQ(protocols::kFieldCount<WithBits>, 4U);
  EXPECT_EQ(protocols::kFieldCount<Derived>, 2U);
}

TEST(StateFields, WhatIsDerivedIsNotCompared) {
  Pair pair;
  FieldCounts counts;
  protocols::visit_fields(pair, counts);
  EXPECT_EQ(counts.compared, 1);
}

/// A star of two hosts on credits, with nothing under way.
FlowRun idle_run() {
  PacketNetwork::Options options = plain_options();
  options.switches.data().flow_control = protocols::CreditConfig{};
  return {star(2, 100'000'000'000_bps, 1_us), options, {}};
}

// What is held can neither be negative nor be there when all is over; a NIC may hold what waits for
// a link that is down.
TEST(StateFields, AccountsAreNeitherNegativeNorLeftOver) {
  FlowRun run = idle_run();
  protocols::NetworkState& state = protocols::NetworkStateOf::network(run.network());
  ASSERT_TRUE(run.network().violated_invariants(true).empty());
  const std::uint32_t at_switch = state.switches[0].first_port;
  Bytes& held = state.queue(state.ports[at_switch], ClassId(0)).held;
  held = Bytes(-1);
  EXPECT_EQ(run.network().violated_invariants(false).size(), 1U);
  held = 64_B;
  EXPECT_TRUE(run.network().violated_invariants(false).empty());
  EXPECT_EQ(run.network().violated_invariants(true).size(), 1U);
  held = {};
  state.queue(state.ports[0], ClassId(0)).held = 64_B;  // a NIC's
  EXPECT_TRUE(run.network().violated_invariants(true).empty());
}

TEST(StateFields, ListsCountAsMemory) {
  FlowRun run = idle_run();
  protocols::NetworkState& state = protocols::NetworkStateOf::network(run.network());
  const std::size_t before = run.network().memory_bytes();
  state.ports[0].pauses.reserve(1'000);
  state.nics[0].paced.reserve(100);
  EXPECT_EQ(run.network().memory_bytes() - before,
            1'000 * sizeof(protocols::PauseInterval) + 100 * sizeof(protocols::NicState::Paced));
}

TEST(StateFields, AResetLeavesOrdinalsAndWhatIsHeld) {
  FlowRun run = idle_run();
  protocols::NetworkState& state = protocols::NetworkStateOf::network(run.network());
  protocols::PortState& port = state.ports[state.switches[0].first_port];
  protocols::ClassQueue& queue = state.queue(port, ClassId(0));
  queue.started = 7;
  queue.held = 64_B;
  queue.marked = queue.pauses_received = queue.stalls = 5;
  queue.stall_time = 3_us;
  queue.peak_bytes = 1_MiB;
  port.fault_drops = 2;
  state.account(port, ClassId(0)).drops = 4;
  state.switches[0].buffer_peak = 1_MiB;
  run.network().reset_statistics();
  EXPECT_EQ(queue.started, 7);
  EXPECT_EQ(queue.counted_from, 7);
  EXPECT_EQ(queue.held, 64_B);
  EXPECT_EQ(queue.marked, 0);
  EXPECT_EQ(queue.pauses_received + queue.stalls, 0U);
  EXPECT_EQ(queue.stall_time, 0_us);
  EXPECT_EQ(queue.peak_bytes, 0_B);
  EXPECT_EQ(port.fault_drops, 0);
  EXPECT_EQ(state.account(port, ClassId(0)).drops, 0U);
  EXPECT_EQ(state.switches[0].buffer_peak, 0_B);
}

/// Notes every field that is compared and not implied by others.
class ComparedFields {
 public:
  template <class Struct>
  bool wants(std::size_t number, bool is_implied) {
    if (is_implied) return false;
    const FieldId field{&typeid(Struct), number};
    for (const FieldId& known : fields) {
      if (*known.of == *field.of && known.number == number) return true;
    }
    fields.push_back(field);
    return true;
  }
  void same(std::uint64_t /*value*/) {}
  void time(Picoseconds& /*time*/) {}
  void future_time_or_past(Picoseconds& /*time*/) {}
  void absolute_time(Picoseconds& /*time*/) {}
  void translate_only(Picoseconds& /*time*/) {}
  void stamp(std::uint64_t& /*sent*/) {}
  void sequence(std::uint32_t& /*number*/, protocols::QueuePairId /*qp*/) {}
  void early(protocols::ReorderBuffer& /*buffer*/, std::uint32_t& /*expected*/,
             protocols::QueuePairId /*qp*/) {}
  void acknowledged(protocols::SenderState& /*sender*/, protocols::ReceiverState& /*receiver*/,
                    protocols::QueuePairId /*qp*/) {}
  void timer(Picoseconds& /*time*/, protocols::QueuePairId /*qp*/) {}
  [[nodiscard]] bool is_done() const { return false; }

  std::vector<FieldId> fields;
};

/// Messages between hosts of a star, or of a scale-up domain with several links each, on credits.
struct SkippedRun {
  topologies::TopologySpec topology;
  PacketNetwork::Options options;
  std::vector<Flow> flows;
  Picoseconds until;
};

topologies::TopologySpec draw_domain(std::uint32_t gpus, Draws& draws) {
  topologies::RackSpec rack;
  rack.server.gpus = gpus;
  rack.server.nics = 0;
  topologies::ScaleUpPart& part = rack.server.scale_up.emplace();
  part.switches = static_cast<std::uint32_t>(draws.between(1, 4));
  part.links_per_switch = {static_cast<std::uint32_t>(draws.between(1, 3))};
  part.rate = BitsPerSecond(draws.between(1, 4) * 100'000'000'000);
  return topologies::SingleDomainSpec{{rack}};
}

void draw_transport(protocols::RoceConfig& roce, Draws& draws) {
  roce.ack_every =
      static_cast<std::uint32_t>(draws.one_in(3) ? draws.between(50, 2'000) : draws.between(1, 5));
  if (draws.one_in(6)) roce.ack_every = protocols::RoceConfig::kMessage;
  roce.retransmit_timeout = Picoseconds(draws.between(100'000'000, 2'000'000'000));
  if (draws.one_in(2)) roce.receiver = protocols::RoceConfig::Receiver::kAnyOrder;
  if (draws.one_in(3)) roce.window = static_cast<std::uint32_t>(draws.between(8, 64));
}

SkippedRun draw_run(std::uint64_t seed) {
  Draws draws(seed);
  SkippedRun drawn;
  const auto hosts = static_cast<std::uint32_t>(draws.between(2, 6));
  drawn.options = plain_options();
  drawn.options.cut = LpPlan::Cut::kOne;
  if (draws.one_in(3)) {
    protocols::TrafficClass credits;
    credits.name = "scale-up";
    credits.network = NetworkKind::kScaleUp;
    credits.flow_control = protocols::CreditConfig{.buffer = 128_KiB, .update = 0_B};
    credits.ecn.enabled = false;
    drawn.options.switches.classes.push_back(credits);
    protocols::ScaleUpConfig domain;
    domain.traffic_class = ClassId(2);
    drawn.options.scale_up.push_back(domain);
    drawn.topology = draw_domain(hosts, draws);
  } else {
    drawn.options.switches.data().flow_control = protocols::CreditConfig{};
    draw_transport(roce_of(drawn.options), draws);
    const auto rate = BitsPerSecond(draws.between(1, 16) * 50'000'000'000);
    drawn.topology = star(hosts, rate, Picoseconds(draws.between(10'000, 2'000'000)));
  }
  if (draws.one_in(3)) {
    drawn.options.switches.forwarding = protocols::SwitchConfig::Forwarding::kCutThrough;
  }
  for (std::int64_t i = draws.between(1, 12); i-- > 0;) {
    const auto from = static_cast<std::uint32_t>(draws.below(hosts));
    const auto hop = static_cast<std::uint32_t>(1 + draws.below(hosts - 1));
    drawn.flows.push_back({HostId(from), HostId((from + hop) % hosts),
                           Bytes(draws.between(1, 6'000'000)),
                           Picoseconds(draws.between(0, 200'000'000))});
  }
  drawn.until = draws.one_in(3) ? Picoseconds(draws.between(1, 400'000'000)) : 10_s;
  return drawn;
}

/// What a run came to.
std::string outcome_of(const SkippedRun& c, bool skips) {
  PacketNetwork::Options options = c.options;
  options.skips = skips;
  FlowRun run(c.topology, options, c.flows);
  static_cast<void>(run.network().run_until(c.until));
  const protocols::NetworkTotals totals = run.network().totals();
  std::string text = std::to_string(run.network().last_event().count()) + " " +
                     std::to_string(totals.packet_hops) + " " +
                     std::to_string(run.network().packet_latency().max()) + " " +
                     std::to_string(totals.credit_stall_time.count());
  for (const protocols::MessageOutcome& m : run.messages()) {
    text += " " + std::to_string(m.delivered.value_or(Picoseconds(-1)).count());
  }
  return text;
}

/// Whether results are others where comparisons leave `field` out; in a process of its own, for
/// such runs may not end well.
bool matters(FieldId field, const std::vector<SkippedRun>& cases,
             const std::vector<std::string>& outcomes) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    protocols::masked_field = field;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (outcome_of(cases[i], true) != outcomes[i]) ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return false;
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

TEST(StateFields, EachThatIsComparedMatters) {
  std::vector<SkippedRun> cases;
  std::vector<std::string> outcomes;
  ComparedFields compared;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    cases.push_back(draw_run(seed));
    outcomes.push_back(outcome_of(cases.back(), false));
    ASSERT_EQ(outcome_of(cases.back(), true), outcomes.back()) << "seed " << seed;
    FlowRun run(cases.back().topology, cases.back().options, cases.back().flows);
    static_cast<void>(run.network().run_until(100_us));
    protocols::NetworkState& state = protocols::NetworkStateOf::network(run.network());
    protocols::LivePartFinder finder(state);
    const protocols::LivePart part = finder.find();
    protocols::StateTraversal(state, protocols::NetworkStateOf::process(run.network()), part,
                              run.network().now(), compared)
        .run();
  }
  EXPECT_GE(compared.fields.size(), 3U);
  for (const FieldId& field : compared.fields) {
    EXPECT_TRUE(matters(field, cases, outcomes)) << field.of->name() << " field " << field.number;
  }
}

}  // namespace
}  // namespace weft::testing
