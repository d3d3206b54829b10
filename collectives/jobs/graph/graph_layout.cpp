#include "collectives/jobs/graph/graph_layout.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "collectives/steps/program.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/range_text.hpp"

namespace weft::collectives {

namespace {

/// Of nodes, groups and dependencies with ranks, and of senders and receivers: each takes some ten
/// to fifty bytes as long as the job is there.
constexpr double kMaxListed = 1 << 25;

/// How many ranks words name; those that name none are told so when they are listed.
double count_named(const std::vector<std::string>& words, std::uint32_t ranks) {
  double count = 0;
  for (const std::string& word : words) {
    const auto range = parse_range(word);
    if (range && range->first <= range->second && range->second < ranks) {
      count += static_cast<double>(range->second - range->first) + 1;
    }
  }
  return count;
}

/// Each once.
std::vector<std::uint32_t> in_order(std::vector<std::uint32_t> ranks) {
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::string node_key(std::size_t number) { return "nodes[" + std::to_string(number) + "]"; }

}  // namespace

std::vector<std::uint32_t> ranks_named(const std::vector<std::string>& words, std::uint32_t ranks,
                                       const std::string& key, Problems& problems) {
  std::vector<std::uint32_t> named;
  for (const std::string& word : words) {
    const auto range = parse_range(word);
    if (!range || range->first > range->second || range->second >= ranks) {
      problems.push_back({key, "`" + word + "` names no ranks; the job has ranks 0 to " +
                                   std::to_string(ranks - 1)});
      return {};
    }
    for (std::uint64_t rank = range->first; rank <= range->second; ++rank) {
      named.push_back(static_cast<std::uint32_t>(rank));
    }
  }
  return named;
}

GraphLayout::GraphLayout(const GraphSpec& spec, std::uint32_t ranks, Problems& problems)
    : spec_(spec), ranks_(ranks), problems_(problems) {
  const std::size_t before = problems.size();
  if (!can_be_listed()) return;
  add_groups();
  number_nodes();
  add_sections();
  if (problems.size() > before) return;
  nodes_.resize(spec.nodes.size());
  for (std::uint32_t s = 0; s < sections_.size(); ++s) {
    for (std::uint32_t i = sections_[s].first; i < sections_[s].end; ++i) nodes_[i].section = s;
  }
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) add_node(i);
  if (problems.size() > before) return;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) add_dependencies(i);
  count_communicators();
}

bool GraphLayout::can_be_listed() {
  double listed = 0;
  for (const GraphGroup& group : spec_.groups) listed += ranks_ + count_named(group.ranks, ranks_);
  for (const GraphNode& node : spec_.nodes) {
    listed += (1.0 + static_cast<double>(node.after.size())) * ranks_;
    if (const auto* send = std::get_if<SendNode>(&node.work)) {
      listed += count_named(send->from, ranks_) + count_named(send->to, ranks_);
    } else if (const auto* compute = std::get_if<ComputeNode>(&node.work)) {
      listed += count_named(compute->ranks, ranks_);
    } else if (std::holds_alternative<RecvNode>(node.work)) {
      listed += ranks_;
    }
  }
  if (listed <= kMaxListed) return true;
  fail("nodes", "and what they are after, groups and what they name make " +
                    std::to_string(static_cast<std::int64_t>(listed)) + " entries for " +
                    std::to_string(ranks_) + " ranks; at most " +
                    std::to_string(static_cast<std::int64_t>(kMaxListed)) + " can be held");
  return false;
}

void GraphLayout::count_communicators() {
  std::vector<std::uint32_t> streams(ranks_, 1);
  for (const Communicator& communicator : communicators_) {
    for (const std::uint32_t rank : communicator.ranks) {
      if (++streams[rank] <= kMaxLanes) continue;
      fail("nodes", "and groups have rank " + std::to_string(rank) + " in more than " +
                        std::to_string(kMaxLanes - 1) + " communicators");
      return;
    }
  }
}

void GraphLayout::add_groups() {
  for (std::size_t g = 0; g < spec_.groups.size(); ++g) {
    const GraphGroup& group = spec_.groups[g];
    const std::string key = "groups[" + std::to_string(g) + "]";
    if (groups_.contains(group.name)) {
      fail(key + ".name", "`" + group.name + "` is taken by an earlier group");
      continue;
    }
    if (group.ranks.empty()) {
      groups_[group.name] = group_by_stride(group, key);
      continue;
    }
    std::vector<std::uint32_t> ranks = ranks_named(group.ranks, ranks_, key + ".ranks", problems_);
    const std::set<std::uint32_t> distinct(ranks.begin(), ranks.end());
    if (distinct.size() < ranks.size()) {
      fail(key + ".ranks", "names a rank twice");
    } else if (ranks.size() < 2) {
      fail(key + ".ranks", "names fewer than two ranks");
    }
    groups_[group.name] = {static_cast<std::uint32_t>(communicators_.size()), 1,
                           static_cast<std::uint32_t>(ranks.size())};
    communicators_.push_back({group.name, group.kind, std::move(ranks)});
  }
}

GraphLayout::Group GraphLayout::group_by_stride(const GraphGroup& group, const std::string& key) {
  const std::uint64_t block = std::uint64_t{group.size} * group.stride;
  if (block == 0) return {};  // which the schema refuses
  if (ranks_ % block != 0) {
    fail(key + ".size", "is " + std::to_string(group.size) + " with a stride of " +
                            std::to_string(group.stride) + "; " + std::to_string(ranks_) +
                            " ranks are no multiple of " + std::to_string(block));
    return {};
  }
  const auto first = static_cast<std::uint32_t>(communicators_.size());
  for (std::uint32_t begin = 0; begin < ranks_; begin += static_cast<std::uint32_t>(block)) {
    for (std::uint32_t offset = 0; offset < group.stride; ++offset) {
      Communicator& communicator = communicators_.emplace_back();
      communicator.name = group.name;
      communicator.kind = group.kind;
      for (std::uint32_t i = 0; i < group.size; ++i) {
        communicator.ranks.push_back(begin + offset + i * group.stride);
      }
    }
  }
  return {first, ranks_ / group.size, group.size};
}

void GraphLayout::number_nodes() {
  for (std::uint32_t i = 0; i < spec_.nodes.size(); ++i) {
    if (number_of_node_.emplace(spec_.nodes[i].name, i).second) continue;
    fail(node_key(i) + ".name", "`" + spec_.nodes[i].name + "` is taken by an earlier node");
  }
}

void GraphLayout::add_sections() {
  const auto count = static_cast<std::uint32_t>(spec_.nodes.size());
  for (std::size_t r = 0; r < spec_.repeats.size(); ++r) {
    const GraphRepeat& repeat = spec_.repeats[r];
    const std::string key = "repeats[" + std::to_string(r) + "]";
    const auto first = number_of_node_.find(repeat.first);
    const auto last = number_of_node_.find(repeat.last);
    if (first == number_of_node_.end()) {
      fail_unknown(key + ".first", repeat.first, "node", node_names());
    }
    if (last == number_of_node_.end()) {
      fail_unknown(key + ".last", repeat.last, "node", node_names());
    }
    if (first == number_of_node_.end() || last == number_of_node_.end()) continue;
    if (last->second < first->second) {
      fail(key + ".last", "`" + repeat.last + "` is listed before `" + repeat.first + "`");
      continue;
    }
    sections_.push_back({first->second, last->second + 1, repeat.times});
  }
  std::ranges::sort(sections_, {}, &GraphSection::first);
  std::vector<GraphSection> all;
  std::uint32_t next = 0;
  for (const GraphSection& section : sections_) {
    if (section.first < next) {
      fail("repeats", "repeat `" + spec_.nodes[section.first].name + "` twice");
      return;
    }
    if (section.first > next) all.push_back({next, section.first, 1});
    all.push_back(section);
    next = section.end;
  }
  if (next < count) all.push_back({next, count, 1});
  sections_ = std::move(all);
}

void GraphLayout::add_node(std::uint32_t number) {
  std::visit([&](const auto& work) { add_work(work, nodes_[number], node_key(number)); },
             spec_.nodes[number].work);
}

void GraphLayout::add_work(const ComputeNode& work, Node& node, const std::string& key) {
  if (work.ranks.empty()) {
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) node.ranks.push_back(rank);
    return;
  }
  node.ranks = in_order(ranks_named(work.ranks, ranks_, key + ".ranks", problems_));
}

void GraphLayout::add_work(const SendNode& work, Node& node, const std::string& key) {
  const std::size_t before = problems_.size();
  const auto from = ranks_named(work.from, ranks_, key + ".from", problems_);
  const auto to = ranks_named(work.to, ranks_, key + ".to", problems_);
  if (problems_.size() > before) return;
  if (from.size() != to.size()) {
    fail(key + ".to", "names " + std::to_string(to.size()) + " ranks, and `from` " +
                          std::to_string(from.size()) + "; they go in pairs");
    return;
  }
  CollectiveSpec spec;
  spec.operation = Operation::kAllToAllV;
  spec.algorithm = Algorithm::kPairwise;
  spec.execution = work.execution;
  spec.blocks = {{0, 1, work.size}};
  spec.matrix = {0, work.size.count(), 0, 0};
  const std::uint32_t number = number_of(spec, key);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[i]) {
      fail(key + ".to", "has rank " + std::to_string(to[i]) + " send to itself");
      return;
    }
    node.calls.push_back(call(link(from[i], to[i]), number));
  }
}

void GraphLayout::add_work(const RecvNode& work, Node& node, const std::string& key) {
  const auto found = number_of_node_.find(work.send);
  if (found == number_of_node_.end()) {
    fail_unknown(key + ".send", work.send, "node", node_names());
    return;
  }
  const auto* send = std::get_if<SendNode>(&spec_.nodes[found->second].work);
  if (send == nullptr) {
    fail(key + ".send", "`" + work.send + "` sends nothing; expected a node of type `send`");
    return;
  }
  Problems of_send;  // which it has itself
  node.ranks = in_order(ranks_named(send->to, ranks_, "", of_send));
}

void GraphLayout::add_work(const CollectiveNode& work, Node& node, const std::string& key) {
  const bool is_everybody = work.group.empty();
  if (is_everybody && !groups_.contains("")) {
    const GraphGroup all{.name = "all", .ranks = {}, .size = ranks_, .stride = 1};
    groups_[""] = group_by_stride(all, key);
  }
  const auto found = groups_.find(work.group);
  if (found == groups_.end()) {
    std::vector<std::string> known;
    for (const GraphGroup& group : spec_.groups) known.push_back(group.name);
    fail_unknown(key + ".group", work.group, "group", known);
    return;
  }
  const Group group = found->second;
  if (work.spec.root >= group.size) {
    fail(key + ".root", "is " + std::to_string(work.spec.root) + "; the group has ranks 0 to " +
                            std::to_string(group.size - 1));
    return;
  }
  const std::uint32_t number = number_of(work.spec, key);
  for (std::uint32_t i = 0; i < group.count; ++i) {
    node.calls.push_back(call(group.first + i, number));
  }
}

void GraphLayout::fail_unknown(const std::string& key, const std::string& name,
                               const std::string& what, const std::vector<std::string>& known) {
  const bool is_one_of_few = ++unknown_names_ <= kMaxSuggestions;
  fail(key, "`" + name + "` is no " + what + " of this job" +
                (is_one_of_few ? did_you_mean(name, known) : ""));
}

std::vector<std::string> GraphLayout::node_names() const {
  std::vector<std::string> names;
  names.reserve(spec_.nodes.size());
  for (const GraphNode& node : spec_.nodes) names.push_back(node.name);
  return names;
}

std::uint32_t GraphLayout::link(std::uint32_t from, std::uint32_t to) {
  const auto next = static_cast<std::uint32_t>(communicators_.size());
  const auto [found, is_new] = links_.emplace(std::pair(from, to), next);
  if (is_new) {
    communicators_.push_back({"from " + std::to_string(from) + " to " + std::to_string(to),
                              Communicator::Kind::kPipeline,
                              {from, to}});
  }
  return found->second;
}

std::uint32_t GraphLayout::number_of(const CollectiveSpec& spec, const std::string& node_key) {
  const Bytes size = spec.blocks.empty() ? spec.size : spec.blocks.front().size;
  std::vector<std::uint32_t>& known = specs_of_[size];
  for (const std::uint32_t number : known) {
    if (specs_[number].spec == spec) return number;
  }
  known.push_back(static_cast<std::uint32_t>(specs_.size()));
  specs_.push_back({spec, node_key + ".algorithm"});
  return known.back();
}

std::uint32_t GraphLayout::call(std::uint32_t communicator, std::uint32_t spec) {
  const std::uint64_t both = (std::uint64_t{communicator} << 32U) + spec;
  const auto next = static_cast<std::uint32_t>(calls_.size());
  const auto [found, is_new] = number_of_call_.try_emplace(both, next);
  if (is_new) calls_.push_back({communicator, spec});
  return found->second;
}

std::vector<CommunicatorCall> GraphLayout::communicator_calls() const {
  std::vector<CommunicatorCall> all;
  all.reserve(calls_.size());
  for (const Call& call : calls_) {
    all.push_back({call.communicator, spec_of(call), specs_[call.spec].key});
  }
  return all;
}

std::vector<std::uint32_t> GraphLayout::ranks_of(const Node& node) const {
  std::vector<std::uint32_t> ranks = node.ranks;
  for (const std::uint32_t number : node.calls) {
    const auto& members = communicators_[calls_[number].communicator].ranks;
    ranks.insert(ranks.end(), members.begin(), members.end());
  }
  return ranks;
}

bool GraphLayout::share_a_rank(const Node& a, const Node& b) const {
  std::vector<bool> has(ranks_);
  for (const std::uint32_t rank : ranks_of(a)) has[rank] = true;
  return std::ranges::any_of(ranks_of(b), [&](std::uint32_t rank) { return has[rank]; });
}

void GraphLayout::add_dependencies(std::uint32_t number) {
  for (const std::string& name : spec_.nodes[number].after) {
    add_dependency(number, name, node_key(number) + ".after");
  }
  if (const auto* recv = std::get_if<RecvNode>(&spec_.nodes[number].work)) {
    add_dependency(number, recv->send, node_key(number) + ".send");
  }
}

void GraphLayout::add_dependency(std::uint32_t number, const std::string& name,
                                 const std::string& key) {
  Node& node = nodes_[number];
  const auto found = number_of_node_.find(name);
  if (found == number_of_node_.end()) {
    fail_unknown(key, name, "node", node_names());
    return;
  }
  const Node& other = nodes_[found->second];
  if (found->second >= number && other.section != node.section) {
    fail(key, "`" + name + "` is listed later, and not in the same repeat");
  } else if (found->second >= number && sections_[node.section].times == 1) {
    fail(key, "`" + name + "` is listed later, and nothing is repeated");
  } else if (!share_a_rank(node, other)) {
    fail(key, "`" + name + "` has no rank in common with this node; a message would tell them");
  } else {
    node.after.push_back(found->second);
  }
}

}  // namespace weft::collectives
