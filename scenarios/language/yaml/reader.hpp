#pragma once

#include <map>
#include <string>
#include <vector>

#include "scenarios/language/yaml/catalogue.hpp"
#include "scenarios/language/yaml/node.hpp"
#include "simcore/base/result.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::scenarios::language {

/// Collects errors and gives them their places.
class Diagnostics {
 public:
  Diagnostics(std::string file, const std::vector<std::string>& overrides)
      : file_(std::move(file)), overrides_(overrides) {}

  void add(const Mark& mark, std::string path, std::string message);
  void add(Error error);
  /// At the node that `path` leads to, or the nearest one above it.
  void add_at(const Node& root, const std::string& path, std::string message);
  [[nodiscard]] SourceLocation location(const Mark& mark, std::string path) const;
  /// A warning, in the words of whom it is for: `path` and where it stands come before it.
  void remark(const Mark& mark, const std::string& path, const std::string& message);
  [[nodiscard]] std::vector<std::string> take_remarks() { return std::move(remarks_); }
  /// `line 7`, or the override.
  [[nodiscard]] std::string place_of(const Mark& mark) const;
  [[nodiscard]] bool is_empty() const { return errors_.empty(); }
  [[nodiscard]] bool is_full() const { return errors_.size() >= kMaxErrors; }
  /// The errors in the order of the file.
  [[nodiscard]] Errors take();

 private:
  /// A file with more is broken in a way that more messages do not explain.
  static constexpr std::size_t kMaxErrors = 50;
  static constexpr std::size_t kMaxRemarks = 20;

  std::string file_;
  std::vector<std::string> overrides_;
  Errors errors_;
  std::vector<std::string> remarks_;
};

/// Where values that the file does not give come from, by path; for defaults of the language itself
/// the schema knows.
using Provenance = std::map<std::string, std::string>;

/// Fills structs from a tree as their schemas describe them. Everything wrong is reported; what is
/// right is read all the same.
class Reader {
 public:
  Reader(const Catalogue& catalogue, Diagnostics& diagnostics, Provenance& provenance)
      : catalogue_(catalogue), diagnostics_(diagnostics), provenance_(provenance) {}

  /// `node` is changed where a bare value stands for a map: afterwards the map is there.
  template <class T>
  void read(const schema::Object<T>& object, Node& node, T& target, const std::string& path) {
    read(object.any(), node, &target, path);
  }
  /// The same where `target` is known to be what `object` describes.
  void read(const schema::AnyObject& object, Node& node, void* target, const std::string& path);

  /// Fills a part from the catalogue, as if `path` named it.
  template <class T>
  void read_named_part(const schema::Object<T>& object, const std::string& name, T& target,
                       const std::string& path) {
    read_named_part(object.any(), name, &target, path);
  }
  void read_named_part(const schema::AnyObject& object, const std::string& name, void* target,
                       const std::string& path);

 private:
  /// The part that is being read, if values come from the catalogue and not from the file.
  struct Origin {
    const Part* part = nullptr;
    std::string name;
    std::string prefix;  ///< path inside of the part, with a dot at its end
  };

  void read_object(const schema::AnyObject& object, Node& node, void* target,
                   const std::string& path, const std::string& default_part, const Origin& origin);
  bool expand_shorthand(const schema::AnyObject& object, Node& node, const std::string& path);
  /// Gives keys that have their name of the release before the new one.
  void rename_former_keys(const schema::AnyObject& object, Node& node, const std::string& path);
  /// Gives a value its present spelling if it has its former one, which is remarked on.
  void respell(Node& value, const std::string& former, const std::string& now,
               const std::string& path);
  void read_part(const schema::AnyObject& object, Node& node, void* target, const std::string& path,
                 const std::string& default_part);
  void read_catalogue_part(const schema::AnyObject& object, const Node& named,
                           const std::string& name, void* target, const std::string& path);
  void read_presets(const schema::AnyObject& object, const Node& node, void* target);
  const schema::Alternative* select(const schema::AnyObject& object, Node& node, void* target,
                                    const std::string& path, void*& chosen);
  void check_keys(const schema::AnyObject& object, const schema::Alternative* alternative,
                  const Node& node, const std::string& path);
  void read_fields(const schema::AnyObject& object, Node& node, void* target,
                   const std::string& path, const Origin& origin);
  void read_absent(const schema::Field& field, void* target, const Node& parent,
                   const std::string& path);
  void read_field(const schema::Field& field, Node& node, void* target, const std::string& path,
                  const Origin& origin);
  void read_scalar(const schema::Field& field, const Node& node, void* target,
                   const std::string& path, const Origin& origin);
  void read_words(const schema::Field& field, const Node& node, void* target,
                  const std::string& path);
  void read_integers(const schema::Field& field, const Node& node, void* target,
                     const std::string& path, const Origin& origin);
  void keep_source(const schema::Field& field, const std::string& path, const Origin& origin);
  void read_list(const schema::Field& field, Node& node, void* target, const std::string& path);
  void check_applies(const schema::AnyObject& object, const Node& node, const void* target,
                     const std::string& path);
  void run_checks(const schema::AnyObject& object, const Node& node, const void* target,
                  const std::string& path);
  void check_matters(const schema::AnyObject& object, const Node& node, const void* target,
                     const std::string& path);
  /// More than the part is built for that the file names at `path`, or around it.
  void check_rating(const schema::Field& field, const Node& node, const schema::Scalar& before,
                    const void* target, const std::string& path);
  void fail(const Mark& mark, const std::string& path, std::string message);

  const schema::AnyObject* language_ = nullptr;  ///< what is read, as a whole
  const schema::AnyObject* siblings_ = nullptr;  ///< whose field is read
  const Catalogue& catalogue_;
  Diagnostics& diagnostics_;
  Provenance& provenance_;
  std::size_t errors_seen_ = 0;
  bool shows_refused_ = false;                      ///< what is read is shown, not simulated
  std::vector<const Part*> open_parts_;             ///< being read, each because of the one before
  std::map<std::string, std::string> named_parts_;  ///< by path: those that the file names
};

}  // namespace weft::scenarios::language
