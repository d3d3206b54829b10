#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "protocols/congestion/control_spec.hpp"
#include "protocols/congestion/cubic/cubic_spec.hpp"
#include "protocols/congestion/dcqcn/dcqcn_spec.hpp"
#include "protocols/congestion/dctcp/dctcp_spec.hpp"
#include "protocols/congestion/hpcc/hpcc_spec.hpp"
#include "protocols/congestion/new_reno/new_reno_spec.hpp"
#include "protocols/congestion/none/no_control_spec.hpp"
#include "protocols/congestion/nscc/nscc_spec.hpp"
#include "protocols/congestion/powertcp/powertcp_spec.hpp"
#include "protocols/congestion/rccc/rccc_spec.hpp"
#include "protocols/congestion/swift/swift_spec.hpp"
#include "protocols/congestion/timely/timely_spec.hpp"

namespace weft::protocols::congestion {

/// Specifications of some controls, numbered in this order.
template <ControlSpec... S>
struct SpecList {
  static constexpr std::size_t kCount = sizeof...(S);
  static_assert(kCount <= 256);
  /// Any of them.
  using Config = std::variant<typename S::Config...>;

  static constexpr std::array<const char*, kCount> kNames{S::kName...};
  static constexpr std::array<const char*, kCount> kDisplayNames{S::kDisplayName...};
  static constexpr std::array<Needs, kCount> kRequirements{S::kRequirements...};
  static constexpr std::array<std::span<const Column>, kCount> kColumns{S::kColumns...};

  /// Calls `visit.template operator()<S>()` for each, in order.
  template <class Visit>
  static void for_each(Visit visit) {
    (visit.template operator()<S>(), ...);
  }
};

/// All congestion controls that a scenario can name. Their algorithms are in `list.hpp`, in the
/// same order; the first one keeps no state and is never called.
using ControlSpecs = SpecList<NoControlSpec, DcqcnSpec, SwiftSpec, TimelySpec, DctcpSpec, HpccSpec,
                              PowerTcpSpec, NewRenoSpec, CubicSpec, RcccSpec, NsccSpec>;

/// Columns by number.
struct ColumnList {
  static constexpr std::size_t kMax = 64;
  std::array<Column, kMax> columns{};
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
  for (const std::span<const Column> columns : ControlSpecs::kColumns) {
    for (const Column& column : columns) {
      if (all.find(column.name) == all.count) all.columns[all.count++] = column;
    }
  }
  return all;
}();

/// The place in `kAllColumns` of column `i` of a control.
[[nodiscard]] constexpr std::size_t column_number(std::size_t control, std::size_t i) {
  return kAllColumns.find(ControlSpecs::kColumns[control][i].name);
}

/// The specification of a transport's congestion control.
using ControlConfig = ControlSpecs::Config;

/// Its name in sentences.
[[nodiscard]] inline const char* title_of(const ControlConfig& config) {
  return ControlSpecs::kDisplayNames[config.index()];
}
/// What a control of this specification needs.
[[nodiscard]] inline Needs requirements_of(const ControlConfig& config) {
  Needs needs = ControlSpecs::kRequirements[config.index()];
  ControlSpecs::for_each([&]<class C>() {
    if constexpr (requires(const typename C::Config& c) { C::needs(c); }) {
      if (const auto* own = std::get_if<typename C::Config>(&config)) needs = C::needs(*own);
    }
  });
  return needs;
}

/// The rate of the links that its steps were published for; 0: they suit any.
[[nodiscard]] inline BitsPerSecond published_rate(const ControlConfig& config) {
  BitsPerSecond rate;
  ControlSpecs::for_each([&]<class C>() {
    if constexpr (requires(const typename C::Config& c) { C::published_rate(c); }) {
      if (const auto* own = std::get_if<typename C::Config>(&config))
        rate = C::published_rate(*own);
    }
  });
  return rate;
}

/// How a congestion control is written in a scenario: its type, and that one's keys. `standard` is
/// meant where the type is left out.
[[nodiscard]] schema::Object<ControlConfig> control_schema(const ControlConfig& default_config);

}  // namespace weft::protocols::congestion
