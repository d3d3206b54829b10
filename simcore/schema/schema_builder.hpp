#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "simcore/schema/bindings.hpp"
#include "simcore/schema/schema.hpp"

/// Descriptions of structs, written as a chain:
///
///     describe<EcnConfig>("ECN marking", "...")
///         .field("kmin", &EcnConfig::kmin, "...").source("...")
///         .field("pmax", &EcnConfig::pmax, "...").within({.low = 0, .includes_low = false});
///
/// A member is given as a pointer to it or as a function from the struct to a reference. `source`
/// and the limits apply to the field before them.
namespace weft::schema {

/// What builders of all types have in common. Texts come as views, and nothing here is a template:
/// what a description costs to compile is its calls.
class AnyBuilder {
 protected:
  AnyBuilder(std::string_view title, std::string_view doc);

  Field& add(std::string_view key, std::string_view doc, Kind kind);
  Field& add(std::string_view key, std::string_view doc, Kind kind, Callback<void*(void*)> member,
             const MemberAccess& access);
  Field& add_object(std::string_view key, std::string_view doc, Kind kind,
                    Callback<void*(void*)> member, const MemberAccess& access,
                    const std::shared_ptr<const AnyObject>& inner);
  void add_constant(std::string_view key, std::string_view value, std::string_view doc);
  void add_choice(const char* spelling, const char* doc, std::optional<std::int64_t> number);
  void add_preset(std::string_view name, std::string_view source, Callback<void(void*)> apply);
  void add_alternative(std::string_view name, const std::shared_ptr<const AnyObject>& inner,
                       Callback<void*(void*)> select, Callback<const void*(const void*)> view);
  /// An alternative that is the same struct in some state.
  void add_mode(std::string_view name, const std::shared_ptr<const AnyObject>& inner,
                const Callback<bool(const void*)>& is_chosen, Callback<void*(void*)> choose);
  void include_all(const AnyObject& inner, const Callback<void*(void*)>& to_member);
  void respell(std::string_view spelling, std::string_view former);
  void set_special(std::string_view spelling, std::optional<Scalar> value);
  void set_integers(std::uint64_t minimum, std::uint64_t maximum);
  void set_tag(std::string_view key, std::string_view doc);
  void set_collection(std::string_view collection);
  static void set_text(std::string& text, std::string_view value);
  [[nodiscard]] std::shared_ptr<const AnyObject> finished();

  Field& last() { return object_.fields.back(); }

  AnyObject object_;
};

template <class T>
class Builder : private AnyBuilder {
  /// What an access leads to, and that without std::optional.
  template <class Access>
  using MemberOf = std::remove_cvref_t<std::invoke_result_t<Access, T&>>;
  template <class Access>
  using ValueOf = typename OptionalTraits<MemberOf<Access>>::Value;

 public:
  Builder(std::string_view title, std::string_view doc) : AnyBuilder(title, doc) {}

  /// A scalar member: a quantity, an unsigned integer, a double (a fraction), a bool or a text; or
  /// a std::optional of one, which is absent by default.
  template <class Access>
  Builder& field(std::string_view key, Access access, std::string_view doc) {
    set_kind<ValueOf<Access>>(
        add(key, doc, Kind::kText, path_to_member<T>(access), kScalarAccess<MemberOf<Access>>));
    return *this;
  }

  /// An enumeration, value by value.
  template <class Access>
  Builder& choice(std::string_view key, Access access,
                  const std::vector<Enumerator<MemberOf<Access>>>& enumerators,
                  std::string_view doc) {
    add(key, doc, Kind::kChoice, path_to_member<T>(access), kChoiceAccess<MemberOf<Access>>);
    for (const auto& e : enumerators) add_choice(e.spelling, e.doc, number_of(e.value));
    return *this;
  }

  /// An enumeration whose values name values of the other members.
  template <class Access>
  Builder& presets(std::string_view key, Access access,
                   const std::vector<Preset<T, MemberOf<Access>>>& presets, std::string_view doc) {
    add(key, doc, Kind::kChoice, path_to_member<T>(access), kChoiceAccess<MemberOf<Access>>);
    set_text(object_.preset_key, key);
    for (const auto& preset : presets) {
      add_choice(preset.name.c_str(), preset.source.c_str(), number_of(preset.value));
      add_preset(preset.name, preset.source, preset.apply);
    }
    return *this;
  }

  /// A quantity V that is no member by itself: `get(const T&)` and `set(T&, V)` make it of several.
  template <IsQuantity V, class Get, class Set>
  Builder& property(std::string_view key, Get get, Set set, std::string_view doc) {
    Field& f = add(key, doc, Kind::kQuantity);
    set_kind<V>(f);
    f.read = [get](const void* owner) -> std::optional<Scalar> {
      return get(*static_cast<const T*>(owner)).count();
    };
    f.write = [set](void* owner, const std::optional<Scalar>& value) {
      set(*static_cast<T*>(owner), V(std::get<std::int64_t>(*value)));
    };
    return *this;
  }

  /// A key with one possible value, which is its default.
  Builder& constant(std::string_view key, std::string_view value, std::string_view doc) {
    add_constant(key, value, doc);
    return *this;
  }

  template <class Access>
  Builder& words(std::string_view key, Access access, std::string_view doc) {
    static_assert(std::same_as<MemberOf<Access>, std::vector<std::string>>);
    add(key, doc, Kind::kWords).member = path_to_member<T>(access);
    return *this;
  }

  /// One integer or a list of them, kept in a std::vector.
  template <class Access>
  Builder& integers(std::string_view key, Access access, std::string_view doc) {
    static_assert(std::same_as<MemberOf<Access>, std::vector<std::uint32_t>>);
    add(key, doc, Kind::kIntegers).member = path_to_member<T>(access);
    set_integers(0, std::numeric_limits<std::uint32_t>::max());
    return *this;
  }

  /// A struct, or a std::optional of one, described by `inner`.
  template <class Access>
  Builder& object(std::string_view key, Access access, const Object<ValueOf<Access>>& inner,
                  std::string_view doc) {
    add_object(key, doc, Kind::kObject, path_to_member<T>(access), kObjectAccess<MemberOf<Access>>,
               inner.shared());
    return *this;
  }

  /// A nested map whose keys are members of this same struct.
  Builder& group(std::string_view key, const Object<T>& inner, std::string_view doc) {
    return object(
        key, [](T& self) -> T& { return self; }, inner, doc);
  }

  /// A std::vector of structs described by `inner`.
  template <class Access>
  Builder& objects(std::string_view key, Access access,
                   const Object<typename MemberOf<Access>::value_type>& inner,
                   std::string_view doc) {
    add_object(key, doc, Kind::kObjects, path_to_member<T>(access),
               kObjectsAccess<MemberOf<Access>>, inner.shared());
    return *this;
  }

  /// The keys of `inner` as keys of this object, bound to a member.
  template <class Access>
  Builder& include(Access access, const Object<MemberOf<Access>>& inner) {
    include_all(inner.any(), path_to_member<T>(access));
    return *this;
  }

  // What follows applies to the field before it.
  Builder& source(std::string_view text) {
    set_text(last().source, text);
    return *this;
  }
  Builder& required() {
    last().is_required = true;
    return *this;
  }
  template <IsQuantity Q>
  Builder& at_least(Q minimum) {
    last().minimum = minimum.count();
    return *this;
  }
  template <IsQuantity Q>
  Builder& at_most(Q maximum) {
    last().maximum = maximum.count();
    return *this;
  }
  Builder& range(std::uint64_t minimum, std::uint64_t maximum) {
    set_integers(minimum, maximum);
    return *this;
  }
  Builder& at_least(std::uint64_t minimum) {
    last().integer_minimum = minimum;
    return *this;
  }
  Builder& within(Interval interval) {
    last().interval = interval;
    return *this;
  }
  Builder& special(std::string_view spelling, std::optional<Scalar> value) {
    set_special(spelling, std::move(value));
    return *this;
  }
  /// `change(T&)` runs whenever the key is given, after its value is in place.
  template <class Change>
  Builder& then(Change change) {
    last().changes.emplace_back([change](void* owner) { change(*static_cast<T*>(owner)); });
    return *this;
  }
  Builder& default_part(std::string_view name) {
    set_text(last().default_part, name);
    return *this;
  }
  /// The key means something only where `condition(const T&)` holds; `where` says so in words.
  template <class Condition>
  Builder& only_if(Condition condition, std::string_view where) {
    last().applies = [condition](const void* owner) {
      return condition(*static_cast<const T*>(owner));
    };
    set_text(last().applies_where, where);
    return *this;
  }
  /// The value makes a difference only where `condition(const T&)` holds; `where` says so in words.
  template <class Condition>
  Builder& matters_if(Condition condition, std::string_view where) {
    last().matters = [condition](const void* owner) {
      return condition(*static_cast<const T*>(owner));
    };
    set_text(last().matters_where, where);
    return *this;
  }
  /// The key had this name in the release before. Files that have it are read, with a warning.
  Builder& formerly(std::string_view key) {
    set_text(last().former_key, key);
    return *this;
  }
  /// The choice `spelling` of the key had this spelling in the release before, likewise.
  Builder& respelled(std::string_view spelling, std::string_view former) {
    respell(spelling, former);
    return *this;
  }
  /// The value changes what is written, and nothing of what is simulated.
  Builder& changes_output() {
    last().effect = Effect::kOutput;
    return *this;
  }
  /// The value changes nothing of what is written.
  Builder& changes_nothing() {
    last().effect = Effect::kNothing;
    return *this;
  }
  /// A scenario that names a part and gives more than the part has is warned.
  Builder& rating() {
    last().is_rating = true;
    return *this;
  }
  Builder& not_empty() {
    last().min = 1;
    return *this;
  }
  /// A map in the place of the list stands for a list of one.
  Builder& or_one() {
    last().accepts_one = true;
    return *this;
  }
  Builder& compact() {
    last().is_compact = true;
    return *this;
  }

  // What follows applies to the object.
  Builder& tag(std::string_view key, std::string_view doc) {
    set_tag(key, doc);
    return *this;
  }
  /// The tag may be left out: the alternative of that number is meant.
  Builder& optional_tag(std::string_view key, std::size_t standard, std::string_view doc) {
    object_.default_alternative = standard;
    return tag(key, doc);
  }
  /// The type `V` of the std::variant behind `access`. `initial` has the defaults of the
  /// alternative.
  template <class V, class Access>
  Builder& alternative(std::string_view name, Access access, const Object<V>& inner,
                       V initial = V{}) {
    add_alternative(
        name, inner.shared(),
        [access, initial](void* owner) -> void* {
          return &std::invoke(access, *static_cast<T*>(owner)).template emplace<V>(initial);
        },
        [access](const void* owner) -> const void* {
          return std::get_if<V>(&read_member<T>(access, owner));
        });
    object_.selected = [access](const void* owner) {
      return read_member<T>(access, owner).index();
    };
    return *this;
  }
  /// An alternative that is this same struct in some state: `choose(T&)` brings it there, and
  /// `is_chosen(const T&)` tells whether it is there. Of several the first that holds counts.
  template <class IsChosen, class Choose>
  Builder& mode(std::string_view name, IsChosen is_chosen, Choose choose, const Object<T>& inner) {
    add_mode(
        name, inner.shared(),
        [is_chosen](const void* owner) { return is_chosen(*static_cast<const T*>(owner)); },
        [choose](void* owner) -> void* {
          choose(*static_cast<T*>(owner));
          return owner;
        });
    return *this;
  }
  /// A second spelling of the alternative before it.
  Builder& also(std::string_view name) {
    set_text(object_.alternatives.back().also, name);
    return *this;
  }
  /// The alternative had this name in the release before. Files that have it are read, with a
  /// warning.
  Builder& alternative_formerly(std::string_view name) {
    set_text(object_.alternatives.back().former, name);
    return *this;
  }
  /// The alternative before it, though not the default, is so beside other values elsewhere.
  Builder& implied() {
    object_.alternatives.back().is_implied = true;
    return *this;
  }
  Builder& shorthand(std::string_view key) {
    set_text(object_.shorthand, key);
    return *this;
  }
  /// The object is a part that the catalogue keeps under `collection`.
  Builder& part_of(std::string_view collection) {
    set_collection(collection);
    return *this;
  }
  /// `condition(const T&, std::vector<Problem>&)` runs once the object is read without errors.
  template <class Check>
  Builder& check(Check condition) {
    object_.checks.emplace_back([condition](const void* owner, std::vector<Problem>& out) {
      condition(*static_cast<const T*>(owner), out);
    });
    return *this;
  }

  /// Ends the chain: the builder is empty afterwards.
  operator Object<T>() { return Object<T>(finished()); }  // NOLINT: implicit by intent
};

template <class T>
[[nodiscard]] Builder<T> describe(std::string_view title, std::string_view doc) {
  return Builder<T>(title, doc);
}

}  // namespace weft::schema
