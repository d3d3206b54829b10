#include "protocols/congestion/control_states.hpp"

#include <utility>

#include "protocols/congestion/list.hpp"
#include "simcore/engine/huge_pages.hpp"

namespace weft::protocols::congestion {

struct ControlStates::Groups {
  Controls::Each<Group> groups;

  template <class C, class States>
  static auto& of(States& states) {
    if constexpr (PathControls::has<C>()) {
      return std::get<Group<C>>(states.in_paths_);
    } else {
      return std::get<Group<C>>(states.others_->groups);
    }
  }

  /// `use.template operator()<C>(group)` with that of a control; nothing for the first, which has
  /// no state.
  template <std::size_t I = 1, class States, class Use>
  [[gnu::always_inline]] static void find(States& states, std::uint8_t control, Use use) {
    if constexpr (I < Controls::kCount) {
      using C = Controls::Nth<I>;
      if (control == I) {
        use.template operator()<C>(of<C>(states));
      } else {
        find<I + 1>(states, control, use);
      }
    }
  }

  /// `say(control, parameters)` with the state of a sender, caught up to `now`; what changes by
  /// that.
  template <class Say>
  [[gnu::always_inline]] static Change tell(ControlStates& states, ControlRef ref,
                                            std::uint32_t slot, Picoseconds now, Say say) {
    Change change;
    find(states, ref.control, [&]<class C>(Group<C>& group) {
      C& control = group.senders[slot];
      const typename C::Parameters& p = group.parameters[ref.parameters];
      control.on_timer(p, now);
      if constexpr (Repaces<C>) {
        const Picoseconds before = ref.needs.repaces ? control.gap() : Picoseconds();
        say(control, p);
        if (ref.needs.repaces) change.delay = control.gap() - before;
      } else {
        say(control, p);
      }
      change.window = control.window(p);
    });
    return change;
  }
};

ControlStates::ControlStates() : others_(std::make_unique<Groups>()) {}
ControlStates::ControlStates(ControlStates&&) noexcept = default;
ControlStates& ControlStates::operator=(ControlStates&&) noexcept = default;
ControlStates::~ControlStates() = default;

ControlRef ControlStates::add(const ControlConfig& config) {
  ControlRef ref{.control = static_cast<std::uint8_t>(config.index()),
                 .needs = requirements_of(config)};
  Groups::find(*this, ref.control, [&]<class C>(Group<C>& group) {
    ref.parameters = static_cast<std::uint8_t>(group.parameters.size());
    group.parameters.emplace_back(std::get<typename C::Config>(config));
  });
  return ref;
}

std::uint32_t ControlStates::start(ControlRef ref, const FlowStart& flow, bool is_restarted) {
  std::uint32_t slot = kNoSlot;
  Groups::find(*this, ref.control, [&]<class C>(Group<C>& group) {
    slot = static_cast<std::uint32_t>(group.senders.size());
    group.senders.emplace_back().start(group.parameters[ref.parameters], flow);
    group.receivers.emplace_back();
    if (!is_restarted) return;
    group.first.resize(group.senders.size());
    group.first[slot] = group.senders[slot];
  });
  return slot;
}

std::uint32_t ControlStates::restart_sender(ControlRef ref, std::uint32_t slot) {
  std::uint32_t window = kNoWindow;
  Groups::find(*this, ref.control, [&]<class C>(Group<C>& group) {
    if constexpr (GrantsCredit<C>) {
      group.senders[slot].begin();  // totals run on
    } else {
      group.senders[slot] = group.first[slot];
    }
    window = group.senders[slot].window(group.parameters[ref.parameters]);
  });
  return window;
}

void ControlStates::restart_receiver(ControlRef ref, std::uint32_t slot) {
  Groups::find(*this, ref.control, [&]<class C>(Group<C>& group) {
    if constexpr (!GrantsCredit<C>) group.receivers[slot] = {};
  });
}

ControlStates::Sent ControlStates::on_sent_elsewhere(ControlRef ref, std::uint32_t slot,
                                                     Bytes bytes, Picoseconds now) {
  Sent sent;
  Groups::find(*this, ref.control, [&]<class C>(Group<C>& group) {
    if constexpr (!PathControls::has<C>()) sent = on_sent(group, ref, slot, bytes, now);
  });
  return sent;
}

ControlStates::Change ControlStates::on_ack(ControlRef ref, std::uint32_t slot,
                                            const Acknowledgement& ack, Picoseconds now) {
  return Groups::tell(*this, ref, slot, now,
                      [&](auto& control, const auto& p) { control.on_ack(p, ack, now); });
}

ControlStates::Change ControlStates::on_notified(ControlRef ref, std::uint32_t slot,
                                                 Picoseconds now) {
  return Groups::tell(*this, ref, slot, now,
                      [&](auto& control, const auto& p) { control.on_notified(p, now); });
}

ControlStates::Change ControlStates::on_loss(ControlRef ref, std::uint32_t slot, LossSignal signal,
                                             Picoseconds now) {
  return Groups::tell(*this, ref, slot, now,
                      [&](auto& control, const auto& p) { control.on_loss(p, signal, now); });
}

std::uint32_t ControlStates::window(ControlRef ref, std::uint32_t slot) const {
  std::uint32_t window = kNoWindow;
  Groups::find(*this, ref.control, [&]<class C>(const Group<C>& group) {
    window = group.senders[slot].window(group.parameters[ref.parameters]);
  });
  return window;
}

void ControlStates::sample(ControlRef ref, std::uint32_t slot, Picoseconds now,
                           std::span<std::int64_t> values) {
  Groups::find(*this, ref.control, [&]<class C>(Group<C>& group) {
    C& control = group.senders[slot];
    const typename C::Parameters& p = group.parameters[ref.parameters];
    control.on_timer(p, now);
    control.sample(p, values.first<C::kColumns.size()>());
  });
}

MarkResponse ControlStates::on_marked(ControlRef ref, std::uint32_t slot, Picoseconds now) {
  MarkResponse response = MarkResponse::kNothing;
  Groups::find(*this, ref.control, [&]<class C>(Group<C>& group) {
    response = group.receivers[slot].on_marked(group.parameters[ref.parameters], now);
  });
  return response;
}

std::size_t ControlStates::bytes_per_queue_pair(const ControlConfig& config) {
  std::size_t bytes = 0;
  Controls::for_each([&]<class C>() {
    const bool has_state = number_of<C>() > 0;
    if (has_state && number_of<C>() == config.index()) {
      bytes = sizeof(C) + sizeof(typename C::Receiver);
    }
  });
  return bytes;
}

void ControlStates::place_in_huge_pages() {
  Controls::for_each([&]<class C>() {
    auto& group = Groups::of<C>(*this);
    prefer_huge_pages(group.senders);
    prefer_huge_pages(group.receivers);
  });
}

std::size_t ControlStates::memory_bytes() const {
  std::size_t bytes = 0;
  Controls::for_each([&]<class C>() { bytes += Groups::of<C>(*this).memory_bytes(); });
  return bytes;
}

}  // namespace weft::protocols::congestion
