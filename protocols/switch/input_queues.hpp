#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/state/network_state.hpp"
#include "protocols/switch/crossbar.hpp"

namespace weft::protocols {

/// A switch whose packets wait at its inputs, until the crossbar has matched their input to their
/// output. `Switch` takes packets out of queues and puts them on the wire.
template <class Path, class Switch>
class InputQueues {
 public:
  static constexpr bool kMayBe = Path::has(Feature::kInputQueues);

  InputQueues(NetworkState& state, Switch& owner)
      : s_(state), switch_(owner), arbiter_(state), scheduler_(state) {}

  /// Whether packets of this run wait there.
  [[nodiscard]] bool are_used() const { return kMayBe && s_.constants.input_queued; }

  /// A packet for `output` has come to the head of class `c` at `input`.
  void request(const Here& here, std::uint32_t at, std::uint32_t input, std::uint32_t output,
               ClassId c) {
    arbiter_.request(here, at, input, output, c);
  }
  /// `input` has sent its packet.
  void free_input(const Here& here, std::uint32_t at, std::uint32_t input) {
    arbiter_.free_input(here, at, input);
  }
  /// Something changed at `output`.
  void check_output(const Here& here, std::uint32_t at, std::uint32_t output) {
    arbiter_.check_output(here, at, output);
  }

  /// Matches inputs to outputs; after everything else that happens at this instant.
  void arbitrate(const Here& here, std::uint32_t at) {
    SwitchState& sw = s_.switches[at];
    Crossbar& x = s_.crossbars[at];
    x.is_scheduled = false;
    std::uint64_t outputs = x.changed_outputs;
    x.changed_outputs = 0;
    // Who goes first among outputs changes, for the sake of inputs that hold heads for several.
    const unsigned turn = x.rounds % sw.port_count;
    for (; outputs != 0;) {
      const std::uint64_t later = outputs >> turn << turn;
      const auto output =
          static_cast<std::uint32_t>(std::countr_zero(later != 0 ? later : outputs));
      outputs &= ~(std::uint64_t{1} << output);
      serve_output(here, sw, at, output);
    }
  }

 private:
  void serve_output(const Here& here, SwitchState& sw, std::uint32_t at, std::uint32_t output) {
    PortState& port = s_.ports[sw.first_port + output];
    if (port.is_down) {
      drop_heads(here, sw, at, output);
      return;
    }
    if (port.is_transmitting) return;
    std::uint32_t eligible = 0;
    for (const ClassId c : s_.constants.all_classes()) {
      if (arbiter_.candidates(at, output, c) != 0) eligible |= class_bit(c);
    }
    eligible &= ~static_cast<unsigned>(port.blocked);
    // Inputs are chosen after the class; with packets of several sizes, deficit round robin and
    // credits go by the first candidate, and the chosen input is charged for what it sends.
    const ClassId c = scheduler_.choose(here, port, eligible, [&](ClassId of) {
      return largest_head(sw, arbiter_.candidates(at, output, of), of);
    });
    if (c.is_none()) return;
    const std::uint32_t input =
        arbiter_.choose_input(at, output, arbiter_.candidates(at, output, c));
    ClassQueue& queue = s_.queue(s_.ports[sw.first_port + input], c);
    const Packet packet = take_head(here, sw, at, input, c);
    arbiter_.occupy_input(at, input);
    scheduler_.charge(port, c, packet.wire_size(), eligible);
    switch_.send(here, port, sw, queue, packet, input);
  }

  [[nodiscard]] Bytes largest_head(const SwitchState& sw, std::uint64_t inputs, ClassId c) {
    Bytes largest;
    for (; inputs != 0; inputs &= inputs - 1) {
      const auto input = static_cast<std::uint32_t>(std::countr_zero(inputs));
      const auto& packets = s_.queue(s_.ports[sw.first_port + input], c).packets;
      largest = std::max(largest, packets.front().wire_size());
    }
    return largest;
  }

  /// Takes the head of a FIFO and lets the next one ask for its output.
  Packet take_head(const Here& here, SwitchState& sw, std::uint32_t at, std::uint32_t input,
                   ClassId c) {
    PortState& in = s_.ports[sw.first_port + input];
    ClassQueue& queue = s_.queue(in, c);
    const Packet packet = switch_.take(here, in, queue, c);
    queue.packets.reclaim(here.worker.pool);
    arbiter_.withdraw(at, input, waiting_port(packet), c);
    if (!queue.packets.empty()) {
      arbiter_.request(here, at, input, waiting_port(queue.packets.front()), c);
    }
    return packet;
  }

  void drop_heads(const Here& here, SwitchState& sw, std::uint32_t at, std::uint32_t output) {
    for (const ClassId c : s_.constants.all_classes()) {
      std::uint64_t inputs = arbiter_.requests(at, output, c);
      for (; inputs != 0; inputs &= inputs - 1) {
        const auto input = static_cast<std::uint32_t>(std::countr_zero(inputs));
        ClassQueue& queue = s_.queue(s_.ports[sw.first_port + input], c);
        const Packet packet = take_head(here, sw, at, input, c);
        switch_.lose(here, s_.ports[sw.first_port + output], sw, packet, input, queue);
      }
    }
  }

  NetworkState& s_;
  Switch& switch_;
  CrossbarArbiter arbiter_;
  ClassScheduler<Path> scheduler_;
};

}  // namespace weft::protocols
