#pragma once

#include <bit>
#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/state/network_state.hpp"
#include "simcore/base/random.hpp"

namespace weft::protocols {

/// Who is matched with whom in a switch that queues at its inputs. An input sends one packet at a
/// time, the head of one of its FIFOs; an output serves one input at a time, chosen round robin or
/// at random among those whose head wants it (M. Karol, M. Hluchyj, S. Morgan, "Input Versus Output
/// Queueing on a Space-Division Packet Switch", 1987, section III).
///
/// Matching happens after everything else of the same instant: inputs and outputs that become free
/// together are matched together, whatever their numbers.
class CrossbarArbiter {
 public:
  explicit CrossbarArbiter(NetworkState& state) : s_(state) {}

  /// Inputs whose head of class `c` goes to `output`.
  [[nodiscard]] std::uint64_t& requests(std::uint32_t at, std::uint32_t output, ClassId c) const {
    return s_.crossbars[at].requests[output * s_.constants.classes + c.value()];
  }
  /// The head of class `c` at `input` (a port of the switch) now wants `output`.
  void request(const Here& here, std::uint32_t at, std::uint32_t input, std::uint32_t output,
               ClassId c) {
    requests(at, output, c) |= bit(input);
    check_output(here, at, output);
  }
  /// The head of class `c` at `input` is gone.
  void withdraw(std::uint32_t at, std::uint32_t input, std::uint32_t output, ClassId c) {
    requests(at, output, c) &= ~bit(input);
  }
  void occupy_input(std::uint32_t at, std::uint32_t input) {
    s_.crossbars[at].busy_inputs |= bit(input);
  }
  /// `input` has sent its packet: what its FIFOs hold next may go.
  void free_input(const Here& here, std::uint32_t at, std::uint32_t input) {
    const SwitchState& sw = s_.switches[at];
    s_.crossbars[at].busy_inputs &= ~bit(input);
    const PortState& port = s_.ports[sw.first_port + input];
    for (unsigned set = port.waiting; set != 0; set &= set - 1) {
      check_output(here, at, waiting_port(s_.queue(port, lowest_class(set)).packets.front()));
    }
  }
  /// Something changed at `output`: the next arbitration considers it.
  void check_output(const Here& here, std::uint32_t at, std::uint32_t output) {
    Crossbar& x = s_.crossbars[at];
    x.changed_outputs |= bit(output);
    if (x.is_scheduled) return;
    x.is_scheduled = true;
    const auto type = static_cast<std::uint32_t>(EventType::kArbitrate);
    schedule(here.lp,
             {.time = here.now,
              .order = CalendarEvent::make_order(EventPriority::kControl, type, at, x.rounds++),
              .type = type,
              .target = at});
  }

  /// Inputs that could send to `output` in class `c` now.
  [[nodiscard]] std::uint64_t candidates(std::uint32_t at, std::uint32_t output, ClassId c) const {
    return requests(at, output, c) & ~s_.crossbars[at].busy_inputs;
  }
  /// One of `candidates`, which is not empty.
  std::uint32_t choose_input(std::uint32_t at, std::uint32_t output, std::uint64_t candidates) {
    Crossbar& x = s_.crossbars[at];
    if (s_.constants.random_arbitration) {
      const RandomStream random(s_.constants.seed, Purpose::kArbitration, at);
      const auto count = static_cast<std::uint64_t>(std::popcount(candidates));
      for (std::uint64_t left = random.below(x.draws++, count); left > 0; --left) {
        candidates &= candidates - 1;
      }
      return static_cast<std::uint32_t>(std::countr_zero(candidates));
    }
    const std::uint64_t after = candidates & ~((std::uint64_t{2} << x.last_input[output]) - 1);
    const auto input =
        static_cast<std::uint32_t>(std::countr_zero(after != 0 ? after : candidates));
    x.last_input[output] = static_cast<std::uint8_t>(input);
    return input;
  }

 private:
  [[nodiscard]] static std::uint64_t bit(std::uint32_t port) { return std::uint64_t{1} << port; }

  NetworkState& s_;
};

}  // namespace weft::protocols
