#include "simcore/messages/zero_load_network.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace weft {
namespace {

/// Writes down what happens; `act` is what processes do at the start.
class Recorder final : public ProcessHandler {
 public:
  std::function<void(ProcessContext&, ProcessId)> act;
  std::vector<std::string> log;

  void on_start(ProcessContext& context, ProcessId self) override { act(context, self); }
  void on_delivered(ProcessContext& context, ProcessId self, ConnectionId c) override {
    add(context, self, "delivered " + std::to_string(c.value()));
  }
  void on_acknowledged(ProcessContext& context, ProcessId self, ConnectionId c) override {
    add(context, self, "acknowledged " + std::to_string(c.value()));
  }
  void on_wake(ProcessContext& context, ProcessId self, std::uint64_t token) override {
    add(context, self, "wake " + std::to_string(token));
  }
  void on_control_event(ProcessContext& context, ProcessId self, ProcessId from,
                        std::uint64_t token) override {
    add(context, self, "signal " + std::to_string(token) + " from " + std::to_string(from.value()));
  }

 private:
  void add(const ProcessContext& context, ProcessId self, const std::string& what) {
    log.push_back(std::to_string(context.now().count()) + " p" + std::to_string(self.value()) +
                  " " + what);
  }
};

const std::vector<Connection> kThere = {{ProcessId(0U), ProcessId(1U), 0}};

TEST(ZeroLoadNetwork, TakesTheTimesItIsGiven) {
  Recorder recorder;
  recorder.act = [](ProcessContext& context, ProcessId self) {
    if (self.value() == 0) {
      context.post(ConnectionId(0U), 100_B);
      context.post(ConnectionId(0U), 10_B);
    }
    if (self.value() == 1) context.send_control_event(ProcessId(0U), 7);
  };
  ZeroLoadNetwork network(
      2, kThere,
      [](ConnectionId, Bytes size) {
        return ZeroLoadNetwork::Delay{Picoseconds(size.count()), Picoseconds(size.count() + 5)};
      },
      Picoseconds(50));
  EXPECT_EQ(network.run(recorder), Picoseconds(105));
  EXPECT_EQ(recorder.log, (std::vector<std::string>{"10 p1 delivered 0", "15 p0 acknowledged 0",
                                                    "50 p0 signal 7 from 1", "100 p1 delivered 0",
                                                    "105 p0 acknowledged 0"}));
}

// Everything happens at 9 ps: deliveries, acknowledgements, control events, wakes; by process
// within a kind; in the order they were asked for within a process.
TEST(ZeroLoadNetwork, OrdersWhatHappensAtTheSameTime) {
  Recorder recorder;
  recorder.act = [](ProcessContext& context, ProcessId self) {
    context.wake_at(Picoseconds(9), 10 + self.value());
    context.wake_at(Picoseconds(9), 20 + self.value());
    context.send_control_event(ProcessId(1 - self.value()), self.value());
    context.post(ConnectionId(self.value()), 1_B);
  };
  ZeroLoadNetwork network(
      2, {{ProcessId(0U), ProcessId(1U), 0}, {ProcessId(1U), ProcessId(0U), 0}},
      [](ConnectionId, Bytes) {
        return ZeroLoadNetwork::Delay{Picoseconds(9), Picoseconds(9)};
      },
      Picoseconds(9));
  network.run(recorder);
  EXPECT_EQ(recorder.log, (std::vector<std::string>{
                              "9 p0 delivered 1", "9 p1 delivered 0", "9 p0 acknowledged 0",
                              "9 p1 acknowledged 1", "9 p0 signal 1 from 1", "9 p1 signal 0 from 0",
                              "9 p0 wake 10", "9 p0 wake 20", "9 p1 wake 11", "9 p1 wake 21"}));
}

TEST(ZeroLoadNetwork, StopsBeforeTheLimit) {
  Recorder recorder;
  recorder.act = [](ProcessContext& context, ProcessId) {
    context.wake_at(1_ns, 1);
    context.wake_at(2_ns, 2);
  };
  ZeroLoadNetwork network(1, {}, ZeroLoadNetwork::DelayOf{}, 1_ns);
  EXPECT_EQ(network.run(recorder, 2_ns), 1_ns);
  EXPECT_EQ(recorder.log, std::vector<std::string>{"1000 p0 wake 1"});
}

TEST(ZeroLoadNetwork, AcknowledgesNothingIfTheTransportDoesNot) {
  Recorder recorder;
  recorder.act = [](ProcessContext& context, ProcessId self) {
    if (self.value() == 0) context.post(ConnectionId(0U), 1_B);
  };
  ZeroLoadNetwork network(
      2, kThere,
      [](ConnectionId, Bytes) {
        return ZeroLoadNetwork::Delay{Picoseconds(3), std::nullopt};
      },
      1_ns);
  network.run(recorder);
  EXPECT_EQ(recorder.log, std::vector<std::string>{"3 p1 delivered 0"});
}

}  // namespace
}  // namespace weft
