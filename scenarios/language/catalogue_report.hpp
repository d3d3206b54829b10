#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"

/// The catalogue of hardware, for people who choose from it.
namespace weft::scenarios {

/// One figure of a part, with what the parts that it builds on say.
struct PartFigure {
  std::string path;     ///< such as `scale_up.rate`
  std::string value;    ///< as a scenario writes it
  std::string rounded;  ///< for tables
  std::string source;   ///< where it comes from; the name of another part stands before its words
  bool is_estimate = false;
};

struct PartReport {
  std::string collection;  ///< the kind of part, such as `servers`
  std::string name;
  std::string about;
  std::string file;     ///< of a user's catalogue; empty: compiled in
  std::string summary;  ///< what follows from the figures; may be empty
  std::string refused;  ///< why no scenario can have it; empty where one can
  std::vector<std::string> aliases;
  std::vector<PartFigure> figures;
};

/// Every part of one kind, or of all if `collection` is empty. Errors: a kind that does not exist,
/// or a broken catalogue of the user's.
[[nodiscard]] Result<std::vector<PartReport>> list_parts(const std::string& collection);

/// The parts of a name or an alias; several if kinds share it. `nics/ideal` means that of one kind.
[[nodiscard]] Result<std::vector<PartReport>> find_parts(const std::string& name);

/// One line per part: what tells it from others of its kind.
[[nodiscard]] std::string parts_table(const std::vector<PartReport>& parts);
/// Every figure of a part with its source.
[[nodiscard]] std::string part_text(const PartReport& part);
[[nodiscard]] nlohmann::ordered_json parts_json(const std::vector<PartReport>& parts);

}  // namespace weft::scenarios
