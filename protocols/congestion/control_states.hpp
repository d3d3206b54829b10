#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "protocols/congestion/path_controls.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// Which control a transport has, and with which parameters.
struct ControlRef {
  std::uint8_t control = 0;     ///< number in the list
  std::uint8_t parameters = 0;  ///< number among those of this control
  Needs needs{};

  [[nodiscard]] bool is_none() const { return control == 0; }
};

/// The controls of a run: parameters by transport, states by queue pair, each control's in arrays
/// of its own. A call finds its control by comparing its number, which is the same for long
/// stretches of a run; nothing is virtual. Packet paths know the controls of `PathControls` alone,
/// so that editing another one recompiles no path.
class ControlStates {
 public:
  /// Slot of a queue pair without control.
  static constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();

  ControlStates();
  ControlStates(const ControlStates&) = delete;
  ControlStates& operator=(const ControlStates&) = delete;
  ControlStates(ControlStates&&) noexcept;
  ControlStates& operator=(ControlStates&&) noexcept;
  ~ControlStates();

  /// A transport with this control.
  ControlRef add(const ControlConfig& config);

  /// A queue pair of such a transport; returns the slot of its state at both ends.
  /// `is_restarted`: it will begin again.
  std::uint32_t start(ControlRef ref, const FlowStart& flow, bool is_restarted = false);

  /// The sender's state is as it was at first; returns its window.
  std::uint32_t restart_sender(ControlRef ref, std::uint32_t slot);
  void restart_receiver(ControlRef ref, std::uint32_t slot);

  // What the sender's part does about events, caught up to their time (on_timer). There must be a
  // control.

  struct Sent {
    Picoseconds next;             ///< when the next packet may follow
    const void* state = nullptr;  ///< where the state lies, to ask for its memory
  };
  /// The transmission of `bytes` begins.
  [[gnu::always_inline]] Sent on_sent(ControlRef ref, std::uint32_t slot, Bytes bytes,
                                      Picoseconds now) {
    Sent sent;
    const bool is_here = find_in_paths(ref.control, [&]<class C>(Group<C>& group) {
      sent = on_sent(group, ref, slot, bytes, now);
    });
    return is_here ? sent : on_sent_elsewhere(ref, slot, bytes, now);
  }

  struct Change {
    std::uint32_t window = kNoWindow;  ///< packets that may be in flight
    Picoseconds delay{};  ///< by which the packet that waits goes later (Needs::repaces)
  };
  Change on_ack(ControlRef ref, std::uint32_t slot, const Acknowledgement& ack, Picoseconds now);
  Change on_notified(ControlRef ref, std::uint32_t slot, Picoseconds now);
  Change on_loss(ControlRef ref, std::uint32_t slot, LossSignal signal, Picoseconds now);

  [[nodiscard]] std::uint32_t window(ControlRef ref, std::uint32_t slot) const;
  /// The values of the control's columns at `now`, at the beginning of `values`.
  void sample(ControlRef ref, std::uint32_t slot, Picoseconds now, std::span<std::int64_t> values);

  /// What the receiver's part does about a marked packet.
  [[nodiscard]] MarkResponse on_marked(ControlRef ref, std::uint32_t slot, Picoseconds now);

  /// Of controls that count bytes: `use(control, parameters)` with the state of a context.
  template <class Use>
  [[gnu::always_inline]] void at_context(ControlRef ref, std::uint32_t slot, Use use) {
    find_in_paths(ref.control, [&]<class C>(Group<C>& group) {
      if constexpr (CountsBytes<C>) use(group.senders[slot], group.parameters[ref.parameters]);
    });
  }

  /// Of controls whose receivers grant credit: `use(control, parameters)` with the state of a
  /// sender, of its receiver, or of a port.
  template <class Use>
  void at_granted(ControlRef ref, std::uint32_t slot, Use use) {
    find_granting(ref.control, [&]<class C>(Group<C>& group) {
      use(group.senders[slot], group.parameters[ref.parameters]);
    });
  }
  template <class Use>
  void at_granting(ControlRef ref, std::uint32_t slot, Use use) {
    find_granting(ref.control, [&]<class C>(Group<C>& group) {
      use(group.receivers[slot], group.parameters[ref.parameters]);
    });
  }
  template <class Use>
  void at_port(ControlRef ref, std::uint32_t port, Use use) {
    find_granting(ref.control, [&]<class C>(Group<C>& group) {
      use(group.ports[port], group.parameters[ref.parameters]);
    });
  }
  /// A given number of ports will grant.
  void start_ports(ControlRef ref, std::size_t ports) {
    find_granting(ref.control, [&]<class C>(Group<C>& group) { group.ports.resize(ports); });
  }

  /// What the state at both ends of a queue pair takes.
  [[nodiscard]] static std::size_t bytes_per_queue_pair(const ControlConfig& config);

  void place_in_huge_pages();
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  template <class C>
  struct Group {
    std::vector<typename C::Parameters> parameters;
    std::vector<C> senders;
    std::vector<typename C::Receiver> receivers;
    std::vector<C> first;  ///< what senders begin with, where they begin again
    std::vector<typename PortStateOf<C>::Type> ports;  ///< by PortId, where ports grant credit

    [[nodiscard]] std::size_t memory_bytes() const {
      return (senders.capacity() + first.capacity()) * sizeof(C) +
             receivers.capacity() * sizeof(typename C::Receiver) +
             ports.capacity() * sizeof(ports[0]);
    }
  };
  /// Those of all controls; of `PathControls` it holds none.
  struct Groups;

  template <class C>
  [[gnu::always_inline]] static Sent on_sent(Group<C>& group, ControlRef ref, std::uint32_t slot,
                                             Bytes bytes, Picoseconds now) {
    C& control = group.senders[slot];
    const typename C::Parameters& p = group.parameters[ref.parameters];
    control.on_timer(p, now);
    return {control.on_sent(p, bytes, now), &control};
  }
  Sent on_sent_elsewhere(ControlRef ref, std::uint32_t slot, Bytes bytes, Picoseconds now);

  /// `use(group)` with that of a control; false where paths do not know it.
  template <class Use>
  [[gnu::always_inline]] bool find_in_paths(std::uint8_t control, Use use) {
    return std::apply(
        [&]<class... C>(Group<C>&... group) {
          return ((control == number_of<C>() && (use(group), true)) || ...);
        },
        in_paths_);
  }
  template <class Use>
  void find_granting(std::uint8_t control, Use use) {
    find_in_paths(control, [&]<class C>(Group<C>& group) {
      if constexpr (GrantsCredit<C>) use(group);
    });
  }

  PathControls::Each<Group> in_paths_;
  std::unique_ptr<Groups> others_;
};

}  // namespace weft::protocols::congestion
