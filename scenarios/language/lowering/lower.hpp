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
  /// What is possible and hardly meant, where the file says it: a warning.
  void doubt(const std::string& path, const std::string& message) const {
    diagnostics.remark(locate(root, path).mark, path, message);
  }
};

/// Fills in what the document leaves to other values of it: rates of links from NICs, cables by
/// role, `ranks: 8` as the range it means, absolute paths. The result can be printed and read
/// again.
void complete(const Context& context);

/// Checks `links.changes`. A length alone is one of the cable that its links have already, which is
/// filled in: once the cables of roles are known.
void complete_changes(const Context& context);

/// Warns of links, NICs and packets that the document can say and nobody can buy or set.
void doubt_parts(const Context& context);

/// Settings that differ by switch, port and NIC, WRED and the watchdog.
void lower_settings(const Context& context, Scenario& scenario);

/// Code points of classes that are none, or stand for two of them.
void check_code_points(const Context& context);
/// A job's class, by its code point where it has one, or the lowest.
void complete_class(const Context& context, JobDocument& job, const std::string& path);

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
/// Once all transports are known: what could never hold a packet of theirs.
void check_buffers(const Context& context, const Scenario& scenario);
/// Which classes trim packets, once all classes are known.
void lower_trimming(const Context& context, Scenario& scenario);
/// The number of the class that the value at `path` names; reports where there is none. `words` are
/// accepted besides.
[[nodiscard]] std::optional<ClassId> find_class(const Context& context, const std::string& name,
                                                const std::string& path,
                                                const std::vector<std::string>& words = {});
/// The number of the transport that is written at `path` among the scenario's; checks what it
/// names.
[[nodiscard]] std::uint8_t lower_transport(const Context& context,
                                           const protocols::TransportConfig& transport,
                                           const std::string& path, Scenario& scenario);
void lower_jobs(const Context& context, Scenario& scenario);
void lower_faults(const Context& context, Scenario& scenario);
/// The kinds of scale-up domains and their traffic classes; after all that names classes.
void lower_scale_up(const Context& context, Scenario& scenario);
/// Whether messages are lost for good where packets overtake each other.
[[nodiscard]] inline bool breaks_when_reordered(const protocols::TransportConfig& transport) {
  const protocols::TransportTraits traits = protocols::traits_of(transport);
  return !traits.is_acknowledged && !traits.takes_any_order;
}
inline constexpr const char* kReorderedDatagrams =
    "spraying reorders packets, and datagrams of several packets are put together in order only; "
    "use ecmp, or transport roce with receiver any-order";
/// Reports a name that could not be that of a file or folder.
void check_name(const Context& context, const std::string& name, const std::string& path);

}  // namespace weft::scenarios::language
