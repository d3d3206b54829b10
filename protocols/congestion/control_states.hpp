#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "protocols/congestion/list.hpp"
#include "simcore/base/units.hpp"
#include "simcore/engine/huge_pages.hpp"

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
/// stretches of a run; nothing is virtual.
class ControlStates {
 public:
  /// Slot of a queue pair without control.
  static constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();

  /// A transport with this control.
  ControlRef add(const ControlConfig& config) {
    ControlRef ref{.control = static_cast<std::uint8_t>(config.index()),
                   .needs = requirements_of(config)};
    find(ref.control, [&]<class C>(Group<C>& group) {
      ref.parameters = static_cast<std::uint8_t>(group.parameters.size());
      group.parameters.emplace_back(std::get<typename C::Config>(config));
    });
    return ref;
  }

  /// A queue pair of such a transport; returns the slot of its state at both ends.
  /// `is_restarted`: it will begin again.
  std::uint32_t start(ControlRef ref, const FlowStart& flow, bool is_restarted = false) {
    std::uint32_t slot = kNoSlot;
    find(ref.control, [&]<class C>(Group<C>& group) {
      slot = static_cast<std::uint32_t>(group.senders.size());
      group.senders.emplace_back().start(group.parameters[ref.parameters], flow);
      group.receivers.emplace_back();
      if (!is_restarted) return;
      group.first.resize(group.senders.size());
      group.first[slot] = group.senders[slot];
    });
    return slot;
  }

  /// The sender's state is as it was at first; returns its window.
  std::uint32_t restart_sender(ControlRef ref, std::uint32_t slot) {
    std::uint32_t window = kNoWindow;
    find(ref.control, [&]<class C>(Group<C>& group) {
      if constexpr (GrantsCredit<C>) {
        group.senders[slot].begin();  // totals run on
      } else {
        group.senders[slot] = group.first[slot];
      }
      window = group.senders[slot].window(group.parameters[ref.parameters]);
    });
    return window;
  }
  void restart_receiver(ControlRef ref, std::uint32_t slot) {
    find(ref.control, [&]<class C>(Group<C>& group) {
      if constexpr (!GrantsCredit<C>) group.receivers[slot] = {};
    });
  }

  /// `use(control, parameters)` with the state of a sender, caught up to `now`.
  template <class Use>
  [[gnu::always_inline]] void at_sender(ControlRef ref, std::uint32_t slot, Picoseconds now,
                                        Use use) {
    find(ref.control, [&]<class C>(Group<C>& group) {
      C& control = group.senders[slot];
      const typename C::Parameters& parameters = group.parameters[ref.parameters];
      control.on_timer(parameters, now);
      use(control, parameters);
    });
  }

  /// Of controls that count bytes: `use(control, parameters)` with the state of a context.
  template <class Use>
  [[gnu::always_inline]] void at_context(ControlRef ref, std::uint32_t slot, Use use) {
    find(ref.control, [&]<class C>(Group<C>& group) {
      if constexpr (CountsBytes<C>) use(group.senders[slot], group.parameters[ref.parameters]);
    });
  }

  /// What the receiver's part does about a marked packet.
  [[nodiscard]] MarkResponse on_marked(ControlRef ref, std::uint32_t slot, Picoseconds now) {
    MarkResponse answer = MarkResponse::kNothing;
    find(ref.control, [&]<class C>(Group<C>& group) {
      answer = group.receivers[slot].on_marked(group.parameters[ref.parameters], now);
    });
    return answer;
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

  /// Where the state of a sender lies, to ask for its memory.
  [[nodiscard]] const void* place(ControlRef ref, std::uint32_t slot) {
    const void* at = nullptr;
    find(ref.control, [&]<class C>(Group<C>& group) { at = &group.senders[slot]; });
    return at;
  }

  void place_in_huge_pages() {
    std::apply(
        [](auto&... group) {
          (prefer_huge_pages(group.senders), ...);
          (prefer_huge_pages(group.receivers), ...);
        },
        groups_);
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    return std::apply([](const auto&... group) { return (group.memory_bytes() + ...); }, groups_);
  }

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

  /// `use(group)` with that of a control; nothing for the first, which has no state.
  template <std::size_t I = 1, class Use>
  [[gnu::always_inline]] void find(std::uint8_t control, Use use) {
    if constexpr (I < Controls::kCount) {
      if (control == I) {
        use(std::get<I>(groups_));
      } else {
        find<I + 1>(control, use);
      }
    }
  }

  template <class Use>
  void find_granting(std::uint8_t control, Use use) {
    find(control, [&]<class C>(Group<C>& group) {
      if constexpr (GrantsCredit<C>) use(group);
    });
  }

  Controls::Each<Group> groups_;
};

}  // namespace weft::protocols::congestion
