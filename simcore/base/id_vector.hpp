#pragma once

#include <vector>

namespace weft {

/// A vector with a place for each entity of one kind, which is found by its id and by nothing else.
template <class Index, class T>
class IdVector : std::vector<T> {
  using Base = std::vector<T>;

 public:
  using Base::Base;
  using typename Base::const_iterator;
  using typename Base::const_reference;
  using typename Base::iterator;
  using typename Base::reference;
  using typename Base::value_type;

  using Base::assign;
  using Base::back;
  using Base::begin;
  using Base::capacity;
  using Base::data;
  using Base::emplace_back;
  using Base::empty;
  using Base::end;
  using Base::front;
  using Base::push_back;
  using Base::reserve;
  using Base::resize;
  using Base::size;

  [[nodiscard]] reference operator[](Index id) { return Base::operator[](id.value()); }
  [[nodiscard]] const_reference operator[](Index id) const { return Base::operator[](id.value()); }
};

}  // namespace weft
