#include "simcore/schema/schema_builder.hpp"

#include <cassert>

namespace weft::schema {

AnyBuilder::AnyBuilder(std::string_view title, std::string_view doc) {
  object_.title = title;
  object_.doc = doc;
}

Field& AnyBuilder::add(std::string_view key, std::string_view doc, Kind kind) {
  assert(object_.find(std::string(key)) == nullptr);
  Field& f = object_.fields.emplace_back();
  f.key = key;
  f.doc = doc;
  f.kind = kind;
  return f;
}

Field& AnyBuilder::add(std::string_view key, std::string_view doc, Kind kind,
                       Callback<void*(void*)> member, const MemberAccess& access) {
  Field& f = add(key, doc, kind);
  f.member = std::move(member);
  f.access = &access;
  return f;
}

Field& AnyBuilder::add_object(std::string_view key, std::string_view doc, Kind kind,
                              Callback<void*(void*)> member, const MemberAccess& access,
                              const std::shared_ptr<const AnyObject>& inner) {
  Field& f = add(key, doc, kind, std::move(member), access);
  f.object = inner;
  return f;
}

void AnyBuilder::add_constant(std::string_view key, std::string_view value, std::string_view doc) {
  Field& f = add(key, doc, Kind::kChoice);
  add_choice(std::string(value).c_str(), "", 0);
  f.read = [](const void*) { return std::optional<Scalar>(std::int64_t{0}); };
  f.write = [](void*, const std::optional<Scalar>&) {};
}

void AnyBuilder::add_choice(const char* spelling, const char* doc,
                            std::optional<std::int64_t> number) {
  last().choices.push_back({.spelling = spelling, .doc = doc, .number = number});
}

void AnyBuilder::add_preset(std::string_view name, std::string_view source,
                            Callback<void(void*)> apply) {
  object_.presets.push_back({std::string(name), std::string(source), std::move(apply)});
}

void AnyBuilder::add_alternative(std::string_view name,
                                 const std::shared_ptr<const AnyObject>& inner,
                                 Callback<void*(void*)> select,
                                 Callback<const void*(const void*)> view) {
  Alternative& a = object_.alternatives.emplace_back();
  a.name = name;
  a.doc = inner->doc;
  a.object = inner;
  a.select = std::move(select);
  a.view = std::move(view);
}

void AnyBuilder::add_mode(std::string_view name, const std::shared_ptr<const AnyObject>& inner,
                          const Callback<bool(const void*)>& is_chosen,
                          Callback<void*(void*)> choose) {
  const std::size_t index = object_.alternatives.size();
  add_alternative(name, inner, std::move(choose), [](const void* owner) { return owner; });
  object_.selected = [is_chosen, index, before = object_.selected](const void* owner) {
    const std::size_t earlier = before ? before(owner) : index;
    if (earlier < index) return earlier;
    return is_chosen(owner) ? index : index + 1;
  };
}

void AnyBuilder::include_all(const AnyObject& inner, const Callback<void*(void*)>& to_member) {
  for (const Field& field : inner.fields) object_.fields.push_back(rebound(field, to_member));
  for (const auto& check : inner.checks) {
    object_.checks.emplace_back([check, to_member](const void* owner, std::vector<Problem>& out) {
      check(to_member(const_cast<void*>(owner)), out);
    });
  }
}

void AnyBuilder::respell(std::string_view spelling, std::string_view former) {
  for (Choice& choice : last().choices) {
    if (choice.spelling == spelling) choice.former = former;
  }
}

void AnyBuilder::set_special(std::string_view spelling, std::optional<Scalar> value) {
  last().specials.push_back({std::string(spelling), std::move(value)});
}

void AnyBuilder::set_integers(std::uint64_t minimum, std::uint64_t maximum) {
  last().integer_minimum = minimum;
  last().integer_maximum = maximum;
}

void AnyBuilder::set_tag(std::string_view key, std::string_view doc) {
  object_.tag = key;
  object_.tag_doc = doc;
}

void AnyBuilder::set_collection(std::string_view collection) {
  object_.collection = collection;
  object_.shorthand = kPartKey;
}

void AnyBuilder::set_text(std::string& text, std::string_view value) { text = value; }

std::shared_ptr<const AnyObject> AnyBuilder::finished() {
  return std::make_shared<const AnyObject>(std::move(object_));
}

}  // namespace weft::schema
