#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace weft {

/// A dense 32-bit index of one kind of entity. `Tag` keeps the kinds apart; `none()` names no
/// entity.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t value) : value_(value) {}
  constexpr explicit Id(std::size_t value) : value_(static_cast<std::uint32_t>(value)) {}

  [[nodiscard]] static constexpr Id none() { return Id(); }
  [[nodiscard]] constexpr std::uint32_t value() const { return value_; }
  [[nodiscard]] constexpr bool is_none() const { return value_ == kNone; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value_ = kNone;
};

/// A host or a switch of the fabric.
using NodeId = Id<struct NodeIdTag>;
/// One end of a cable. The link direction that leaves this end has the same number.
using PortId = Id<struct PortIdTag>;
/// A host, counted among hosts only: 0 .. hosts-1. Traffic is addressed by it.
using HostId = Id<struct HostIdTag>;
/// A switch, counted among switches only.
using SwitchId = Id<struct SwitchIdTag>;
/// One rank of one job; it lives on one host, and its state with it.
using ProcessId = Id<struct ProcessIdTag>;
/// An ordered pair of processes that exchange messages in one direction.
using ConnectionId = Id<struct ConnectionIdTag>;

/// A traffic class, counted by rising priority. There are so few that a byte holds its number, and
/// another one a set of classes.
class ClassId {
 public:
  constexpr ClassId() = default;  ///< the lowest
  constexpr explicit ClassId(std::size_t number) : value_(static_cast<std::uint8_t>(number)) {}

  [[nodiscard]] static constexpr ClassId none() { return ClassId(kNone); }
  [[nodiscard]] constexpr std::uint8_t value() const { return value_; }
  [[nodiscard]] constexpr bool is_none() const { return value_ == kNone; }
  constexpr auto operator<=>(const ClassId&) const = default;

 private:
  static constexpr std::uint8_t kNone = 0xff;
  std::uint8_t value_ = 0;
};

/// The first n classes, in order.
class ClassRange {
 public:
  class Iterator {
   public:
    constexpr explicit Iterator(std::uint32_t number) : number_(number) {}
    [[nodiscard]] constexpr ClassId operator*() const { return ClassId(number_); }
    constexpr Iterator& operator++() {
      ++number_;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    std::uint32_t number_;
  };

  constexpr explicit ClassRange(std::size_t count) : ClassRange(0, count) {}
  /// [first, end).
  constexpr ClassRange(std::size_t first, std::size_t end)
      : first_(static_cast<std::uint32_t>(first)), end_(static_cast<std::uint32_t>(end)) {}
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(first_); }
  [[nodiscard]] constexpr Iterator end() const { return Iterator(end_); }
  [[nodiscard]] constexpr std::uint32_t size() const { return end_ - first_; }

 private:
  std::uint32_t first_;
  std::uint32_t end_;
};
[[nodiscard]] constexpr ClassRange all_classes(std::size_t count) { return ClassRange(count); }

}  // namespace weft

template <class Tag>
struct std::hash<weft::Id<Tag>> {
  [[nodiscard]] std::size_t operator()(weft::Id<Tag> id) const { return id.value(); }
};
