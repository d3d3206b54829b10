#include "simcore/schema/schema.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace weft::schema {

const Field* AnyObject::find(const std::string& key) const {
  const auto found = std::ranges::find(fields, key, &Field::key);
  return found == fields.end() ? nullptr : &*found;
}

const Field* AnyObject::find_former(const std::string& key) const {
  if (key.empty()) return nullptr;
  const auto found = std::ranges::find(fields, key, &Field::former_key);
  return found == fields.end() ? nullptr : &*found;
}

const Alternative* AnyObject::alternative(const std::string& name) const {
  const auto found = std::ranges::find_if(alternatives, [&name](const Alternative& a) {
    return a.name == name || (!name.empty() && (a.also == name || a.former == name));
  });
  return found == alternatives.end() ? nullptr : &*found;
}

namespace {

/// What is kept is not written through `owner`: the path to a member is the same for both.
const void* const_member(const Field& field, const void* owner) {
  return field.member(const_cast<void*>(owner));
}

}  // namespace

bool Field::is_scalar() const { return read || (access != nullptr && access->get != nullptr); }

std::optional<Scalar> Field::get(const void* owner) const {
  if (read) return read(owner);
  std::optional<Scalar> value = access->get(const_member(*this, owner));
  if (kind != Kind::kChoice) return value;
  const std::int64_t number = value ? std::get<std::int64_t>(*value) : 0;
  const auto found = std::ranges::find_if(choices, [&](const Choice& choice) {
    return choice.number.has_value() == value.has_value() && choice.number.value_or(0) == number;
  });
  assert(found != choices.end());
  return std::int64_t{found - choices.begin()};
}

void Field::set(void* owner, const std::optional<Scalar>& value) const {
  if (write) {
    write(owner, value);
  } else if (kind != Kind::kChoice) {
    access->set(member(owner), value);
  } else {
    const auto index = static_cast<std::size_t>(std::get<std::int64_t>(*value));
    const std::optional<std::int64_t> number = choices[index].number;
    access->set(member(owner), number ? std::optional<Scalar>(*number) : std::nullopt);
  }
  for (const auto& change : changes) change(owner);
}

std::vector<std::string>& Field::words(void* owner) const {
  return *static_cast<std::vector<std::string>*>(member(owner));
}

std::vector<std::uint32_t>& Field::integers(void* owner) const {
  return *static_cast<std::vector<std::uint32_t>*>(member(owner));
}

void* Field::open(void* owner) const { return access->open(member(owner)); }

const void* Field::view(const void* owner) const {
  return access->view(const_member(*this, owner));
}

std::size_t Field::size(const void* owner) const {
  return access->size(const_member(*this, owner));
}

void* Field::append(void* owner) const { return access->append(member(owner)); }

const void* Field::element(const void* owner, std::size_t i) const {
  return access->element(const_member(*this, owner), i);
}

Field rebound(const Field& field, const Callback<void*(void*)>& to_member) {
  const auto inside = [to_member](const void* owner) -> const void* {
    return to_member(const_cast<void*>(owner));
  };
  Field f = field;
  if (field.applies)
    f.applies = [a = field.applies, inside](const void* o) { return a(inside(o)); };
  if (field.matters)
    f.matters = [m = field.matters, inside](const void* o) { return m(inside(o)); };
  if (field.member) {
    f.member = [member = field.member, to_member](void* o) { return member(to_member(o)); };
  }
  if (field.read) f.read = [read = field.read, inside](const void* o) { return read(inside(o)); };
  if (field.write) {
    f.write = [write = field.write, to_member](void* o, const std::optional<Scalar>& value) {
      write(to_member(o), value);
    };
  }
  for (auto& change : f.changes) {
    change = [change, to_member](void* o) { change(to_member(o)); };
  }
  return f;
}

}  // namespace weft::schema
