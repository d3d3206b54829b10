#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <variant>

#include "protocols/path_selection/bitmap.hpp"
#include "protocols/path_selection/choice.hpp"
#include "protocols/path_selection/ev_states.hpp"
#include "protocols/path_selection/fixed.hpp"
#include "protocols/path_selection/mixed.hpp"
#include "protocols/path_selection/oblivious.hpp"
#include "protocols/path_selection/plb.hpp"
#include "protocols/path_selection/reps.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::protocols::path_selection {

/// Some choices, numbered in this order.
template <EntropyChoice... C>
struct ChoiceList {
  static constexpr std::size_t kCount = sizeof...(C);
  /// The specification of any of them.
  using Config = std::variant<typename C::Config...>;
  /// `Of<C>` of each.
  template <template <class> class Of>
  using Each = std::tuple<Of<C>...>;

  static constexpr std::array<const char*, kCount> kNames{C::kName...};
  static constexpr std::array<Traits, kCount> kTraits{C::kTraits...};

  /// Calls `visit.template operator()<C>()` for each, in order.
  template <class Visit>
  static void for_each(Visit visit) {
    (visit.template operator()<C>(), ...);
  }
};

/// All choices that a scenario can name. The first one keeps no state and is never called.
using Choices = ChoiceList<Fixed, Oblivious, Bitmap, Reps, Plb, Mixed, EvStates>;
using ChoiceConfig = Choices::Config;

[[nodiscard]] inline const char* name_of(const ChoiceConfig& config) {
  return Choices::kNames[config.index()];
}
[[nodiscard]] inline Traits traits_of(const ChoiceConfig& config) {
  return Choices::kTraits[config.index()];
}

/// How a choice is written in a scenario: its type, and that one's keys. `standard` is meant where
/// the type is left out.
[[nodiscard]] schema::Object<ChoiceConfig> choice_schema(const ChoiceConfig& standard = {});

}  // namespace weft::protocols::path_selection
