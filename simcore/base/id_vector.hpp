#pragma once

#include <array>
#include <cstddef>
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
  using Base::clear;
  using Base::data;
  using Base::emplace_back;
  using Base::empty;
  using Base::end;
  using Base::front;
  using Base::insert;
  using Base::push_back;
  using Base::reserve;
  using Base::resize;
  using Base::size;

  [[nodiscard]] reference operator[](Index id) { return Base::operator[](id.value()); }
  [[nodiscard]] const_reference operator[](Index id) const { return Base::operator[](id.value()); }
};

/// The same, where there are that many at most.
template <class Index, class T, std::size_t Most>
class IdArray {
 public:
  [[nodiscard]] constexpr T& operator[](Index id) { return places_[id.value()]; }
  [[nodiscard]] constexpr const T& operator[](Index id) const { return places_[id.value()]; }
  [[nodiscard]] constexpr auto begin() { return places_.begin(); }
  [[nodiscard]] constexpr auto begin() const { return places_.begin(); }
  [[nodiscard]] constexpr auto end() { return places_.end(); }
  [[nodiscard]] constexpr auto end() const { return places_.end(); }

 private:
  std::array<T, Most> places_{};
};

}  // namespace weft
