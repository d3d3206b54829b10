#pragma once

#include <string>
#include <vector>

#include "scenarios/language/yaml/node.hpp"
#include "scenarios/language/yaml/reader.hpp"
#include "tools/sweep/language/sweep.hpp"
#include "tools/sweep/language/sweep_document.hpp"

/// From what a sweep file says about axes to their values.
namespace weft::sweep {

/// What axes are made from: the document, the tree that it was read from, and where complaints go.
struct AxisContext {
  const SweepDocument& document;
  const language::Node& root;
  const language::Node* points;  ///< the list under `points`, or null
  language::Diagnostics& diagnostics;

  void fail(const std::string& path, std::string message) const {
    diagnostics.add_at(root, path, std::move(message));
  }
};

/// Fills parameters (the seed last, the bisected one before it), axes and seeds.
void build_axes(const AxisContext& context, Sweep& sweep);

/// A number of the sweep file with the unit that the scenario wants at `path`, or nothing after a
/// complaint under `key`.
[[nodiscard]] std::optional<Number> read_number(const AxisContext& context, const std::string& text,
                                                const std::string& key);

/// Whether the language has a field at `path`. Keys that select (`type`, `part`) are none.
[[nodiscard]] bool is_known_path(const std::string& path);

/// Whether the scenario wants a whole number at `path`.
[[nodiscard]] bool is_integer_path(const std::string& path);

/// A node as one line of YAML.
[[nodiscard]] std::string flow_text(const language::Node& node);

}  // namespace weft::sweep
