#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "collectives/proof/memory.hpp"
#include "collectives/steps/step.hpp"

/// What is on its way between ranks, or with scale-up switches.
namespace weft::collectives::proof {

struct Message {
  std::uint32_t block = 0;
  Range range;
  Data data;

  /// Whether it is of these bytes.
  [[nodiscard]] bool is_of(std::uint32_t other_block, Range other) const {
    return block == other_block && range == other;
  }
};

/// "8 bytes of block 0 from 16".
[[nodiscard]] std::string bytes_text(std::uint32_t block, Range range);

/// Messages from rank to rank, in order on every route.
class Queues {
 public:
  struct Route {
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    std::uint32_t lane = 0;
    auto operator<=>(const Route&) const = default;
  };

  void push(const Route& route, Message message) { messages_[route].push_back(std::move(message)); }
  /// The next one; nothing if there is none yet.
  [[nodiscard]] std::optional<Message> pop(const Route& route);
  /// Calls `visit(route)` for every route that still has messages.
  void for_each_left(const std::function<void(const Route&)>& visit) const;

 private:
  std::map<Route, std::deque<Message>> messages_;
};

/// What scale-up switches reduce for one rank and lane. Every rank's messages come in order, so
/// that the k-th of each make the k-th sum.
class Sums {
 public:
  /// Adds the next message of a rank. If the others' are of other bytes, it adds nothing and
  /// returns one of theirs.
  [[nodiscard]] const Message* add(std::uint32_t rank, Message message);
  /// The next sum, once `ranks` ranks have contributed.
  [[nodiscard]] std::optional<Message> take(std::size_t ranks);
  /// The first sum that nobody has taken.
  [[nodiscard]] const Message* left() const {
    return waiting_.empty() ? nullptr : &waiting_.front().message;
  }

 private:
  struct Sum {
    std::size_t ranks = 0;
    Message message;
  };
  std::map<std::uint32_t, std::size_t> contributed_;  ///< by rank: messages since the beginning
  std::size_t taken_ = 0;
  std::deque<Sum> waiting_;
};

}  // namespace weft::collectives::proof
