#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectives/jobs/graph/graph_spec.hpp"
#include "collectives/jobs/job_type.hpp"
#include "collectives/tasks/tasks.hpp"

namespace weft::collectives {

/// Nodes [first, end) of the list, repeated `times` times. Every node is in one section.
struct GraphSection {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::uint32_t times = 1;
};

/// The ranks that words name, in their order. A word that names none, or one that the job does not
/// have, is a problem of `key`.
[[nodiscard]] std::vector<std::uint32_t> ranks_named(const std::vector<std::string>& words,
                                                     std::uint32_t ranks, const std::string& key,
                                                     Problems& problems);

/// A graph with its names looked up, for a number of ranks. What is wrong with it is among the
/// problems, by key; it is then good for nothing else.
class GraphLayout {
 public:
  GraphLayout(const GraphSpec& spec, std::uint32_t ranks, Problems& problems);

  /// A node at work: the calls of several communicators, or the computing of some ranks.
  struct Node {
    std::vector<std::uint32_t> after;  ///< numbers of nodes
    std::vector<std::uint32_t> ranks;  ///< that compute
    std::uint32_t section = 0;
    std::vector<std::uint32_t> calls;  ///< one for each communicator that takes part
  };

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<GraphSection>& sections() const { return sections_; }
  [[nodiscard]] std::span<const Communicator> communicators() const { return communicators_; }
  /// A call of a communicator, with the number of what it calls. Whole specifications are copied
  /// for programs alone: communicators side by side make thousands of calls of one.
  struct Call {
    std::uint32_t communicator = 0;
    std::uint32_t spec = 0;
  };
  [[nodiscard]] std::span<const Call> calls() const { return calls_; }
  [[nodiscard]] const CollectiveSpec& spec_of(const Call& call) const {
    return specs_[call.spec].spec;
  }
  [[nodiscard]] std::vector<CommunicatorCall> communicator_calls() const;

 private:
  using Numbers = std::map<std::string, std::uint32_t>;
  /// Communicators [first, first + count), all of `size` ranks.
  struct Group {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t size = 0;
  };

  /// Whether nodes, groups and ranks are few enough to be listed.
  [[nodiscard]] bool can_be_listed();
  void add_groups();
  [[nodiscard]] Group group_by_stride(const GraphGroup& group, const std::string& key);
  void number_nodes();
  void add_sections();
  void add_node(std::uint32_t number);
  void add_work(const ComputeNode& work, Node& node, const std::string& key);
  void add_work(const SendNode& work, Node& node, const std::string& key);
  void add_work(const RecvNode& work, Node& node, const std::string& key);
  void add_work(const CollectiveNode& work, Node& node, const std::string& key);
  void add_dependencies(std::uint32_t number);
  /// The node waits for the one of this name, which `key` has.
  void add_dependency(std::uint32_t number, const std::string& name, const std::string& key);
  /// Each communicator of a rank takes a lane at least.
  void count_communicators();
  [[nodiscard]] bool share_a_rank(const Node& a, const Node& b) const;
  [[nodiscard]] std::vector<std::uint32_t> ranks_of(const Node& node) const;
  [[nodiscard]] std::uint32_t link(std::uint32_t from, std::uint32_t to);
  /// The number of such a specification; an equal one that is there already is used again.
  [[nodiscard]] std::uint32_t number_of(const CollectiveSpec& spec, const std::string& node_key);
  /// The number of such a call, likewise.
  [[nodiscard]] std::uint32_t call(std::uint32_t communicator, std::uint32_t spec);
  void fail(const std::string& key, std::string message) {
    problems_.push_back({key, std::move(message)});
  }
  /// `name` is not among those that were given; of what.
  void fail_unknown(const std::string& key, const std::string& name, const std::string& what,
                    const std::vector<std::string>& known);
  [[nodiscard]] std::vector<std::string> node_names() const;

  const GraphSpec& spec_;
  std::uint32_t ranks_;
  Problems& problems_;
  std::uint32_t unknown_names_ = 0;
  std::map<std::string, Group> groups_;
  Numbers number_of_node_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> links_;  ///< by both ends
  struct KnownSpec {
    CollectiveSpec spec;
    std::string key;  ///< of the first node that asks for its algorithm
  };
  std::vector<KnownSpec> specs_;
  std::map<Bytes, std::vector<std::uint32_t>> specs_of_;  ///< by size, which tells most apart
  std::unordered_map<std::uint64_t, std::uint32_t> number_of_call_;  ///< by communicator and spec
  std::vector<Node> nodes_;
  std::vector<GraphSection> sections_;
  std::vector<Communicator> communicators_;
  std::vector<Call> calls_;
};

}  // namespace weft::collectives
