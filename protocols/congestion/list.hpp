#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/cubic/cubic.hpp"
#include "protocols/congestion/dcqcn/dcqcn.hpp"
#include "protocols/congestion/dctcp/dctcp.hpp"
#include "protocols/congestion/hpcc/hpcc.hpp"
#include "protocols/congestion/new_reno/new_reno.hpp"
#include "protocols/congestion/none/no_control.hpp"
#include "protocols/congestion/powertcp/powertcp.hpp"
#include "protocols/congestion/rccc/rccc.hpp"
#include "protocols/congestion/swift/swift.hpp"
#include "protocols/congestion/timely/timely.hpp"

namespace weft::protocols::congestion {

/// Some controls, numbered in this order.
template <CongestionControl... C>
struct ControlList {
  static constexpr std::size_t kCount = sizeof...(C);
  static_assert(kCount <= 256);
  /// The specification of any of them.
  using Config = std::variant<typename C::Config...>;
  /// `Of<C>` of each.
  template <template <class> class Of>
  using Each = std::tuple<Of<C>...>;

  static constexpr std::array<const char*, kCount> kNames{C::kName...};
  static constexpr std::array<const char*, kCount> kTitles{C::kTitle...};
  static constexpr std::array<Needs, kCount> kNeeds{C::kNeeds...};
  static constexpr std::array<std::span<const Column>, kCount> kColumns{C::kColumns...};

  /// Calls `visit.template operator()<C>()` for each, in order.
  template <class Visit>
  static void for_each(Visit visit) {
    (visit.template operator()<C>(), ...);
  }
};

/// All congestion controls that a scenario can name. The first one keeps no state and is never
/// called.
using Controls =
    ControlList<NoControl, Dcqcn, Swift, Timely, Dctcp, Hpcc, PowerTcp, NewReno, Cubic, Rccc>;

/// Columns by number.
struct ColumnList {
  static constexpr std::size_t kMost = 64;
  std::array<Column, kMost> columns{};
  std::size_t count = 0;

  [[nodiscard]] constexpr std::size_t find(std::string_view name) const {
    std::size_t i = 0;
    while (i < count && std::string_view(columns[i].name) != name) ++i;
    return i;
  }
};

/// What all controls can tell of themselves, each name once, in the order of the list: the default
/// control's come first.
inline constexpr ColumnList kAllColumns = [] {
  ColumnList all;
  for (const std::span<const Column> columns : Controls::kColumns) {
    for (const Column& column : columns) {
      if (all.find(column.name) == all.count) all.columns[all.count++] = column;
    }
  }
  return all;
}();

/// The place in `kAllColumns` of column `i` of a control.
[[nodiscard]] constexpr std::size_t column_number(std::size_t control, std::size_t i) {
  return kAllColumns.find(Controls::kColumns[control][i].name);
}

/// The specification of a transport's congestion control.
using ControlConfig = Controls::Config;

/// Its name in sentences.
[[nodiscard]] inline const char* title_of(const ControlConfig& config) {
  return Controls::kTitles[config.index()];
}
/// What a control of this specification needs.
[[nodiscard]] inline Needs needs_of(const ControlConfig& config) {
  Needs needs = Controls::kNeeds[config.index()];
  Controls::for_each([&]<class C>() {
    if constexpr (requires(const typename C::Config& c) { C::needs(c); }) {
      if (const auto* own = std::get_if<typename C::Config>(&config)) needs = C::needs(*own);
    }
  });
  return needs;
}

/// The rate of the links that its steps were published for; 0: they suit any.
[[nodiscard]] inline BitsPerSecond published_rate(const ControlConfig& config) {
  BitsPerSecond rate;
  Controls::for_each([&]<class C>() {
    if constexpr (requires(const typename C::Config& c) { C::published_rate(c); }) {
      if (const auto* own = std::get_if<typename C::Config>(&config))
        rate = C::published_rate(*own);
    }
  });
  return rate;
}

/// How a congestion control is written in a scenario: its type, and that one's keys. `standard` is
/// meant where the type is left out.
[[nodiscard]] schema::Object<ControlConfig> control_schema(const ControlConfig& standard);

}  // namespace weft::protocols::congestion
