#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "protocols/path_selection/choice.hpp"

namespace weft::protocols::path_selection {

/// Which values the last packets of a queue pair had: for transports that learn of a lost packet by
/// its number alone. It takes memory only where it is asked to remember.
class SentValues {
 public:
  /// The last packets that were sent.
  static constexpr std::uint32_t kRemembered = 1024;

  void remember() { values_ = std::make_unique<Values>(); }
  void note(std::uint32_t sequence, std::uint32_t value) {
    if (!values_) return;
    (*values_)[sequence % kRemembered] = static_cast<std::uint8_t>(value);
    last_ = sequence;
  }
  /// Absent: it is too long ago.
  [[nodiscard]] std::optional<std::uint32_t> of(std::uint32_t sequence) const {
    if (!values_ || last_ - sequence >= kRemembered) return std::nullopt;
    return (*values_)[sequence % kRemembered];
  }

 private:
  using Values = std::array<std::uint8_t, kRemembered>;
  static_assert(kMaxValues <= 256);

  std::unique_ptr<Values> values_;
  std::uint32_t last_ = 0;
};

/// Parameters of a choice that has SentValues.
template <class Config>
struct WithSentValues : Config {
  WithSentValues(const Config& config) : Config(config) {}  // NOLINT: implicit by intent
  /// Whether the transport tells of lost packets by their numbers.
  bool remembers = true;
  void set_remembers(bool is_told_by_number) { remembers = is_told_by_number; }
};

}  // namespace weft::protocols::path_selection
