#include "collectives/symbolic.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "simcore/random.hpp"

namespace weft::collectives {

namespace {

constexpr std::size_t kMaxProblems = 5;

/// How often each rank's contribution is in a piece of data; empty: there is no data.
using Contributions = std::vector<std::uint16_t>;

/// Blocks cut at every place where some message begins or ends.
class Pieces {
 public:
  explicit Pieces(const Schedule& schedule) {
    const SchedulePlan& plan = schedule.plan();
    for (std::uint32_t rank = 0; rank < plan.ranks(); ++rank) {
      if (!plan.is_by_blocks()) add(0, part_of(plan.whole(), plan.ranks(), rank));
      for (std::uint32_t lane = 0; lane < schedule.lanes(); ++lane) {
        StepStream stream = schedule.steps(rank, lane);
        for (Step step; stream.next(step);) {
          if (step.kind == Step::Kind::kSend || step.is_in_network()) {
            add(step.block, step.range());
          }
        }
      }
    }
    for (auto& [block, places] : places_) {
      std::ranges::sort(places);
      places.erase(std::unique(places.begin(), places.end()), places.end());
    }
  }

  /// Where the pieces of a range begin; ranges that no message has are one piece.
  [[nodiscard]] std::vector<std::int64_t> of(std::uint32_t block, Range range) const {
    const auto found = places_.find(block);
    if (range.empty()) return {};
    if (found == places_.end()) return {range.offset};
    const auto first = std::ranges::lower_bound(found->second, range.offset);
    const auto end = std::ranges::lower_bound(found->second, range.end());
    return {first, end};
  }

 private:
  void add(std::uint32_t block, Range range) {
    auto& places = places_[block];
    if (places.size() > 4096) {  // most are the same ones again
      std::ranges::sort(places);
      places.erase(std::unique(places.begin(), places.end()), places.end());
    }
    places.push_back(range.offset);
    places.push_back(range.end());
  }

  std::map<std::uint32_t, std::vector<std::int64_t>> places_;
};

class Interpreter {
 public:
  Interpreter(const Schedule& schedule, std::uint64_t order)
      : schedule_(schedule),
        plan_(schedule.plan()),
        pieces_(schedule),
        random_(order, Purpose::kArbitration, 0) {
    const std::uint32_t n = plan_.ranks();
    group_of_.resize(n);
    for (const RankGroup& group : schedule.groups()) {
      for (const std::uint32_t rank : group) group_of_[rank] = group;
    }
    memory_.resize(n);
    proof_.traffic.resize(n);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      put_input(rank);
      for (std::uint32_t lane = 0; lane < schedule.lanes(); ++lane) {
        lanes_.push_back({rank,
                          lane,
                          schedule.steps(rank, lane),
                          schedule.send_peers(rank, lane),
                          {},
                          0,
                          0,
                          false});
      }
    }
  }

  Proof run() {
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
      problem(who(lanes_[i]) + " waits for ever " + describe(lanes_[i].step));
    }
    if (alive.empty()) check_result();
    return std::move(proof_);
  }

 private:
  struct Lane {
    std::uint32_t rank;
    std::uint32_t number;
    StepStream stream;
    std::vector<std::uint32_t> peers;
    Step step;
    std::int64_t events;
    std::int64_t signals;
    bool has_step;
  };
  struct Message {
    std::uint32_t block;
    Range range;
    std::vector<Contributions> data;  ///< by piece
  };
  struct Collected {
    std::uint32_t ranks = 0;
    std::vector<Contributions> data;
  };
  using Place = std::pair<std::uint32_t, std::int64_t>;  // block, offset

  void problem(std::string sentence) {
    if (proof_.problems.size() < kMaxProblems) proof_.problems.push_back(std::move(sentence));
  }
  static std::string who(const Lane& lane) {
    return "rank " + std::to_string(lane.rank) + ", lane " + std::to_string(lane.number) + ",";
  }
  static std::string describe(const Step& step) {
    switch (step.kind) {
      case Step::Kind::kReceive:
        return "for a message from rank " + std::to_string(step.peer);
      case Step::Kind::kAwait:
        return "for another lane";
      case Step::Kind::kAwaitSignals:
        return "for signals";
      default:
        return "for the switch";
    }
  }

  Contributions only(std::uint32_t rank) const {
    Contributions data(plan_.ranks());
    data[rank] = 1;
    return data;
  }
  void put(std::uint32_t rank, std::uint32_t block, Range range, const Contributions& data) {
    for (const std::int64_t at : pieces_.of(block, range)) memory_[rank][{block, at}] = data;
  }

  void put_input(std::uint32_t rank) {
    const Contributions own = only(rank);
    switch (plan_.operation) {
      case Operation::kAllReduce:
      case Operation::kReduce:
      case Operation::kReduceScatter:
        put(rank, 0, plan_.whole(), own);
        break;
      case Operation::kBarrier:
        put(rank, 0, {0, 1}, own);
        break;
      case Operation::kAllGather:
      case Operation::kGather:
        put(rank, 0, part_of(plan_.whole(), plan_.ranks(), rank), own);
        break;
      case Operation::kBroadcast:
      case Operation::kScatter:
        if (rank == plan_.root) put(rank, 0, plan_.whole(), own);
        break;
      case Operation::kAllToAll:
      case Operation::kAllToAllV:
      case Operation::kSendReceive:
        for (std::uint32_t to = 0; to < plan_.ranks(); ++to) {
          put(rank, plan_.block_of(rank, to), {0, plan_.block_size(rank, to)}, own);
        }
        break;
    }
  }

  bool advance(Lane& lane, bool& is_done) {
    if (!lane.has_step) {
      if (!lane.stream.next(lane.step)) {
        is_done = true;
        return false;
      }
      lane.has_step = true;
    }
    if (!execute(lane, lane.step)) return false;
    lane.has_step = false;
    return true;
  }

  bool execute(Lane& lane, const Step& step) {
    switch (step.kind) {
      case Step::Kind::kSend:
        send(lane, step);
        return true;
      case Step::Kind::kReceive:
        return receive(lane, step);
      case Step::Kind::kNotify:
        ++lanes_[std::size_t{lane.rank} * schedule_.lanes() + step.peer].events;
        return true;
      case Step::Kind::kAwait:
        if (lane.events == 0) return false;
        --lane.events;
        return true;
      case Step::Kind::kSignal:
        ++lanes_[std::size_t{step.peer} * schedule_.lanes() + lane.number].signals;
        return true;
      case Step::Kind::kAwaitSignals:
        if (lane.signals < step.count()) return false;
        lane.signals -= step.count();
        return true;
      case Step::Kind::kCopy:
        return true;  // between buffers that hold the same data
      case Step::Kind::kContribute:
        contribute(lane, step);
        return true;
      case Step::Kind::kReceiveReduced:
        return receive_reduced(lane, step);
      case Step::Kind::kMulticast:
        multicast(lane, step);
        return true;
      case Step::Kind::kReceiveMulticast:
        return receive_from(lane, step, multicasts_[{step.peer, lane.rank, lane.number}]);
      default:
        problem(who(lane) + " has a step that belongs to no schedule");
        return true;
    }
  }

  /// The data as it is now: what is received later is not sent.
  std::vector<Contributions> read(const Lane& lane, const Step& step) {
    std::vector<Contributions> data;
    for (const std::int64_t at : pieces_.of(step.block, step.range())) {
      const auto found = memory_[lane.rank].find({step.block, at});
      if (found == memory_[lane.rank].end()) {
        problem(who(lane) + " sends byte " + std::to_string(at) + " of block " +
                std::to_string(step.block) + ", which it does not have");
        data.emplace_back();
      } else {
        data.push_back(found->second);
      }
    }
    return data;
  }

  void count_sent(const Lane& lane, const Step& step) {
    if (step.amount < 1) problem(who(lane) + " sends a message of no bytes");
    ++proof_.traffic[lane.rank].messages;
    proof_.traffic[lane.rank].sent += step.amount;
  }

  void send(const Lane& lane, const Step& step) {
    if (!std::ranges::binary_search(lane.peers, step.peer)) {
      problem(who(lane) + " sends to rank " + std::to_string(step.peer) +
              ", which is not among its peers");
    }
    count_sent(lane, step);
    queues_[{lane.rank, step.peer, lane.number}].push_back(
        {step.block, step.range(), read(lane, step)});
  }

  bool receive(Lane& lane, const Step& step) {
    return receive_from(lane, step, queues_[{step.peer, lane.rank, lane.number}]);
  }

  bool receive_from(Lane& lane, const Step& step, std::deque<Message>& queue) {
    if (queue.empty()) return false;
    const Message message = std::move(queue.front());
    queue.pop_front();
    if (message.block != step.block || message.range != step.range()) {
      problem(who(lane) + " waits for " + std::to_string(step.amount) + " bytes of block " +
              std::to_string(step.block) + " from " + std::to_string(step.offset) + " and gets " +
              std::to_string(message.range.size) + " of block " + std::to_string(message.block) +
              " from " + std::to_string(message.range.offset));
      return true;
    }
    store(lane, step, message.data);
    return true;
  }

  void store(const Lane& lane, const Step& step, const std::vector<Contributions>& data) {
    Traffic& traffic = proof_.traffic[lane.rank];
    traffic.received += step.amount;
    if (step.reduces) traffic.reduced += step.amount;
    std::size_t i = 0;
    for (const std::int64_t at : pieces_.of(step.block, step.range())) {
      const Contributions& piece = data[i++];
      Contributions& target = memory_[lane.rank][{step.block, at}];
      if (!step.reduces) {
        target = piece;
        continue;
      }
      target.resize(plan_.ranks());
      for (std::size_t r = 0; r < piece.size(); ++r) {
        target[r] = static_cast<std::uint16_t>(target[r] + piece[r]);
      }
    }
  }

  void contribute(const Lane& lane, const Step& step) {
    count_sent(lane, step);
    if (std::ranges::find(group_of_[lane.rank], step.peer) == group_of_[lane.rank].end()) {
      problem(who(lane) + " contributes to rank " + std::to_string(step.peer) +
              ", which is not in its group");
    }
    Collected& sum = collected_[{step.peer, lane.number, step.offset}];
    const std::vector<Contributions> data = read(lane, step);
    sum.data.resize(data.size(), Contributions(plan_.ranks()));
    ++sum.ranks;
    for (std::size_t i = 0; i < data.size(); ++i) {
      for (std::size_t r = 0; r < data[i].size(); ++r) {
        sum.data[i][r] = static_cast<std::uint16_t>(sum.data[i][r] + data[i][r]);
      }
    }
  }

  bool receive_reduced(const Lane& lane, const Step& step) {
    const auto found = collected_.find({lane.rank, lane.number, step.offset});
    if (found == collected_.end() || found->second.ranks < group_of_[lane.rank].size()) {
      return false;
    }
    store(lane, step, found->second.data);
    collected_.erase(found);
    return true;
  }

  void multicast(const Lane& lane, const Step& step) {
    count_sent(lane, step);
    const std::vector<Contributions> data = read(lane, step);
    for (const std::uint32_t to : group_of_[lane.rank]) {
      multicasts_[{lane.rank, to, lane.number}].push_back({step.block, step.range(), data});
    }
  }

  bool is_right(const Contributions& data, std::uint32_t expected_only, bool is_sum) const {
    if (data.size() != plan_.ranks()) return false;
    for (std::uint32_t r = 0; r < plan_.ranks(); ++r) {
      const bool is_in = is_sum || r == expected_only;
      if (plan_.operation == Operation::kBarrier ? data[r] == 0 : data[r] != (is_in ? 1 : 0)) {
        return false;
      }
    }
    return true;
  }

  void expect(std::uint32_t rank, std::uint32_t block, Range range, std::uint32_t source,
              bool is_sum) {
    for (const std::int64_t at : pieces_.of(block, range)) {
      const auto found = memory_[rank].find({block, at});
      if (found != memory_[rank].end() && is_right(found->second, source, is_sum)) continue;
      problem(
          "rank " + std::to_string(rank) + " ends without " +
          (is_sum ? std::string("the sum of all") : "the data of rank " + std::to_string(source)) +
          " at byte " + std::to_string(at) + " of block " + std::to_string(block));
      return;
    }
  }

  void check_result() {
    for (const auto& [key, queue] : queues_) {
      if (!queue.empty()) {
        problem("nobody receives a message from rank " + std::to_string(std::get<0>(key)) +
                " to rank " + std::to_string(std::get<1>(key)));
      }
    }
    for (std::uint32_t rank = 0; rank < plan_.ranks(); ++rank) expect_output(rank);
  }

  void expect_output(std::uint32_t rank) {
    const std::uint32_t n = plan_.ranks();
    const Range own = part_of(plan_.whole(), n, rank);
    const bool is_root = rank == plan_.root;
    switch (plan_.operation) {
      case Operation::kAllReduce:
        expect(rank, 0, plan_.whole(), 0, true);
        break;
      case Operation::kBarrier:
        expect(rank, 0, {0, 1}, 0, true);
        break;
      case Operation::kReduce:
        if (is_root) expect(rank, 0, plan_.whole(), 0, true);
        break;
      case Operation::kReduceScatter:
        expect(rank, 0, own, 0, true);
        break;
      case Operation::kBroadcast:
        expect(rank, 0, plan_.whole(), plan_.root, false);
        break;
      case Operation::kScatter:
        expect(rank, 0, own, plan_.root, false);
        break;
      case Operation::kAllGather:
      case Operation::kGather:
        for (std::uint32_t from = 0; from < n && (plan_.operation != Operation::kGather || is_root);
             ++from) {
          expect(rank, 0, part_of(plan_.whole(), n, from), from, false);
        }
        break;
      case Operation::kAllToAll:
      case Operation::kAllToAllV:
      case Operation::kSendReceive:
        for (std::uint32_t from = 0; from < n; ++from) {
          expect(rank, plan_.block_of(from, rank), {0, plan_.block_size(from, rank)}, from, false);
        }
        break;
    }
  }

  const Schedule& schedule_;
  const SchedulePlan& plan_;
  Pieces pieces_;
  RandomStream random_;
  std::vector<std::map<Place, Contributions>> memory_;  ///< by rank
  std::vector<RankGroup> group_of_;                     ///< by rank
  std::vector<Lane> lanes_;
  /// By source, destination and lane.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::deque<Message>> queues_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::deque<Message>>
      multicasts_;
  /// By the rank that it is for, lane and offset.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, Collected> collected_;
  Proof proof_;
};

}  // namespace

Proof prove(const Schedule& schedule, std::uint64_t order) {
  return Interpreter(schedule, order).run();
}

}  // namespace weft::collectives
