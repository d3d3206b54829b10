#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "protocols/packet/ids.hpp"
#include "protocols/path_selection/list.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::path_selection {

/// Which choice a transport has, and with which parameters.
struct ChoiceRef {
  std::uint8_t choice = 0;      ///< number in the list
  std::uint8_t parameters = 0;  ///< number among those of this choice

  [[nodiscard]] bool is_fixed() const { return choice == 0; }
};

/// The entropy that a packet with this value carries, where the queue pair's own is `of_pair`. An
/// ACK travels with that of the packet that it answers, in which the value lies as it is.
[[nodiscard]] constexpr std::uint32_t with_value(std::uint32_t of_pair, std::uint32_t value) {
  const auto drawn = static_cast<std::uint32_t>(mix64(of_pair, value));
  return (drawn & ~(kMaxValues - 1)) | value;
}
[[nodiscard]] constexpr std::uint32_t value_in(std::uint32_t entropy) {
  return entropy & (kMaxValues - 1);
}

/// The choices of a run: parameters by transport, states by queue pair, each choice's in arrays of
/// its own. Nothing is virtual.
class ChoiceStates {
 public:
  /// A transport with this choice. `tells_values`: it says by which value a lost packet went.
  ChoiceRef add(const ChoiceConfig& config, bool tells_values) {
    ChoiceRef ref{.choice = static_cast<std::uint8_t>(config.index())};
    find(ref.choice, [&]<class C>(Group<C>& group) {
      ref.parameters = static_cast<std::uint8_t>(group.parameters.size());
      auto& parameters = group.parameters.emplace_back(std::get<typename C::Config>(config));
      if constexpr (requires { parameters.set_remembers(true); }) {
        parameters.set_remembers(!tells_values);
      }
    });
    return ref;
  }

  /// Queue pair `qp` of such a transport, with this entropy, whose packets select one of `planes`.
  void start(ChoiceRef ref, QueuePairId qp, std::uint32_t of_pair, std::uint32_t planes) {
    if (slots_.size() <= qp.value()) slots_.resize(qp.value() + std::size_t{1}, kNoSlot);
    find(ref.choice, [&]<class C>(Group<C>& group) {
      slots_[qp] = static_cast<std::uint32_t>(group.senders.size());
      C& choice = group.senders.emplace_back();
      if constexpr (ProbesPaths<C>) {
        choice.start(group.parameters[ref.parameters], of_pair, planes);
      } else {
        choice.start(group.parameters[ref.parameters], of_pair);
      }
    });
  }

  /// Of the packet that is about to be sent, by the plane `plane()`.
  template <class Plane>
  [[nodiscard]] std::uint32_t next(ChoiceRef ref, QueuePairId qp, std::uint32_t of_pair,
                                   std::uint32_t sequence, Picoseconds now, Plane plane) {
    std::uint32_t value = 0;
    find(ref.choice, [&]<class C>(Group<C>& group) {
      C& choice = group.senders[slots_[qp]];
      const auto& parameters = group.parameters[ref.parameters];
      if constexpr (ProbesPaths<C>) {
        value = choice.next(parameters, sequence, now, plane());
      } else {
        value = choice.next(parameters, sequence, now);
      }
    });
    return with_value(of_pair, value);
  }
  // What a value that changed its state by it became, where the choice keeps states.

  std::optional<ChangedPath> on_ack(ChoiceRef ref, QueuePairId qp, const AckedPacket& answer,
                                    Picoseconds now) {
    return tell(ref, qp, [&](auto& choice, const auto& p) { choice.on_ack(p, answer, now); });
  }
  std::optional<ChangedPath> on_loss(ChoiceRef ref, QueuePairId qp, std::uint32_t sequence,
                                     LossSignal signal, Picoseconds now) {
    return tell(ref, qp,
                [&](auto& choice, const auto& p) { choice.on_loss(p, sequence, signal, now); });
  }
  std::optional<ChangedPath> on_path_loss(ChoiceRef ref, QueuePairId qp, std::uint32_t value,
                                          LossSignal signal, Picoseconds now) {
    return tell(ref, qp,
                [&](auto& choice, const auto& p) { choice.on_path_loss(p, value, signal, now); });
  }

  /// `use(choice, parameters)` where the choice probes paths.
  template <class Use>
  void at_prober(ChoiceRef ref, QueuePairId qp, Use use) {
    find(ref.choice, [&]<class C>(Group<C>& group) {
      if constexpr (ProbesPaths<C>) {
        use(group.senders[slots_[qp]], std::as_const(group.parameters[ref.parameters]));
      }
    });
  }

  [[nodiscard]] std::size_t memory_bytes() const {
    return slots_.capacity() * sizeof(std::uint32_t) +
           std::apply([](const auto&... group) { return (group.memory_bytes() + ...); }, groups_);
  }

 private:
  static constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();

  template <class C>
  struct Group {
    std::vector<typename C::Parameters> parameters;
    std::vector<C> senders;

    [[nodiscard]] std::size_t memory_bytes() const { return senders.capacity() * sizeof(C); }
  };

  template <class Tell>
  std::optional<ChangedPath> tell(ChoiceRef ref, QueuePairId qp, Tell tell) {
    std::optional<ChangedPath> changed;
    find(ref.choice, [&]<class C>(Group<C>& group) {
      C& choice = group.senders[slots_[qp]];
      tell(choice, std::as_const(group.parameters[ref.parameters]));
      if constexpr (ProbesPaths<C>) changed = choice.take_change();
    });
    return changed;
  }
  /// `use(group)` with that of a choice; nothing for the first, which has no state.
  template <std::size_t I = 1, class Use>
  void find(std::uint8_t choice, Use use) {
    if constexpr (I < Choices::kCount) {
      if (choice == I) {
        use(std::get<I>(groups_));
      } else {
        find<I + 1>(choice, use);
      }
    }
  }

  Choices::Each<Group> groups_;
  IdVector<QueuePairId, std::uint32_t> slots_;
};

}  // namespace weft::protocols::path_selection
