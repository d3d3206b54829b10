#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/language/yaml/node.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios::language {

/// A part as the catalogue has it: values by key, and where each comes from. It may build on
/// another part of its kind, which its values name under `part`.
struct Part {
  std::string about;
  Node values;  ///< a map of its figures alone
  std::map<std::string, std::string> sources;
  std::vector<std::string> aliases{};  ///< what people call it besides
  /// Why no scenario can have it, though its figures are known; empty where one can.
  std::string refused{};
  std::string file{};  ///< of a user's catalogue; empty: compiled in
};

/// A part that is read when it is asked for: a run names a handful of them, and reading them all is
/// half of what a small run takes. Threads may ask at the same time.
class LazyPart {
 public:
  /// `yaml` is the entry of the part alone, in a map of its own. It outlives this, and is valid.
  LazyPart(std::string_view yaml, std::string file) : yaml_(yaml), file_(std::move(file)) {}
  explicit LazyPart(Part part) : part_(std::move(part)) {}

  [[nodiscard]] const Part& get() const;

 private:
  std::string_view yaml_;  ///< empty: `part_` is complete
  std::string file_;       ///< what errors would name
  mutable std::once_flag read_;
  mutable Part part_;
};

/// The environment variable that names the folder of a user's catalogue.
inline constexpr const char* kCatalogueVariable = "WEFT_CATALOGUE";

/// The parts that scenarios may name.
class Catalogue {
 public:
  /// The one that is compiled in. Its parts are read at most once per process.
  [[nodiscard]] static const Catalogue& embedded();

  /// That with the parts of `folder` added, one file per kind such as `servers.yaml`. A part
  /// replaces one of the same name. Every part is read once, so that errors name the folder's
  /// files.
  [[nodiscard]] static Result<Catalogue> with_folder(const std::filesystem::path& folder);

  /// What scenarios of this process use: with the folder of WEFT_CATALOGUE, if that is set.
  [[nodiscard]] static Result<std::shared_ptr<const Catalogue>> standard();

  /// Null where there is none.
  [[nodiscard]] const Part* find(const std::string& collection, const std::string& name) const;
  /// The name of the part that is meant: itself, or one that differs in case, hyphens, blanks or
  /// underscores only, or has it as an alias. Null where there is none.
  [[nodiscard]] const std::string* name_meant(const std::string& collection,
                                              const std::string& said) const;
  [[nodiscard]] std::vector<std::string> names(const std::string& collection) const;
  /// Names that a scenario can say, aliases among them.
  [[nodiscard]] std::vector<std::string> spellings(const std::string& collection) const;
  [[nodiscard]] std::vector<std::string> collections() const;

 private:
  using Collection = std::map<std::string, std::shared_ptr<const LazyPart>>;

  static Catalogue index_embedded();
  Errors add_file(const std::filesystem::path& file);
  Errors check(const std::string& collection, const std::string& file) const;

  std::map<std::string, Collection> parts_;
};

/// `; did you mean ...?`: the nearest, or else those that contain what was said; or nothing.
[[nodiscard]] std::string did_you_mean_part(const std::string& said,
                                            const std::vector<std::string>& names);

}  // namespace weft::scenarios::language
