#include "collectives/jobs/message_list.hpp"

#include <algorithm>
#include <utility>

namespace weft::collectives {

class MessageList::Source final : public StepSource {
 public:
  Source(const MessageList& program, std::uint32_t rank)
      : program_(program),
        next_sent_(program.sent_.first[rank]),
        sent_end_(program.sent_.first[rank + 1]),
        next_received_(program.received_.first[rank]),
        received_end_(program.received_.first[rank + 1]) {}

  bool next(Step& step) override {
    if (next_sent_ < sent_end_) {
      const auto& message = program_.spec_.list[program_.sent_.order[next_sent_]];
      if (!has_waited_) {
        step = Step::wait_until(program_.setting_.start + message.start);
      } else {
        step = Step::send(message.to, message.size);
        ++next_sent_;
      }
      has_waited_ = !has_waited_;
      return true;
    }
    if (next_received_ < received_end_) {
      const auto& message = program_.spec_.list[program_.received_.order[next_received_++]];
      step = Step::receive(message.from, message.size);
      return true;
    }
    step = Step::flush();
    return !std::exchange(has_flushed_, true) && program_.setting_.has_acknowledgements;
  }

 private:
  const MessageList& program_;
  std::uint32_t next_sent_;
  std::uint32_t sent_end_;
  std::uint32_t next_received_;
  std::uint32_t received_end_;
  bool has_waited_ = false;
  bool has_flushed_ = false;
};

MessageList::MessageList(ProgramSetting setting, MessagesSpec spec)
    : setting_(std::move(setting)), spec_(std::move(spec)) {
  std::stable_sort(spec_.list.begin(), spec_.list.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  sent_ = index_by(&MessagesSpec::Message::from);
  received_ = index_by(&MessagesSpec::Message::to);
}

MessageList::Index MessageList::index_by(std::uint32_t MessagesSpec::Message::*rank) const {
  Index index;
  index.first.resize(std::size_t{setting_.ranks} + 1);
  for (const auto& message : spec_.list) ++index.first[message.*rank + 1];
  for (std::size_t i = 1; i < index.first.size(); ++i) index.first[i] += index.first[i - 1];
  index.order.resize(spec_.list.size());
  std::vector<std::uint32_t> next(index.first.begin(), index.first.end() - 1);
  for (std::uint32_t i = 0; i < spec_.list.size(); ++i) {
    index.order[next[spec_.list[i].*rank]++] = i;
  }
  return index;
}

std::vector<std::uint32_t> MessageList::send_peers(std::uint32_t rank, std::uint32_t) const {
  std::vector<std::uint32_t> peers;
  for (std::uint32_t i = sent_.first[rank]; i < sent_.first[rank + 1]; ++i) {
    peers.push_back(spec_.list[sent_.order[i]].to);
  }
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

std::unique_ptr<StepSource> MessageList::steps(std::uint32_t rank, std::uint32_t) const {
  return std::make_unique<Source>(*this, rank);
}

}  // namespace weft::collectives
