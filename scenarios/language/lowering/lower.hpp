#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/schemas/document.hpp"
#include "scenarios/language/yaml/node.hpp"
#include "scenarios/language/yaml/reader.hpp"
#include "scenarios/spec/scenario.hpp"

namespace weft::scenarios::language {

/// What the stages after reading share: the document, where it came from, and where errors go.
struct Context {
  Document& document;
  const Node& root;
  Reader& reader;
  Diagnostics& diagnostics;
  Provenance& provenance;
  std::filesystem::path folder;  ///< of the scenario file; relative paths start there

  void fail(const std::string& path, std::string message) const {
    diagnostics.add_at(root, path, std::move(message));
  }
};

/// Fills in what the document leaves to other values of it: rates of links from NICs, cables by
/// role, `ranks: 8` as the range it means, absolute paths. The result can be printed and read
/// again.
void complete(const Context& context);

/// What the switches of the scale-out network speak: InfiniBand if all of them do.
[[nodiscard]] LinkLayer link_layer_of(const Document& document);
/// Reports switches that no cable could join to the others.
void check_link_layers(const Context& context);

/// The scenario that a completed document means. Meaningless if `context.diagnostics` has errors
/// afterwards.
[[nodiscard]] Scenario lower(const Context& context);

/// What is wrong with a name, as names become those of files and folders; empty if nothing is.
[[nodiscard]] std::string name_problem(const std::string& name);

// Its parts.
/// The names of the traffic classes, in ascending priority; at least one.
[[nodiscard]] std::vector<std::string> class_names(const Document& document);
/// Fills in the classes, and checks what refers to them.
void lower_classes(const Context& context, Scenario& scenario);
/// The number of the class that the value at `path` names; reports where there is none. `words` are
/// accepted besides.
[[nodiscard]] std::optional<std::uint8_t> find_class(const Context& context,
                                                     const std::string& name,
                                                     const std::string& path,
                                                     const std::vector<std::string>& words = {});
void lower_jobs(const Context& context, Scenario& scenario);
void lower_faults(const Context& context, Scenario& scenario);
/// The kinds of scale-up domains and their traffic classes; after all that names classes.
void lower_scale_up(const Context& context, Scenario& scenario);
/// Reports a name that could not be that of a file or folder.
void check_name(const Context& context, const std::string& name, const std::string& path);

}  // namespace weft::scenarios::language
