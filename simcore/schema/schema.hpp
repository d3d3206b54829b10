#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "simcore/schema/callback.hpp"
#include "simcore/text/quantity_text.hpp"

/// Descriptions of configuration structs. One description yields validation, default filling, the
/// JSON Schema, the resolved scenario and the reference; how a scenario is written down (YAML) is
/// unknown here. `schema_builder.hpp` makes descriptions from members of plain structs.
namespace weft::schema {

/// The value of a field that is neither an object nor a list. Quantities and choices (by index) are
/// signed, integers unsigned.
using Scalar = std::variant<std::int64_t, std::uint64_t, double, bool, std::string>;

enum class Kind : std::uint8_t {
  kQuantity,
  kInteger,
  kFraction,
  kBoolean,
  kText,
  kChoice,
  kWords,     ///< one scalar or a list of them, kept as texts
  kIntegers,  ///< one integer or a list of them
  kObject,
  kObjects,  ///< a list of objects
};

struct AnyObject;

/// A word that stands for a value of a field of another kind, such as `none` or `standard`.
struct Special {
  std::string spelling;
  std::optional<Scalar> value;  ///< nothing: the absent value
};

/// One spelling of a choice.
struct Choice {
  std::string spelling;
  std::string doc;
  /// Its spelling in the release before, or empty. It is read, with a warning.
  std::string former{};
  std::optional<std::int64_t> number{};  ///< of the enumerator; nothing: the absent value
};

/// Bounds of a fraction.
struct Interval {
  double low = 0;
  double high = 1;
  bool includes_low = true;
};

/// What follows from the value of a key.
enum class Effect : std::uint8_t {
  kResult,   ///< what is simulated, and so numbers of results
  kOutput,   ///< names, files and warnings; what is simulated is the same
  kNothing,  ///< nothing that is written: a key with one value, a sum that guards a file
};

/// What is done with members of one type, whatever struct they are in. The functions take the
/// member, or are null where the kind does not need them.
struct MemberAccess {
  /// A choice is its enumerator's number here.
  std::optional<Scalar> (*get)(const void*) = nullptr;
  void (*set)(void*, const std::optional<Scalar>&) = nullptr;
  void* (*open)(void*) = nullptr;              ///< kObject: makes it where it is optional
  const void* (*view)(const void*) = nullptr;  ///< kObject: null where it is absent
  std::size_t (*size)(const void*) = nullptr;  ///< kObjects
  void* (*append)(void*) = nullptr;
  const void* (*element)(const void*, std::size_t) = nullptr;
};

/// One key of an object and the member behind it. The functions take the described struct.
struct Field {
  std::string key;
  /// What the key was called in the release before, or empty. It is read, with a warning.
  std::string former_key;
  std::string doc;
  std::string source;  ///< where the default comes from
  Kind kind = Kind::kText;
  bool is_required = false;
  /// Whether the key means anything, given the others; empty: always. Where it means nothing it may
  /// not be given, and is not written out.
  Callback<bool(const void*)> applies;
  std::string applies_where;  ///< such as ``with `threshold: static` ``
  /// A test over all keys (tests/scenarios/effects) changes each and looks for this effect.
  Effect effect = Effect::kResult;
  /// Whether the value makes a difference, given the other keys; empty: always. Where it makes none
  /// the key may be given, and whoever gives it is warned.
  Callback<bool(const void*)> matters;
  std::string matters_where;  ///< such as ``with `enabled: true` ``
  /// A part is built for this quantity: a scenario that names the part and says more is warned.
  bool is_rating = false;

  const Dimension* dimension = nullptr;  ///< kQuantity
  std::int64_t minimum = 0;              ///< kQuantity, in base units
  std::int64_t maximum = 0;
  std::uint64_t integer_minimum = 0;  ///< kInteger, kIntegers
  std::uint64_t integer_maximum = 0;
  Interval interval;  ///< kFraction
  std::vector<Choice> choices;
  std::vector<Special> specials;

  std::shared_ptr<const AnyObject> object;  ///< kObject, kObjects: what is inside
  std::string default_part;                 ///< kObject: the part that an absent key means
  std::size_t min = 0;                      ///< kObjects: elements
  bool accepts_one = false;                 ///< kObjects: a map means a list of it alone
  bool is_compact = false;                  ///< kObjects: written one element per line

  /// Leads to the member; empty for a quantity that is none, which has its own `read` and `write`.
  Callback<void*(void*)> member;
  const MemberAccess* access = nullptr;
  Callback<std::optional<Scalar>(const void*)> read;
  Callback<void(void*, const std::optional<Scalar>&)> write;
  /// What else changes whenever the key is given, after its value is in place.
  std::vector<Callback<void(void*)>> changes;

  [[nodiscard]] bool applies_to(const void* owner) const { return !applies || applies(owner); }
  /// Whether the value is a Scalar.
  [[nodiscard]] bool is_scalar() const;
  /// Nothing: absent. Of a choice it is the index.
  [[nodiscard]] std::optional<Scalar> get(const void* owner) const;
  void set(void* owner, const std::optional<Scalar>& value) const;
  /// kWords and kIntegers. One reference serves for reading and writing.
  [[nodiscard]] std::vector<std::string>& words(void* owner) const;
  [[nodiscard]] std::vector<std::uint32_t>& integers(void* owner) const;
  /// kObject: makes it where it is optional.
  [[nodiscard]] void* open(void* owner) const;
  /// kObject: null where it is absent.
  [[nodiscard]] const void* view(const void* owner) const;
  /// kObjects.
  [[nodiscard]] std::size_t size(const void* owner) const;
  [[nodiscard]] void* append(void* owner) const;
  [[nodiscard]] const void* element(const void* owner, std::size_t i) const;
};

/// One value of an object's tag, with the keys that only it has.
struct Alternative {
  std::string name;
  std::string also;    ///< a second spelling, or empty
  std::string former;  ///< its name in the release before, or empty; it is read, with a warning
  std::string doc;
  /// Whether the tag may be left out: the default, here or beside other values elsewhere.
  bool is_implied = false;
  std::shared_ptr<const AnyObject> object;
  Callback<void*(void*)> select;            ///< makes it the chosen one, with its defaults
  Callback<const void*(const void*)> view;  ///< of the chosen one
};

/// A named set of values that other keys of the object then override; of an object of any type.
struct AnyPreset {
  std::string name;
  std::string source;
  Callback<void(void*)> apply;
};

/// Something wrong between several keys of an object that are fine one by one.
struct Problem {
  std::string key;
  std::string message;
};

/// A map with known keys, of a struct of any type. Its keys are `fields`; where it has a tag, also
/// those of the alternative that the tag names; where it is a part, also `part`.
struct AnyObject {
  std::string title;
  std::string doc;
  std::vector<Field> fields;

  std::string tag;  ///< the key whose value selects an alternative; empty: none
  std::string tag_doc;
  /// The alternative that is meant where the tag is left out; nothing: it may not be.
  std::optional<std::size_t> default_alternative;
  std::vector<Alternative> alternatives;
  Callback<std::size_t(const void*)> selected;

  /// The key that a bare value in the place of the map stands for; empty: the map is needed.
  std::string shorthand;

  std::string preset_key;  ///< one of `fields`, a choice in the order of `presets`
  std::vector<AnyPreset> presets;

  /// Where the catalogue keeps parts of this kind; empty: not a part.
  std::string collection;

  std::vector<Callback<void(const void*, std::vector<Problem>&)>> checks;

  [[nodiscard]] const Field* find(const std::string& key) const;
  /// The field that had this key in the release before, or null.
  [[nodiscard]] const Field* find_former(const std::string& key) const;
  /// The alternative with this spelling, or with this former name, or null.
  [[nodiscard]] const Alternative* alternative(const std::string& name) const;
};

/// The description of a T: what a Builder<T> ends with. A member of type T takes no other, so that
/// nothing is ever written through a description of something else.
template <class T>
class Object {
 public:
  explicit Object(std::shared_ptr<const AnyObject> description)
      : description_(std::move(description)) {}

  /// For what goes through descriptions of all types.
  [[nodiscard]] const AnyObject& any() const { return *description_; }
  /// The same, for descriptions of what contains a T: nothing is copied.
  [[nodiscard]] const std::shared_ptr<const AnyObject>& shared() const { return description_; }

 private:
  std::shared_ptr<const AnyObject> description_;
};

/// The key by which a part of the catalogue is named.
inline constexpr const char* kPartKey = "part";

/// `field` as a key of another struct, reached through `to_member`.
[[nodiscard]] Field rebound(const Field& field, const Callback<void*(void*)>& to_member);

}  // namespace weft::schema
