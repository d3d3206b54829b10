#include "collectives/proof/symbolic.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "collectives/proof/memory.hpp"
#include "collectives/proof/pieces.hpp"
#include "collectives/proof/transit.hpp"
#include "simcore/base/random.hpp"

namespace weft::collectives {

namespace {

using proof::Buffer;
using proof::bytes_text;
using proof::Message;
using proof::Queues;
using proof::Sums;

constexpr std::size_t kMaxProofProblems = 5;

class Interpreter {
 public:
  Interpreter(const Schedule& schedule, std::uint64_t order);

  Proof run();

 private:
  struct Lane {
    std::uint32_t rank;
    std::uint32_t number;
    StepStream stream;
    std::vector<std::uint32_t> peers;
    InNetworkWork work;
    Step step;
    bool has_step = false;
    std::int64_t events = 0;
    std::int64_t control_events = 0;
  };

  void problem(std::string sentence);
  static std::string who(const Lane& lane);
  static std::string describe(const Step& step);
  [[nodiscard]] const RankGroup& group_of(std::uint32_t rank) const;
  [[nodiscard]] bool is_head(std::uint32_t rank, const Lane& lane, std::uint32_t heads) const;

  void begin(std::uint32_t rank, std::uint32_t number);
  bool advance(Lane& lane, bool& is_done);
  bool execute(Lane& lane, const Step& step);
  bool exchange(Lane& lane, const Step& step);
  [[nodiscard]] bool is_possible(const Lane& lane, const Step& step) const;
  [[nodiscard]] Message read(const Lane& lane, const Step& step, Buffer buffer);
  [[nodiscard]] Message taken_for_sending(const Lane& lane, const Step& step);
  [[nodiscard]] bool is_awaited(const Lane& lane, const Step& step, const Message& message);
  void store(const Lane& lane, const Step& step, const Message& message);
  /// False if there is no message yet.
  [[nodiscard]] bool receive(const Lane& lane, const Step& step,
                             const std::optional<Message>& message);
  void copy(const Lane& lane, const Step& step);
  void contribute(const Lane& lane, const Step& step);
  void multicast(const Lane& lane, const Step& step);
  void check_nothing_left();
  void check_no_message_left(const Queues& queues, const char* what);

  const Schedule& schedule_;
  const SchedulePlan& plan_;
  proof::Pieces pieces_;
  proof::Memory memory_;
  RandomStream random_;
  /// What messages are read from and stored in.
  Buffer shared_;
  std::vector<RankGroup> groups_;
  std::vector<std::size_t> group_of_;  ///< by rank
  std::vector<Lane> lanes_;
  Queues messages_;
  Queues multicasts_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sums> sums_;  ///< by rank and lane
  Proof proof_;
};

Interpreter::Interpreter(const Schedule& schedule, std::uint64_t order)
    : schedule_(schedule),
      plan_(schedule.plan()),
      pieces_(schedule),
      memory_(schedule, pieces_),
      random_(order, Purpose::kArbitration, 0),
      shared_(schedule.is_staged() ? Buffer::kStaged : Buffer::kOwn),
      groups_(schedule.groups()) {
  const std::uint32_t n = plan_.ranks();
  group_of_.assign(n, groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const std::uint32_t rank : groups_[g]) group_of_[rank] = g;
  }
  groups_.emplace_back();  // of the ranks that are in none
  proof_.traffic.resize(n);
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    for (std::uint32_t lane = 0; lane < schedule.lanes(); ++lane) begin(rank, lane);
  }
}

void Interpreter::begin(std::uint32_t rank, std::uint32_t number) {
  lanes_.push_back({rank, number, schedule_.steps(rank, number), schedule_.send_peers(rank, number),
                    schedule_.in_network_work(number), Step{}});
}

Proof Interpreter::run() {
  std::vector<std::size_t> alive(lanes_.size());
  for (std::size_t i = 0; i < alive.size(); ++i) alive[i] = i;
  std::uint64_t draws = 0;
  for (bool moves = true; moves && !alive.empty();) {
    moves = false;
    for (std::size_t i = alive.size(); i-- > 1;) {
      std::swap(alive[i], alive[random_.below(draws++, i + 1)]);
    }
    for (std::size_t i = 0; i < alive.size();) {
      bool is_done = false;
      // A few steps at a time: other lanes come in between.
      for (std::uint64_t budget = random_.below(draws++, 4) + 1; budget > 0; --budget) {
        if (!advance(lanes_[alive[i]], is_done)) break;
        moves = true;
      }
      if (is_done) {
        alive[i] = alive.back();
        alive.pop_back();
      } else {
        ++i;
      }
    }
  }
  for (const std::size_t i : alive) {
    problem(who(lanes_[i]) + " waits forever " + describe(lanes_[i].step));
  }
  if (alive.empty()) {
    check_nothing_left();
    for (std::uint32_t rank = 0; rank < plan_.ranks(); ++rank) {
      memory_.check_output(rank, [this](std::string sentence) { problem(std::move(sentence)); });
    }
  }
  return std::move(proof_);
}

void Interpreter::problem(std::string sentence) {
  if (proof_.problems.size() < kMaxProofProblems) proof_.problems.push_back(std::move(sentence));
}

std::string Interpreter::who(const Lane& lane) {
  return "rank " + std::to_string(lane.rank) + ", channel " + std::to_string(lane.number) + ",";
}

std::string Interpreter::describe(const Step& step) {
  switch (step.kind) {
    case Step::Kind::kReceive:
      return "for a message from rank " + std::to_string(step.peer);
    case Step::Kind::kAwait:
      return "for another channel";
    case Step::Kind::kAwaitControlEvents:
      return "for control events";
    default:
      return "for the switch";
  }
}

const RankGroup& Interpreter::group_of(std::uint32_t rank) const {
  return groups_[group_of_[rank]];
}

/// Whether `rank` is among the first `heads` of the lane's group.
bool Interpreter::is_head(std::uint32_t rank, const Lane& lane, std::uint32_t heads) const {
  const std::span<const std::uint32_t> group(group_of(lane.rank));
  const auto first = group.first(std::min<std::size_t>(heads, group.size()));
  return std::ranges::find(first, rank) != first.end();
}

bool Interpreter::advance(Lane& lane, bool& is_done) {
  if (!lane.has_step) {
    if (!lane.stream.next(lane.step)) {
      is_done = true;
      return false;
    }
    lane.has_step = true;
    if (!is_possible(lane, lane.step)) {
      problem(who(lane) + " has a step of kind " +
              std::to_string(static_cast<int>(lane.step.kind)) + " with " +
              std::to_string(lane.step.peer) + ", which cannot be");
      lane.has_step = false;
      return true;
    }
  }
  if (!execute(lane, lane.step)) return false;
  lane.has_step = false;
  return true;
}

/// Whether the step belongs into a schedule and the lane, and names a rank or lane that it can.
bool Interpreter::is_possible(const Lane& lane, const Step& step) const {
  const bool is_other_rank = step.peer < plan_.ranks() && step.peer != lane.rank;
  const bool is_self = step.peer == lane.rank;
  switch (step.kind) {
    case Step::Kind::kSend:
      return !lane.work.any() && std::ranges::binary_search(lane.peers, step.peer);
    case Step::Kind::kReceive:
    case Step::Kind::kControlEvent:
      return is_other_rank;
    case Step::Kind::kNotify:
      return step.peer < schedule_.lanes();
    case Step::Kind::kAwait:
    case Step::Kind::kAwaitControlEvents:
      return true;
    case Step::Kind::kCopy:
      return is_self && schedule_.is_staged() && lane.work.any();
    case Step::Kind::kContribute:
      return is_head(step.peer, lane, lane.work.sums);
    case Step::Kind::kReceiveReduced:
      return is_self && is_head(lane.rank, lane, lane.work.sums);
    case Step::Kind::kMulticast:
      return is_self && is_head(lane.rank, lane, lane.work.copies);
    case Step::Kind::kReceiveMulticast:
      return is_head(step.peer, lane, lane.work.copies);
    default:
      return false;
  }
}

bool Interpreter::execute(Lane& lane, const Step& step) {
  switch (step.kind) {
    case Step::Kind::kNotify:
      ++lanes_[std::size_t{lane.rank} * schedule_.lanes() + step.peer].events;
      return true;
    case Step::Kind::kAwait:
      if (lane.events == 0) return false;
      --lane.events;
      return true;
    case Step::Kind::kControlEvent:
      ++lanes_[std::size_t{step.peer} * schedule_.lanes() + lane.number].control_events;
      return true;
    case Step::Kind::kAwaitControlEvents:
      if (lane.control_events < step.count()) return false;
      lane.control_events -= step.count();
      return true;
    case Step::Kind::kCopy:
      copy(lane, step);
      return true;
    default:
      return exchange(lane, step);
  }
}

/// Steps that hand data to somebody, or take it.
bool Interpreter::exchange(Lane& lane, const Step& step) {
  switch (step.kind) {
    case Step::Kind::kSend:
      messages_.push({lane.rank, step.peer, lane.number}, taken_for_sending(lane, step));
      return true;
    case Step::Kind::kReceive:
      return receive(lane, step, messages_.pop({step.peer, lane.rank, lane.number}));
    case Step::Kind::kContribute:
      contribute(lane, step);
      return true;
    case Step::Kind::kReceiveReduced:
      return receive(lane, step, sums_[{lane.rank, lane.number}].take(group_of(lane.rank).size()));
    case Step::Kind::kMulticast:
      multicast(lane, step);
      return true;
    default:
      return receive(lane, step, multicasts_.pop({step.peer, lane.rank, lane.number}));
  }
}

/// The data as it is now: what is received later is not sent.
Message Interpreter::read(const Lane& lane, const Step& step, Buffer buffer) {
  Message message{step.block, step.range(),
                  memory_.read(lane.rank, buffer, step.block, step.range())};
  const auto missing = std::ranges::find_if(
      message.data, [](const proof::Contributions& piece) { return piece.empty(); });
  if (missing != message.data.end() || message.data.empty()) {
    problem(who(lane) + " passes on " + bytes_text(step.block, step.range()) +
            ", of which it does not have all");
  }
  return message;
}

Message Interpreter::taken_for_sending(const Lane& lane, const Step& step) {
  if (step.amount < 1) problem(who(lane) + " sends a message of no bytes");
  ++proof_.traffic[lane.rank].messages;
  proof_.traffic[lane.rank].sent += step.amount;
  return read(lane, step, shared_);
}

bool Interpreter::is_awaited(const Lane& lane, const Step& step, const Message& message) {
  if (message.is_of(step.block, step.range())) return true;
  problem(who(lane) + " waits for " + bytes_text(step.block, step.range()) + " and gets " +
          bytes_text(message.block, message.range));
  return false;
}

void Interpreter::store(const Lane& lane, const Step& step, const Message& message) {
  RankTraffic& traffic = proof_.traffic[lane.rank];
  traffic.received += step.amount;
  if (!step.reduces) {
    memory_.store(lane.rank, shared_, step.block, step.range(), message.data);
    return;
  }
  traffic.reduced += step.amount;
  if (memory_.add(lane.rank, shared_, step.block, step.range(), message.data)) return;
  problem(who(lane) + " adds to " + bytes_text(step.block, step.range()) +
          ", of which it does not have all");
}

bool Interpreter::receive(const Lane& lane, const Step& step,
                          const std::optional<Message>& message) {
  if (!message) return false;
  if (is_awaited(lane, step, *message)) store(lane, step, *message);
  return true;
}

void Interpreter::copy(const Lane& lane, const Step& step) {
  const bool is_inwards = lane.work.adds();
  const Message message = read(lane, step, is_inwards ? Buffer::kOwn : Buffer::kStaged);
  const Buffer to = is_inwards ? Buffer::kStaged : Buffer::kOwn;
  if (memory_.copy(lane.rank, to, step.block, step.range(), message.data)) return;
  problem(who(lane) + " copies " + bytes_text(step.block, step.range()) +
          ", of which it has copied some before");
}

void Interpreter::contribute(const Lane& lane, const Step& step) {
  const Message* others =
      sums_[{step.peer, lane.number}].add(lane.rank, taken_for_sending(lane, step));
  if (others != nullptr) (void)is_awaited(lane, step, *others);
}

void Interpreter::multicast(const Lane& lane, const Step& step) {
  const Message message = taken_for_sending(lane, step);
  for (const std::uint32_t to : group_of(lane.rank)) {
    multicasts_.push({lane.rank, to, lane.number}, message);
  }
}

/// The next run of the schedule would begin with it.
void Interpreter::check_nothing_left() {
  check_no_message_left(messages_, "a message");
  check_no_message_left(multicasts_, "what is multicast");
  for (const auto& [key, sums] : sums_) {
    const Message* left = sums.left();
    if (left == nullptr) continue;
    problem("rank " + std::to_string(key.first) + ", channel " + std::to_string(key.second) +
            ", never takes the sum of " + bytes_text(left->block, left->range));
  }
  for (const Lane& lane : lanes_) {
    if (lane.events != 0) problem(who(lane) + " is notified more often than it waits");
    if (lane.control_events != 0)
      problem(who(lane) + " gets more control events than it waits for");
  }
}

void Interpreter::check_no_message_left(const Queues& queues, const char* what) {
  queues.for_each_left([&](const Queues::Route& route) {
    problem(std::string("nobody receives ") + what + " from rank " + std::to_string(route.source) +
            " to rank " + std::to_string(route.destination));
  });
}

}  // namespace

Proof prove(const Schedule& schedule, std::uint64_t order) {
  return Interpreter(schedule, order).run();
}

}  // namespace weft::collectives
