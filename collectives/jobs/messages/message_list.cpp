#include "collectives/jobs/messages/message_list.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "collectives/jobs/messages/messages_csv.hpp"
#include "collectives/steps/step_list.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {

namespace {

/// Of problems that are named before the rest is left out.
constexpr std::size_t kMaxProblems = 20;
/// Of all ranks.
constexpr double kMaxLanesOfAllRanks = 4e6;

schema::Object<MessagesSpec::Message> message_schema() {
  using Message = MessagesSpec::Message;
  return schema::describe<Message>("message", "one transfer")
      .field("start", &Message::start,
             "counted from the job's start, or from the end of those that it is `after`")
      .source("with the job")
      .field("from", &Message::from, "rank that has the data")
      .required()
      .field("to", &Message::to, "rank that receives it; with `operation: read` it posts")
      .required()
      .field("size", &Message::size, "payload")
      .required()
      .at_least(1_B)
      .at_most(kMaxMessage)
      .integers("after", &Message::after,
                "indices in the list, from 0, of earlier messages that its sender has to have "
                "received, or of its own that have to be acknowledged; with `operation: read`, "
                "that its receiver has to have read")
      .source("none")
      .check([](const Message& m, Problems& problems) {
        if (m.from == m.to) problems.push_back({"to", "is the sending rank itself"});
      });
}

}  // namespace

schema::Object<MessagesSpec> MessageList::schema() {
  auto builder = schema::describe<MessagesSpec>("messages", "transfers one by one");
  builder.objects("list", &MessagesSpec::list, message_schema(), "the transfers")
      .source("in the CSV file")
      .compact()
      .only_if([](const MessagesSpec& m) { return m.csv.empty(); },
               "without `csv`; one of them is needed")
      .field("csv", &MessagesSpec::csv,
             "file beside the scenario with the columns start_us (or another unit), source, "
             "destination (each a rank, or the name of its host), bytes and, if wanted, class")
      .source("in the list")
      .field("sha256", &MessagesSpec::sha256, "of the CSV file; another content is refused")
      .changes_nothing()
      .source("not checked")
      .check([](const MessagesSpec& m, Problems& problems) {
        if (m.csv.empty() && m.list.empty()) {
          problems.push_back({"list", "is missing or empty; messages come from a list or a csv"});
        } else if (m.csv.empty() && !m.sha256.empty()) {
          problems.push_back({"sha256", "given without csv"});
        }
      });
  add_verb(builder);
  return builder;
}

void MessageList::read_files(Spec& spec, JobFiles& files) {
  if (spec.csv.empty()) return;
  const std::optional<JobFiles::File> file = files.read("csv", spec.csv);
  if (!file) return;
  if (!spec.sha256.empty() && spec.sha256 != file->sha256) {
    files.fail("sha256", "is not that of `" + file->path + "`, which has " + file->sha256 +
                             "; the file has changed");
  }
  spec.csv = file->path;
  spec.sha256 = file->sha256;
  files.note("sha256", "the file as it was read");
  auto list = parse_messages_csv(file->text, file->path, files.traffic_class(),
                                 [&files](const std::string& host) { return files.rank_on(host); });
  if (!list.ok()) return files.fail(list.errors());
  spec.list = std::move(list).value();
}

void MessageList::check(const Spec& spec, std::uint32_t ranks, Problems& problems) {
  const std::size_t already = problems.size();
  for (std::size_t i = 0; i < spec.list.size(); ++i) {
    const auto& message = spec.list[i];
    for (const auto& [rank, key] :
         {std::pair(message.from, ".from"), std::pair(message.to, ".to")}) {
      if (rank < ranks) continue;
      const bool is_listed = spec.csv.empty();
      problems.push_back({is_listed ? "list[" + std::to_string(i) + "]" + key : "csv",
                          (is_listed ? std::string() : "message " + std::to_string(i + 1) + " ") +
                              "names rank " + std::to_string(rank) + "; the job has ranks 0 to " +
                              std::to_string(ranks - 1)});
      if (problems.size() == already + kMaxProblems) return;
    }
  }
  check_links(spec, ranks, problems);
}

namespace {

/// What is wrong with the messages that number `i` is after.
std::string link_problem(const MessagesSpec& spec, std::size_t i) {
  const std::vector<MessagesSpec::Message>& list = spec.list;
  for (const std::uint32_t earlier : list[i].after) {
    const std::string name = std::to_string(earlier);
    if (earlier >= i) return "names message " + name + "; it has to be one before in the list";
    const MessagesSpec::Message& other = list[earlier];
    if (spec.verb == Verb::kRead && list[i].to != other.to) {
      return "names message " + name + ", which rank " + std::to_string(other.to) +
             " reads; rank " + std::to_string(list[i].to) + " knows of its own reads only";
    }
    if (spec.verb != Verb::kRead && list[i].from != other.from && list[i].from != other.to) {
      return "names message " + name + " from rank " + std::to_string(other.from) + " to " +
             std::to_string(other.to) + ", of which rank " + std::to_string(list[i].from) +
             " does not know";
    }
  }
  return {};
}

/// Whether each message waits, or is waited for.
std::vector<bool> find_linked(const std::vector<MessagesSpec::Message>& list) {
  std::vector<bool> is_linked(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].after.empty()) is_linked[i] = true;
    for (const std::uint32_t earlier : list[i].after) {
      if (earlier < i) is_linked[earlier] = true;  // else it is refused
    }
  }
  return is_linked;
}

}  // namespace

void MessageList::check_links(const Spec& spec, std::uint32_t ranks, Problems& problems) {
  const std::size_t already = problems.size();
  for (std::size_t i = 0; i < spec.list.size(); ++i) {
    std::string problem = link_problem(spec, i);
    if (problem.empty()) continue;
    problems.push_back({"list[" + std::to_string(i) + "].after", std::move(problem)});
    if (problems.size() == already + kMaxProblems) return;
  }
  if (problems.size() > already) return;
  const std::vector<bool> is_linked = find_linked(spec.list);
  const auto links = static_cast<double>(std::ranges::count(is_linked, true));
  const std::uint32_t each = spec.verb == Verb::kRead ? 2 : 1;  // lanes: of requests, of data
  const std::uint32_t max_lanes = kMaxLanes / each;
  const double max_of_all = kMaxLanesOfAllRanks / each;
  if (links < max_lanes && (links + 1) * ranks <= max_of_all) return;
  problems.push_back({"list", "has " + std::to_string(std::llround(links)) +
                                  " messages that wait or are waited for; at most " +
                                  std::to_string(max_lanes - 1) + " are possible, and " +
                                  std::to_string(std::llround(max_of_all)) +
                                  " times ranks; make it several jobs, or a graph"});
}

std::uint64_t MessageList::max_connections(const Spec& spec, std::uint32_t ranks) {
  const std::vector<bool> is_linked = find_linked(spec.list);
  const auto own = static_cast<std::uint64_t>(std::ranges::count(is_linked, true));
  return own + std::min(spec.list.size() - own, std::uint64_t{ranks} * (ranks - 1));
}

SendBound MessageList::bound(const Spec& spec, const BoundSetting& /*setting*/) {
  struct Sum {
    double messages = 0;
    double bytes = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sum> pairs;
  Sum max;
  for (const auto& m : spec.list) {
    Sum& sum = pairs[{m.from, m.to}];
    max.messages = std::max(max.messages, ++sum.messages);
    max.bytes = std::max(max.bytes, sum.bytes += static_cast<double>(m.size.count()));
  }
  const auto messages = static_cast<double>(spec.list.size());
  return {messages, messages, max.messages, max.bytes};
}

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
        step = Step::wait_until(message.start);
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
  if (spec_.verb == Verb::kRead) {
    for (Message& message : spec_.list) std::swap(message.from, message.to);  // as it is posted
  }
  link();
  std::stable_sort(spec_.list.begin(), spec_.list.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  sent_ = index_by(&MessagesSpec::Message::from);
  received_ = index_by(&MessagesSpec::Message::to);
}

void MessageList::link() {
  const std::vector<bool> is_linked = find_linked(spec_.list);
  std::vector<std::uint32_t> lane_of(spec_.list.size());
  for (std::uint32_t i = 0; i < spec_.list.size(); ++i) {
    if (!is_linked[i]) continue;
    lane_of[i] = lanes();
    linked_.push_back({spec_.list[i]});
    for (const std::uint32_t earlier : spec_.list[i].after) {
      Linked& other = linked_[lane_of[earlier] - 1];
      const bool is_own = other.message.from == spec_.list[i].from;
      (is_own ? other.sender_successors : other.receiver_successors).push_back(lane_of[i]);
    }
  }
  if (linked_.empty()) return;
  std::size_t number = 0;
  std::erase_if(spec_.list, [&](const Message&) { return is_linked[number++]; });
}

std::vector<Step> MessageList::linked_steps(const Linked& linked, std::uint32_t rank) const {
  const Message& message = linked.message;
  std::vector<Step> steps;
  if (rank == message.from) {
    for (std::size_t i = 0; i < message.after.size(); ++i) steps.push_back(Step::await());
    if (message.after.empty()) {
      steps.push_back(Step::wait_until(message.start));
    } else if (message.start > Picoseconds()) {
      steps.push_back(Step::delay(message.start));
    }
    steps.push_back(Step::send(message.to, message.size));
    if (setting_.has_acknowledgements) steps.push_back(Step::flush());
    for (const std::uint32_t lane : linked.sender_successors) steps.push_back(Step::notify(lane));
  } else if (rank == message.to) {
    steps.push_back(Step::receive(message.from, message.size));
    for (const std::uint32_t lane : linked.receiver_successors) steps.push_back(Step::notify(lane));
  }
  return steps;
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

std::vector<std::uint32_t> MessageList::send_peers(LanePlace place) const {
  if (place.lane > 0) {
    const Message& message = linked_[place.lane - 1].message;
    if (place.rank != message.from) return {};
    return {message.to};
  }
  std::vector<std::uint32_t> peers;
  for (std::uint32_t i = sent_.first[place.rank]; i < sent_.first[place.rank + 1]; ++i) {
    peers.push_back(spec_.list[sent_.order[i]].to);
  }
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

std::unique_ptr<StepSource> MessageList::steps(LanePlace place) const {
  if (place.lane > 0) {
    return std::make_unique<StepList>(linked_steps(linked_[place.lane - 1], place.rank));
  }
  return std::make_unique<Source>(*this, place.rank);
}

}  // namespace weft::collectives
