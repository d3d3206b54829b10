#pragma once

#include <cassert>
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

template <class T>
class Builder {
  /// What an access leads to, and that without std::optional.
  template <class Access>
  using MemberOf = std::remove_cvref_t<std::invoke_result_t<Access, T&>>;
  template <class Access>
  using ValueOf = typename OptionalTraits<MemberOf<Access>>::Value;

 public:
  Builder(std::string title, std::string doc) {
    object_.title = std::move(title);
    object_.doc = std::move(doc);
  }

  /// A scalar member: a quantity, an unsigned integer, a double (a fraction), a bool or a text; or
  /// a std::optional of one, which is absent by default.
  template <class Access>
  Builder& field(std::string key, Access access, std::string doc) {
    Field& f = add(std::move(key), std::move(doc));
    bind_scalar<T, MemberOf<Access>>(f, access);
    set_kind<ValueOf<Access>>(f);
    return *this;
  }

  /// An enumeration, value by value.
  template <class Access>
  Builder& choice(std::string key, Access access,
                  std::vector<Enumerator<MemberOf<Access>>> enumerators, std::string doc) {
    Field& f = add(std::move(key), std::move(doc));
    f.kind = Kind::kChoice;
    std::vector<MemberOf<Access>> values;
    values.reserve(enumerators.size());
    for (Enumerator<MemberOf<Access>>& e : enumerators) {
      values.push_back(e.value);
      f.choices.push_back({std::move(e.spelling), std::move(e.doc)});
    }
    bind_choice<T>(f, access, std::move(values));
    return *this;
  }

  /// An enumeration whose values name values of the other members.
  template <class Access>
  Builder& presets(std::string key, Access access, std::vector<Preset<T, MemberOf<Access>>> presets,
                   std::string doc) {
    std::vector<Enumerator<MemberOf<Access>>> enumerators;
    enumerators.reserve(presets.size());
    object_.preset_key = key;
    for (Preset<T, MemberOf<Access>>& preset : presets) {
      enumerators.push_back({preset.value, preset.name, preset.source});
      object_.presets.push_back(
          {std::move(preset.name), std::move(preset.source),
           [apply = std::move(preset.apply)](void* owner) { apply(*static_cast<T*>(owner)); }});
    }
    return choice(std::move(key), access, std::move(enumerators), std::move(doc));
  }

  /// A quantity V that is no member by itself: `get(const T&)` and `set(T&, V)` make it of several.
  template <IsQuantity V, class Get, class Set>
  Builder& property(std::string key, Get get, Set set, std::string doc) {
    Field& f = add(std::move(key), std::move(doc));
    set_kind<V>(f);
    f.get = [get](const void* owner) -> std::optional<Scalar> {
      return get(*static_cast<const T*>(owner)).count();
    };
    f.set = [set](void* owner, const std::optional<Scalar>& value) {
      set(*static_cast<T*>(owner), V(std::get<std::int64_t>(*value)));
    };
    return *this;
  }

  /// A key with one possible value, which is its default.
  Builder& constant(std::string key, std::string value, std::string doc) {
    Field& f = add(std::move(key), std::move(doc));
    f.kind = Kind::kChoice;
    f.choices = {{std::move(value), {}}};
    f.get = [](const void*) { return std::optional<Scalar>(std::int64_t{0}); };
    f.set = [](void*, const std::optional<Scalar>&) {};
    return *this;
  }

  template <class Access>
  Builder& words(std::string key, Access access, std::string doc) {
    Field& f = add(std::move(key), std::move(doc));
    f.kind = Kind::kWords;
    f.words = [access](void* owner) -> std::vector<std::string>& {
      return std::invoke(access, *static_cast<T*>(owner));
    };
    return *this;
  }

  /// One integer or a list of them, kept in a std::vector.
  template <class Access>
  Builder& integers(std::string key, Access access, std::string doc) {
    Field& f = add(std::move(key), std::move(doc));
    f.kind = Kind::kIntegers;
    f.integer_maximum = std::numeric_limits<std::uint32_t>::max();
    f.integers = [access](void* owner) -> std::vector<std::uint32_t>& {
      return std::invoke(access, *static_cast<T*>(owner));
    };
    return *this;
  }

  /// A struct, or a std::optional of one, described by `inner`.
  template <class Access>
  Builder& object(std::string key, Access access, const Object<ValueOf<Access>>& inner,
                  std::string doc) {
    using Member = MemberOf<Access>;
    Field& f = add(std::move(key), std::move(doc));
    f.kind = Kind::kObject;
    f.object = inner.shared();
    f.open = [access](void* owner) -> void* {
      Member& member = std::invoke(access, *static_cast<T*>(owner));
      if constexpr (OptionalTraits<Member>::kIsOptional) {
        if (!member) member = typename Member::value_type();
        return &*member;
      } else {
        return &member;
      }
    };
    f.view = [access](const void* owner) -> const void* {
      const Member& member = read_member<T>(access, owner);
      if constexpr (OptionalTraits<Member>::kIsOptional) {
        return member ? &*member : nullptr;
      } else {
        return &member;
      }
    };
    return *this;
  }

  /// A nested map whose keys are members of this same struct.
  Builder& group(std::string key, const Object<T>& inner, std::string doc) {
    return object(
        std::move(key), [](T& self) -> T& { return self; }, inner, std::move(doc));
  }

  /// A std::vector of structs described by `inner`.
  template <class Access>
  Builder& objects(std::string key, Access access,
                   const Object<typename MemberOf<Access>::value_type>& inner, std::string doc) {
    Field& f = add(std::move(key), std::move(doc));
    f.kind = Kind::kObjects;
    f.object = inner.shared();
    f.size = [access](const void* owner) { return read_member<T>(access, owner).size(); };
    f.append = [access](void* owner) -> void* {
      return &std::invoke(access, *static_cast<T*>(owner)).emplace_back();
    };
    f.element = [access](const void* owner, std::size_t i) -> const void* {
      return &read_member<T>(access, owner)[i];
    };
    return *this;
  }

  /// The keys of `inner` as keys of this object, bound to a member.
  template <class Access>
  Builder& include(Access access, const Object<MemberOf<Access>>& inner) {
    const auto to_member = [access](void* owner) -> void* {
      return &std::invoke(access, *static_cast<T*>(owner));
    };
    for (const Field& field : inner.any().fields)
      object_.fields.push_back(rebound(field, to_member));
    for (const auto& check : inner.any().checks) {
      object_.checks.push_back([check, to_member](const void* owner, std::vector<Problem>& out) {
        check(to_member(const_cast<void*>(owner)), out);
      });
    }
    return *this;
  }

  // What follows applies to the field before it.
  Builder& source(const std::string& text) {
    last().source = text;
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
    last().integer_minimum = minimum;
    last().integer_maximum = maximum;
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
  Builder& special(std::string spelling, std::optional<Scalar> value) {
    last().specials.push_back({std::move(spelling), std::move(value)});
    return *this;
  }
  /// `change(T&)` runs whenever the key is given, after its value is in place.
  template <class Change>
  Builder& then(Change change) {
    last().set = [set = last().set, change](void* owner, const std::optional<Scalar>& value) {
      set(owner, value);
      change(*static_cast<T*>(owner));
    };
    return *this;
  }
  Builder& default_part(const std::string& name) {
    last().default_part = name;
    return *this;
  }
  /// The key means something only where `condition(const T&)` holds; `where` says so in words.
  template <class Condition>
  Builder& only_if(Condition condition, const std::string& where) {
    last().applies = [condition](const void* owner) {
      return condition(*static_cast<const T*>(owner));
    };
    last().applies_where = where;
    return *this;
  }
  /// The value makes a difference only where `condition(const T&)` holds; `where` says so in words.
  template <class Condition>
  Builder& matters_if(Condition condition, const std::string& where) {
    last().matters = [condition](const void* owner) {
      return condition(*static_cast<const T*>(owner));
    };
    last().matters_where = where;
    return *this;
  }
  /// The key had this name in the release before. Files that have it are read, with a warning.
  Builder& formerly(const std::string& key) {
    last().former_key = key;
    return *this;
  }
  /// The choice `spelling` of the key had this spelling in the release before, likewise.
  Builder& respelled(std::string_view spelling, const std::string& former) {
    for (Choice& choice : last().choices) {
      if (choice.spelling == spelling) choice.former = former;
    }
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
  Builder& tag(std::string key, std::string doc) {
    object_.tag = std::move(key);
    object_.tag_doc = std::move(doc);
    return *this;
  }
  /// The tag may be left out: the alternative of that number is meant.
  Builder& optional_tag(std::string key, std::size_t standard, std::string doc) {
    object_.default_alternative = standard;
    return tag(std::move(key), std::move(doc));
  }
  /// The type `V` of the std::variant behind `access`. `initial` has the defaults of the
  /// alternative.
  template <class V, class Access>
  Builder& alternative(std::string name, Access access, const Object<V>& inner, V initial = V{}) {
    Alternative a;
    a.name = std::move(name);
    a.doc = inner.any().doc;
    a.object = inner.shared();
    a.select = [access, initial](void* owner) -> void* {
      return &std::invoke(access, *static_cast<T*>(owner)).template emplace<V>(initial);
    };
    a.view = [access](const void* owner) -> const void* {
      return std::get_if<V>(&read_member<T>(access, owner));
    };
    object_.selected = [access](const void* owner) {
      return read_member<T>(access, owner).index();
    };
    object_.alternatives.push_back(std::move(a));
    return *this;
  }
  /// An alternative that is this same struct in some state: `choose(T&)` brings it there, and
  /// `is_chosen(const T&)` tells whether it is there. Of several the first that holds counts.
  template <class IsChosen, class Choose>
  Builder& mode(std::string name, IsChosen is_chosen, Choose choose, const Object<T>& inner) {
    Alternative a;
    a.name = std::move(name);
    a.doc = inner.any().doc;
    a.object = inner.shared();
    a.select = [choose](void* owner) -> void* {
      choose(*static_cast<T*>(owner));
      return owner;
    };
    a.view = [](const void* owner) { return owner; };
    const std::size_t index = object_.alternatives.size();
    object_.selected = [is_chosen, index, before = object_.selected](const void* owner) {
      const std::size_t earlier = before ? before(owner) : index;
      if (earlier < index) return earlier;
      return is_chosen(*static_cast<const T*>(owner)) ? index : index + 1;
    };
    object_.alternatives.push_back(std::move(a));
    return *this;
  }
  /// A second spelling of the alternative before it.
  Builder& also(std::string name) {
    object_.alternatives.back().also = std::move(name);
    return *this;
  }
  /// The alternative had this name in the release before. Files that have it are read, with a
  /// warning.
  Builder& alternative_formerly(std::string name) {
    object_.alternatives.back().former = std::move(name);
    return *this;
  }
  /// The alternative before it, though not the default, is so beside other values elsewhere.
  Builder& implied() {
    object_.alternatives.back().is_implied = true;
    return *this;
  }
  Builder& shorthand(std::string key) {
    object_.shorthand = std::move(key);
    return *this;
  }
  /// The object is a part that the catalogue keeps under `collection`.
  Builder& part_of(std::string collection) {
    object_.collection = std::move(collection);
    object_.shorthand = kPartKey;
    return *this;
  }
  /// `condition(const T&, std::vector<Problem>&)` runs once the object is read without errors.
  template <class Check>
  Builder& check(Check condition) {
    object_.checks.push_back([condition](const void* owner, std::vector<Problem>& out) {
      condition(*static_cast<const T*>(owner), out);
    });
    return *this;
  }

  /// Ends the chain: the builder is empty afterwards.
  operator Object<T>() { return Object<T>(std::move(object_)); }  // NOLINT: implicit by intent

 private:
  Field& add(std::string key, std::string doc) {
    assert(object_.find(key) == nullptr);
    Field& f = object_.fields.emplace_back();
    f.key = std::move(key);
    f.doc = std::move(doc);
    return f;
  }
  Field& last() { return object_.fields.back(); }

  AnyObject object_;
};

template <class T>
[[nodiscard]] Builder<T> describe(std::string title, std::string doc) {
  return Builder<T>(std::move(title), std::move(doc));
}

}  // namespace weft::schema
