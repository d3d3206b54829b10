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
#include <type_traits>
#include <utility>
#include <vector>

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

/// Largest quantity that a scenario may state, so that sums of a few cannot overflow.
inline constexpr std::int64_t kMaxQuantity = std::numeric_limits<std::int64_t>::max() / 4;

template <class T>
struct OptionalTraits {
  using Value = T;
  static constexpr bool kIsOptional = false;
};
template <class T>
struct OptionalTraits<std::optional<T>> {
  using Value = T;
  static constexpr bool kIsOptional = true;
};

template <class T>
concept IsQuantity = requires(T q) {
  { q.count() } -> std::same_as<std::int64_t>;
};

/// How a value of type V travels through a Scalar.
template <class V>
struct ScalarTraits {
  static Scalar pack(const V& value) {
    if constexpr (IsQuantity<V>) {
      return value.count();
    } else if constexpr (std::is_enum_v<V>) {
      return static_cast<std::int64_t>(value);
    } else if constexpr (std::unsigned_integral<V> && !std::same_as<V, bool>) {
      return static_cast<std::uint64_t>(value);
    } else {
      return value;
    }
  }
  static V unpack(const Scalar& scalar) {
    if constexpr (IsQuantity<V>) {
      return V(std::get<std::int64_t>(scalar));
    } else if constexpr (std::is_enum_v<V>) {
      return static_cast<V>(std::get<std::int64_t>(scalar));
    } else if constexpr (std::unsigned_integral<V> && !std::same_as<V, bool>) {
      return static_cast<V>(std::get<std::uint64_t>(scalar));
    } else {
      return std::get<V>(scalar);
    }
  }
};

template <class T>
class Builder {
 public:
  Builder(std::string title, std::string doc) {
    object_.title = std::move(title);
    object_.doc = std::move(doc);
  }

  /// A scalar member: a quantity, an unsigned integer, a double (a fraction), a bool or a text; or
  /// a std::optional of one, which is absent by default.
  template <class Access>
  Builder& field(std::string key, Access access, std::string doc) {
    using Member = std::remove_cvref_t<std::invoke_result_t<Access, T&>>;
    using Value = typename OptionalTraits<Member>::Value;
    Field& f = add(std::move(key), std::move(doc));
    bind_scalar<Member>(f, access);
    set_kind<Value>(f);
    return *this;
  }

  /// An enumeration whose enumerators are 0, 1, 2 ... in the order of the spellings.
  template <class Access>
  Builder& choice(std::string key, Access access, std::vector<Choice> choices, std::string doc) {
    using Member = std::remove_cvref_t<std::invoke_result_t<Access, T&>>;
    static_assert(std::is_enum_v<Member>);
    Field& f = add(std::move(key), std::move(doc));
    bind_scalar<Member>(f, access);
    f.kind = Kind::kChoice;
    f.choices = std::move(choices);
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
  Builder& object(std::string key, Access access, Object inner, std::string doc) {
    using Member = std::remove_cvref_t<std::invoke_result_t<Access, T&>>;
    Field& f = add(std::move(key), std::move(doc));
    f.kind = Kind::kObject;
    f.object = std::make_shared<const Object>(std::move(inner));
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
      const Member& member = read(access, owner);
      if constexpr (OptionalTraits<Member>::kIsOptional) {
        return member ? &*member : nullptr;
      } else {
        return &member;
      }
    };
    return *this;
  }

  /// A nested map whose keys are members of this same struct.
  Builder& group(std::string key, Object inner, std::string doc) {
    return object(
        std::move(key), [](T& self) -> T& { return self; }, std::move(inner), std::move(doc));
  }

  /// A std::vector of structs described by `inner`.
  template <class Access>
  Builder& objects(std::string key, Access access, Object inner, std::string doc) {
    Field& f = add(std::move(key), std::move(doc));
    f.kind = Kind::kObjects;
    f.object = std::make_shared<const Object>(std::move(inner));
    f.size = [access](const void* owner) { return read(access, owner).size(); };
    f.append = [access](void* owner) -> void* {
      return &std::invoke(access, *static_cast<T*>(owner)).emplace_back();
    };
    f.element = [access](const void* owner, std::size_t i) -> const void* {
      return &read(access, owner)[i];
    };
    return *this;
  }

  /// The keys of `inner` as keys of this object, bound to a member.
  template <class Access>
  Builder& include(Access access, const Object& inner) {
    const auto to_member = [access](void* owner) -> void* {
      return &std::invoke(access, *static_cast<T*>(owner));
    };
    for (const Field& field : inner.fields) object_.fields.push_back(rebound(field, to_member));
    for (const auto& check : inner.checks) {
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
  Builder& not_empty() {
    last().least = 1;
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
  Builder& alternative(std::string name, Access access, Object inner, V initial = V{}) {
    Alternative a;
    a.name = std::move(name);
    a.doc = inner.doc;
    a.object = std::make_shared<const Object>(std::move(inner));
    a.select = [access, initial](void* owner) -> void* {
      return &std::invoke(access, *static_cast<T*>(owner)).template emplace<V>(initial);
    };
    a.view = [access](const void* owner) -> const void* {
      return std::get_if<V>(&read(access, owner));
    };
    object_.selected = [access](const void* owner) { return read(access, owner).index(); };
    object_.alternatives.push_back(std::move(a));
    return *this;
  }
  /// An alternative that is this same struct in some state: `choose(T&)` brings it there, and
  /// `is_chosen(const T&)` tells whether it is there. Of several the first that holds counts.
  template <class IsChosen, class Choose>
  Builder& mode(std::string name, IsChosen is_chosen, Choose choose, Object inner) {
    Alternative a;
    a.name = std::move(name);
    a.doc = inner.doc;
    a.object = std::make_shared<const Object>(std::move(inner));
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
  /// The alternative before it, though not the default, is so beside other values elsewhere.
  Builder& implied() {
    object_.alternatives.back().is_implied = true;
    return *this;
  }
  Builder& shorthand(std::string key) {
    object_.shorthand = std::move(key);
    return *this;
  }
  /// Names values for the field before it, which must be a choice.
  Builder& presets(std::vector<Preset> presets) {
    assert(last().kind == Kind::kChoice && last().choices.empty());
    for (const Preset& preset : presets) last().choices.push_back({preset.name, preset.source});
    object_.preset_key = last().key;
    object_.presets = std::move(presets);
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
  operator Object() { return std::move(object_); }  // NOLINT: implicit by intent

 private:
  Field& add(std::string key, std::string doc) {
    assert(object_.find(key) == nullptr);
    Field& f = object_.fields.emplace_back();
    f.key = std::move(key);
    f.doc = std::move(doc);
    return f;
  }
  Field& last() { return object_.fields.back(); }

  /// Members are reached through a mutable reference; nothing is written through this one.
  template <class Access>
  static const auto& read(const Access& access, const void* owner) {
    return std::invoke(access, *static_cast<T*>(const_cast<void*>(owner)));
  }

  template <class Member, class Access>
  static void bind_scalar(Field& f, Access access) {
    using Traits = OptionalTraits<Member>;
    using Value = typename Traits::Value;
    f.get = [access](const void* owner) -> std::optional<Scalar> {
      const Member& member = read(access, owner);
      if constexpr (Traits::kIsOptional) {
        if (!member) return std::nullopt;
        return ScalarTraits<Value>::pack(*member);
      } else {
        return ScalarTraits<Value>::pack(member);
      }
    };
    f.set = [access](void* owner, const std::optional<Scalar>& value) {
      Member& member = std::invoke(access, *static_cast<T*>(owner));
      if (value) {
        member = ScalarTraits<Value>::unpack(*value);
      } else if constexpr (Traits::kIsOptional) {
        member.reset();
      }
    };
  }

  template <class Value>
  static void set_kind(Field& f) {
    if constexpr (IsQuantity<Value>) {
      f.kind = Kind::kQuantity;
      f.dimension = &dimension_of<Value>();
      f.maximum = kMaxQuantity;
    } else if constexpr (std::same_as<Value, double>) {
      f.kind = Kind::kFraction;
    } else if constexpr (std::same_as<Value, bool>) {
      f.kind = Kind::kBoolean;
    } else if constexpr (std::same_as<Value, std::string>) {
      f.kind = Kind::kText;
    } else {
      static_assert(std::unsigned_integral<Value>);
      f.kind = Kind::kInteger;
      f.integer_maximum = std::numeric_limits<Value>::max();
    }
  }

  Object object_;
};

template <class T>
[[nodiscard]] Builder<T> describe(std::string title, std::string doc) {
  return Builder<T>(std::move(title), std::move(doc));
}

}  // namespace weft::schema
