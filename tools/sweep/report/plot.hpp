#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/sweep/report/table.hpp"

namespace weft::sweep {

struct PlotOptions {
  std::string x;     ///< a parameter
  std::string y;     ///< a result
  std::string by{};  ///< a parameter: one line each, or the vertical axis of a heat map
  bool is_heatmap = false;
};

/// The commands that make gnuplot draw to what `set terminal` says. Points that
/// differ in anything but x and `by` are averaged, which the title says; with several seeds there
/// are 95 % intervals.
[[nodiscard]] Result<std::string> plot_commands(const Table& table, const PlotOptions& options);

/// Writes `base`.svg and `base`.png through gnuplot; both or none. Of `-` the SVG goes to standard
/// output. Names from the sweep reach
/// gnuplot between single quotes only.
[[nodiscard]] Errors draw(const std::string& commands, const std::filesystem::path& base);

}  // namespace weft::sweep
