#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "protocols/path_selection/choice.hpp"
#include "protocols/path_selection/path_history.hpp"
#include "protocols/path_selection/sent_values.hpp"
#include "simcore/base/hash.hpp"

namespace weft::protocols::path_selection {

struct EvStatesConfig {
  std::uint32_t values = 256;
  /// Of these, which take the place of bad ones. Absent: an eighth.
  std::optional<std::uint32_t> reserve{};
  /// Values in use, at least. Absent: a fourth.
  std::optional<std::uint32_t> min_active{};
  Picoseconds probe_interval = 50_us;
  std::uint32_t good_probes = 1;        ///< answered in a row, after which a bad value is good
  std::vector<std::uint32_t> denied{};  ///< values that are never used

  [[nodiscard]] std::uint32_t reserve_size() const { return reserve.value_or(values / 8); }
  [[nodiscard]] std::uint32_t min_in_use() const { return min_active.value_or(values / 4); }
  friend bool operator==(const EvStatesConfig&, const EvStatesConfig&) = default;
};

/// Path selection of MRC (OCP Multipath Reliable Connection 1.0, May 2026): packets take the active
/// values in rotation, each round in another order that is drawn. A value whose packet was marked
/// or trimmed is passed over once. One whose packet was lost leaves; a value of the reserve takes
/// its place, and probes find out when it is good again. With P planes value v leads by plane v mod
/// P, and each plane has its own rotation and its own reserve.
class EvStates {
 public:
  using Config = EvStatesConfig;
  using Parameters = WithSentValues<EvStatesConfig>;
  static constexpr const char* kName = "ev-states";
  static constexpr Traits kTraits{.is_per_packet = true, .observes_acks = true};
  /// Among which values are shared out.
  static constexpr std::uint32_t kMaxPlanes = 8;
  [[nodiscard]] static schema::Object<Config> schema();

  void start(const Parameters& p, std::uint64_t key) { start(p, key, 1); }
  void start(const Parameters& p, std::uint64_t key, std::uint32_t planes) {
    key_ = key;
    planes_ = planes;
    if (p.remembers) sent_.remember();
    for (const std::uint32_t value : p.denied) states_[value] = State::kDenied;
    std::uint32_t first = 0;
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
      Rotation& rotation = rotations_[plane];
      rotation.first = static_cast<std::uint16_t>(first);
      const std::uint32_t count = count_in(p, plane);
      const std::uint32_t used = count - p.reserve_size() * count / p.values;
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t value = plane + i * planes;
        if (states_[value] == State::kDenied) continue;
        if (i < used) {
          join(value);
        } else {
          states_[value] = State::kReserve;
        }
      }
      rotation.share = rotation.active;
      first += count;
    }
  }

  [[nodiscard]] std::uint32_t next(const Parameters& p, std::uint32_t sequence, Picoseconds now) {
    return next(p, sequence, now, 0);
  }
  /// Of the packet that is about to leave by this plane. Where no value of the plane is active, any
  /// of them that is not denied.
  [[nodiscard]] std::uint32_t next(const Parameters& p, std::uint32_t sequence, Picoseconds /*now*/,
                                   std::uint32_t plane) {
    Rotation& rotation = rotations_[plane];
    if (rotation.active == 0) return note_sent(sequence, any_of(p, plane));
    for (;;) {
      if (rotation.next == rotation.active) rotation.next = 0;
      const std::uint32_t drawn = draw(rotation.active - rotation.next);
      std::uint8_t& at = order_[rotation.first + rotation.next];
      std::swap(at, order_[rotation.first + rotation.next + drawn]);
      ++rotation.next;
      if (states_[at] == State::kGood) return note_sent(sequence, at);
      states_[at] = State::kGood;  // it was passed over
    }
  }

  void on_ack(const Parameters& /*p*/, const AckedPacket& answer, Picoseconds /*now*/) {
    if (answer.is_marked) pass_over(answer.value);
  }
  void on_loss(const Parameters& p, std::uint32_t sequence, LossSignal signal, Picoseconds now) {
    if (const auto value = sent_.of(sequence)) on_path_loss(p, *value, signal, now);
  }
  void on_path_loss(const Parameters& p, std::uint32_t value, LossSignal signal, Picoseconds now) {
    if (signal == LossSignal::kTimeout) {
      lose(p, value, now);
    } else {
      pass_over(value);
    }
  }

  // Probes.

  /// When a bad value is to be probed next; none: there is none.
  [[nodiscard]] OptionalTime next_probe() const {
    return bad_.empty() ? OptionalTime() : OptionalTime(bad_.front().due);
  }
  /// A bad value that is to be probed now. One whose last probe has no answer yet starts from
  /// none.
  [[nodiscard]] std::optional<std::uint32_t> take_probe(const Parameters& p, Picoseconds now) {
    if (bad_.empty() || bad_.front().due > now) return std::nullopt;
    Bad& bad = bad_.front();
    if (bad.is_awaited) bad.good = 0;
    bad.is_awaited = true;
    bad.due = now + p.probe_interval;
    std::rotate(bad_.begin(), bad_.begin() + 1, bad_.end());
    return bad_.back().value;
  }
  /// A probe by this value has come back.
  void on_probe(const Parameters& p, std::uint32_t value) {
    const auto bad = std::ranges::find(bad_, value, &Bad::value);
    if (bad == bad_.end() || !bad->is_awaited) return;
    bad->is_awaited = false;
    if (++bad->good < p.good_probes) return;
    bad_.erase(bad);
    const Rotation& rotation = rotations_[value % planes_];
    states_[value] = rotation.active < rotation.share ? State::kGood : State::kReserve;
    if (states_[value] == State::kGood) join(value);
    note(PathChange::kRecovered, value);
  }
  /// Whether a timer is filed for the next probe.
  [[nodiscard]] bool is_timed() const { return is_timed_; }
  void set_timed(bool is_timed) { is_timed_ = is_timed; }

  /// A bit for each plane without an active value.
  [[nodiscard]] std::uint8_t planes_without_values() const {
    unsigned planes = 0;
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      if (rotations_[plane].active == 0) planes |= 1U << plane;
    }
    return static_cast<std::uint8_t>(planes);
  }
  [[nodiscard]] std::uint32_t plane_of(std::uint32_t value) const { return value % planes_; }
  /// What the last of the calls above changed, once.
  [[nodiscard]] std::optional<ChangedPath> take_change() {
    return std::exchange(change_, std::nullopt);
  }
  /// Of the values of a plane, now.
  [[nodiscard]] PathStateCounts count(const Parameters& p, std::uint32_t plane) const {
    PathStateCounts counts;
    for (std::uint32_t value = plane; value < p.values; value += planes_) {
      switch (states_[value]) {
        case State::kGood:
          ++counts.good;
          break;
        case State::kPassedOver:
          ++counts.passed_over;
          break;
        case State::kBad:
          ++counts.assumed_bad;
          break;
        case State::kReserve:
          ++counts.reserve;
          break;
        case State::kDenied:
          ++counts.denied;
          break;
      }
    }
    return counts;
  }
  [[nodiscard]] std::uint32_t active() const { return active_; }

 private:
  enum class State : std::uint8_t {
    kGood,        ///< active
    kPassedOver,  ///< active, and passed over when its turn comes (SKIP)
    kBad,         ///< ASSUMED_BAD: probed
    kReserve,     ///< good, and not in use
    kDenied,
  };
  /// Of a plane: its active values lie in `order_` from `first` on, those of this round before
  /// those that are still to come.
  struct Rotation {
    std::uint16_t first = 0;
    std::uint16_t next = 0;  ///< values of this round that were used
    std::uint16_t active = 0;
    std::uint16_t share = 0;  ///< active values where none is bad
  };
  struct Bad {
    std::uint8_t value = 0;
    bool is_awaited = false;  ///< a probe was sent and has not come back
    std::uint32_t good = 0;   ///< probes in a row that came back
    Picoseconds due;          ///< of its next probe
  };

  [[nodiscard]] std::uint32_t draw(std::uint32_t count) {
    return static_cast<std::uint32_t>((mix64(key_, drawn_++) >> 32U) * count >> 32U);
  }
  std::uint32_t note_sent(std::uint32_t sequence, std::uint32_t value) {
    sent_.note(sequence, value);
    return value;
  }
  [[nodiscard]] std::uint32_t count_in(const Parameters& p, std::uint32_t plane) const {
    return (p.values - plane + planes_ - 1) / planes_;
  }
  [[nodiscard]] std::uint32_t any_of(const Parameters& p, std::uint32_t plane) {
    const std::uint32_t count = count_in(p, plane);
    std::uint32_t at = draw(count);
    for (std::uint32_t i = 0; i < count && states_[plane + at * planes_] == State::kDenied; ++i) {
      at = (at + 1) % count;
    }
    return plane + at * planes_;
  }

  void note(PathChange change, std::uint32_t value) { change_ = {change, plane_of(value)}; }
  void pass_over(std::uint32_t value) {
    if (states_[value] != State::kGood) return;
    states_[value] = State::kPassedOver;
    note(PathChange::kPassedOver, value);
  }
  void lose(const Parameters& p, std::uint32_t value, Picoseconds now) {
    if (states_[value] != State::kGood && states_[value] != State::kPassedOver) return;
    const std::optional<std::uint32_t> other = reserve_of(p, value % planes_);
    if (!other && active_ <= p.min_in_use()) return pass_over(value);
    leave(value);
    states_[value] = State::kBad;
    note(PathChange::kFailed, value);
    bad_.push_back({.value = static_cast<std::uint8_t>(value), .due = now + p.probe_interval});
    if (!other) return;
    states_[*other] = State::kGood;
    join(*other);
  }
  [[nodiscard]] std::optional<std::uint32_t> reserve_of(const Parameters& p,
                                                        std::uint32_t plane) const {
    for (std::uint32_t value = plane; value < p.values; value += planes_) {
      if (states_[value] == State::kReserve) return value;
    }
    return std::nullopt;
  }
  /// In what is left of the round.
  void join(std::uint32_t value) {
    Rotation& rotation = rotations_[value % planes_];
    order_[rotation.first + rotation.active++] = static_cast<std::uint8_t>(value);
    ++active_;
  }
  void leave(std::uint32_t value) {
    Rotation& rotation = rotations_[value % planes_];
    std::uint8_t* const first = order_.data() + rotation.first;
    std::uint8_t* hole = std::find(first, first + rotation.active, value);
    if (hole < first + rotation.next) {
      std::swap(*hole, first[--rotation.next]);
      hole = first + rotation.next;
    }
    *hole = first[--rotation.active];
    --active_;
  }

  std::uint64_t key_ = 0;
  std::uint64_t drawn_ = 0;
  std::uint32_t planes_ = 1;
  std::uint32_t active_ = 0;
  bool is_timed_ = false;
  SentValues sent_;
  std::optional<ChangedPath> change_;
  std::array<Rotation, kMaxPlanes> rotations_{};
  std::array<std::uint8_t, kMaxValues> order_{};
  std::array<State, kMaxValues> states_{};
  std::vector<Bad> bad_;  ///< by the time of their next probe
};
static_assert(ProbesPaths<EvStates>);

}  // namespace weft::protocols::path_selection
