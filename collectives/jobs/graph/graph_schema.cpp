#include <string>
#include <utility>
#include <variant>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/jobs/collective/collective_schema.hpp"
#include "collectives/jobs/graph/graph.hpp"
#include "simcore/fabric/limits.hpp"
#include "simcore/schema/schema_builder.hpp"

/// The keys of graphs.
namespace weft::collectives {

namespace {

constexpr std::uint64_t kMaxRepetitions = 1'000'000;
constexpr Picoseconds kMaxComputing(1'000'000'000'000'000);

void check_name(const std::string& name, Problems& problems) {
  if (name.empty()) problems.push_back({"name", "is empty; nothing could call it by that"});
}

schema::Object<GraphGroup> group_schema() {
  return schema::describe<GraphGroup>("group", "ranks that make collectives among themselves")
      .field("name", &GraphGroup::name, "that nodes call it by")
      .changes_nothing()
      .required()
      .choice("kind", &GraphGroup::kind,
              {{Communicator::Kind::kOther, "other", "anything else"},
               {Communicator::Kind::kTensor, "tensor", "tensor parallelism"},
               {Communicator::Kind::kContext, "context", "context parallelism"},
               {Communicator::Kind::kExpert, "expert", "expert parallelism"},
               {Communicator::Kind::kPipeline, "pipeline", "between stages, as messages of nodes"},
               {Communicator::Kind::kData, "data", "data parallelism"}},
              "what its collectives are for; results tell kinds apart")
      .changes_output()
      .source("other")
      .words("ranks", &GraphGroup::ranks, "numbers and ranges `0-3`: one communicator of these")
      .source("by size and stride")
      .field("size", &GraphGroup::size, "of each communicator; every rank is in one")
      .source("by ranks")
      .range(0, kMaxHosts)
      .field("stride", &GraphGroup::stride, "from one rank of a communicator to the next")
      .matters_if([](const GraphGroup& g) { return g.ranks.empty(); },
                  "with `size`; `ranks` say all")
      .source("neighbours")
      .range(1, kMaxHosts)
      .compact()
      .check([](const GraphGroup& g, Problems& problems) {
        check_name(g.name, problems);
        if (g.ranks.empty() && g.size < 2) {
          problems.push_back(
              {"size", "is missing; a group has `ranks`, or a `size` of at least 2"});
        } else if (!g.ranks.empty() && g.size > 0) {
          problems.push_back({"size", "given together with `ranks`; one of them is needed"});
        }
      });
}

schema::Object<ComputeNode> compute_node_schema() {
  return schema::describe<ComputeNode>("compute", "ranks are busy for a while")
      .field("time", &ComputeNode::time, "that it takes")
      .required()
      .at_most(kMaxComputing)
      .words("ranks", &ComputeNode::ranks, "numbers and ranges `0-3` of ranks that compute")
      .source("all");
}

schema::Object<SendNode> send_schema() {
  return schema::describe<SendNode>("send",
                                    "messages, which are over for a receiver when they have come")
      .field("size", &SendNode::size, "of each message")
      .required()
      .at_least(1_B)
      .at_most(kMaxMessage)
      .words("from", &SendNode::from, "numbers and ranges of ranks that send")
      .required()
      .words("to", &SendNode::to, "as many, which receive from the first, the second and so on")
      .required()
      .object("execution", &SendNode::execution, execution_schema(),
              "how a library carries them out")
      .source("costs nothing, as closed forms have it");
}

schema::Object<RecvNode> recv_schema() {
  return schema::describe<RecvNode>("recv",
                                    "receivers compute nothing more until messages have come")
      .field("send", &RecvNode::send, "the node that sends them, by name")
      .required();
}

/// Every operation is a type of its own, as it is of jobs.
void add_call_types(schema::Builder<GraphNode>& keys) {
  for (const std::string& name : operation_names()) {
    const Operation operation = *operation_named(name);
    keys.mode(
        name,
        [operation](const GraphNode& node) {
          const auto* call = std::get_if<CollectiveNode>(&node.work);
          return call != nullptr && call->spec.operation == operation;
        },
        [operation](GraphNode& node) {
          CollectiveNode call;
          call.spec = default_collective(operation);
          node.work = std::move(call);
        },
        schema::describe<GraphNode>(name, operation_doc(operation))
            .field(
                "group",
                [](GraphNode & node) -> auto& { return std::get<CollectiveNode>(node.work).group; },
                "each of its communicators does it")
            .source("all ranks")
            .include(
                [](GraphNode & node) -> auto& { return std::get<CollectiveNode>(node.work).spec; },
                call_schema(operation)));
  }
}

schema::Object<GraphNode> node_schema() {
  const auto work = [](GraphNode & node) -> auto& { return node.work; };
  auto node = schema::describe<GraphNode>("node", "something that ranks do");
  node.field("name", &GraphNode::name, "that others call it by")
      .changes_output()
      .required()
      .words(
          "after", &GraphNode::after,
          "nodes that have to be over on the same rank: earlier ones of the list, or of the same "
          "repeat, which means the time before")
      .source("nothing but earlier ones of its stream")
      .tag("type", "what they do");
  // Alternatives are numbered as in GraphNode::work, which ends with the collectives.
  node.alternative<ComputeNode>("compute", work, compute_node_schema());
  node.alternative<SendNode>("send", work, send_schema());
  node.alternative<RecvNode>("recv", work, recv_schema());
  add_call_types(node);
  node.check([](const GraphNode& n, Problems& problems) { check_name(n.name, problems); });
  return node;
}

schema::Object<GraphRepeat> repeat_schema() {
  return schema::describe<GraphRepeat>("repeat", "nodes that come again and again")
      .field("first", &GraphRepeat::first, "of the nodes, by name")
      .required()
      .field("last", &GraphRepeat::last, "of the nodes, in the order of the list")
      .required()
      .field("times", &GraphRepeat::times, "that they come")
      .required()
      .range(1, kMaxRepetitions)
      .compact();
}

}  // namespace

schema::Object<GraphSpec> Graph::schema() {
  return schema::describe<GraphSpec>(
             "graph", "computing, collectives and messages, each after those that it names")
      .objects("nodes", &GraphSpec::nodes, node_schema(),
               "what ranks do, in the order in which they issue it")
      .required()
      .not_empty()
      .objects("groups", &GraphSpec::groups, group_schema(), "ranks that collectives are among")
      .source("all ranks are one")
      .objects("repeats", &GraphSpec::repeats, repeat_schema(), "nodes that come several times")
      .source("each node comes once")
      .objects("noise", &GraphSpec::noise, noise_schema(), "ranks that compute slower")
      .source("all ranks are alike")
      .field("iterations", &GraphSpec::iterations, "of all of it, one after the other")
      .source("one")
      .range(1, kMaxRepetitions);
}

}  // namespace weft::collectives
