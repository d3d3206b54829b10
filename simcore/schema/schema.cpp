#include "simcore/schema/schema.hpp"

#include <algorithm>
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

Field rebound(const Field& field, const std::function<void*(void*)>& to_member) {
  // `view`, `get` and their like only read; the path to the member is the same for both.
  const auto inside = [to_member](const void* owner) -> const void* {
    return to_member(const_cast<void*>(owner));
  };
  Field f = field;
  if (field.applies)
    f.applies = [a = field.applies, inside](const void* o) { return a(inside(o)); };
  if (field.matters)
    f.matters = [m = field.matters, inside](const void* o) { return m(inside(o)); };
  if (field.get) f.get = [get = field.get, inside](const void* o) { return get(inside(o)); };
  if (field.set) {
    f.set = [set = field.set, to_member](void* o, const std::optional<Scalar>& value) {
      set(to_member(o), value);
    };
  }
  if (field.words) {
    f.words = [words = field.words, to_member](void* o) -> std::vector<std::string>& {
      return words(to_member(o));
    };
  }
  if (field.integers) {
    f.integers = [integers = field.integers, to_member](void* o) -> std::vector<std::uint32_t>& {
      return integers(to_member(o));
    };
  }
  if (field.open) f.open = [open = field.open, to_member](void* o) { return open(to_member(o)); };
  if (field.view) f.view = [view = field.view, inside](const void* o) { return view(inside(o)); };
  if (field.size) f.size = [size = field.size, inside](const void* o) { return size(inside(o)); };
  if (field.append) {
    f.append = [append = field.append, to_member](void* o) { return append(to_member(o)); };
  }
  if (field.element) {
    f.element = [element = field.element, inside](const void* o, std::size_t i) {
      return element(inside(o), i);
    };
  }
  return f;
}

}  // namespace weft::schema
