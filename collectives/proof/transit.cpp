#include "collectives/proof/transit.hpp"

namespace weft::collectives::proof {

std::string bytes_text(std::uint32_t block, Range range) {
  return std::to_string(range.size) + " bytes of block " + std::to_string(block) + " from " +
         std::to_string(range.offset);
}

std::optional<Message> Queues::pop(const Route& route) {
  std::deque<Message>& queue = messages_[route];
  if (queue.empty()) return {};
  Message message = std::move(queue.front());
  queue.pop_front();
  return message;
}

void Queues::for_each_left(const std::function<void(const Route&)>& visit) const {
  for (const auto& [route, queue] : messages_) {
    if (!queue.empty()) visit(route);
  }
}

const Message* Sums::add(std::uint32_t rank, Message message) {
  const std::size_t place = contributed_[rank]++ - taken_;  // a sum is taken once all are in it
  if (place == waiting_.size()) {
    waiting_.push_back({1, std::move(message)});
    return nullptr;
  }
  Sum& sum = waiting_[place];
  if (!sum.message.is_of(message.block, message.range)) return &sum.message;
  ++sum.ranks;
  add_to(sum.message.data, message.data);
  return nullptr;
}

std::optional<Message> Sums::take(std::size_t ranks) {
  if (waiting_.empty() || waiting_.front().ranks < ranks) return {};
  Message message = std::move(waiting_.front().message);
  waiting_.pop_front();
  ++taken_;
  return message;
}

}  // namespace weft::collectives::proof
