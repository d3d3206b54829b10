#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "collectives/tasks/tasks.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// Communicators of one kind side by side: either one, of the ranks that are listed, or as many as
/// it takes for all ranks to be in one, each of `size` ranks that are `stride` apart.
struct GraphGroup {
  std::string name;
  Communicator::Kind kind = Communicator::Kind::kOther;  ///< results tell them apart
  std::vector<std::string> ranks;  ///< numbers, and ranges such as `0-3`; empty: by size and stride
  std::uint32_t size = 0;
  std::uint32_t stride = 1;
};

/// Ranks are busy for a while.
struct ComputeNode {
  Picoseconds time;
  std::vector<std::string> ranks;  ///< empty: all
};

/// Messages from rank to rank: the first of `from` sends to the first of `to`, and so on. Of the
/// node's two ends the sender's is over when it has sent, the receiver's when it has received.
struct SendNode {
  Bytes size;
  std::vector<std::string> from;
  std::vector<std::string> to;
  Execution execution;
};

/// Those that a node's messages go to compute nothing more until they have come, as after a
/// blocking receive. Without one, only what is `after` the messages waits for them.
struct RecvNode {
  std::string send;  ///< name of the node that sends them
};

/// A collective in each communicator of a group.
struct CollectiveNode {
  std::string group;  ///< empty: all ranks
  CollectiveSpec spec;
};

struct GraphNode {
  std::string name;
  std::vector<std::string> after;  ///< names of nodes that have to be over on the same rank
  std::variant<ComputeNode, SendNode, RecvNode, CollectiveNode> work;
};

/// The listed nodes from `first` to `last`, repeated `times` times.
struct GraphRepeat {
  std::string first;
  std::string last;
  std::uint32_t times = 1;
};

/// What ranks do, as a graph of nodes. They are issued in the order of the list, by every rank that
/// takes part in them; those of one stream (computing; a communicator; messages from one rank to
/// another) follow one another.
struct GraphSpec {
  std::vector<GraphGroup> groups;
  std::vector<GraphNode> nodes;
  std::vector<GraphRepeat> repeats;
  std::vector<JitterSpec> noise;
  std::uint32_t iterations = 1;
};

}  // namespace weft::collectives
