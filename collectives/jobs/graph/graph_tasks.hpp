#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/jobs/graph/graph_layout.hpp"
#include "collectives/tasks/tasks.hpp"

namespace weft::collectives {

/// A graph as parts. Ranks issue the nodes in the order of the list, and nodes wait for earlier
/// ones only, so that every graph comes to its end.
class GraphTasks final : public TaskSet {
 public:
  /// `layout` has no problems.
  GraphTasks(GraphLayout layout, const GraphSpec& spec, std::uint32_t ranks);

  [[nodiscard]] std::span<const Communicator> communicators() const override {
    return layout_.communicators();
  }
  [[nodiscard]] std::span<const CommunicatorCall> calls() const override { return calls_; }
  [[nodiscard]] std::uint32_t iterations() const override { return iterations_; }
  [[nodiscard]] std::span<const JitterSpec> noise() const override { return noise_; }
  [[nodiscard]] TaskStream tasks(std::uint32_t rank, StreamOf stream,
                                 std::uint32_t iteration) const override;
  /// The name of a node; labels are one more than their numbers.
  [[nodiscard]] std::string label_name(std::uint32_t label) const override {
    return label == 0 ? std::string() : names_[label - 1];
  }

 private:
  /// A task of a node on a rank: number `first` of its stream when the node comes for the first
  /// time, and `step` more each time that its section is repeated.
  struct Place {
    StreamOf stream = StreamOf::compute();
    std::uint32_t call = 0;
    std::uint32_t first = 0;
    std::uint32_t step = 0;
  };

  [[nodiscard]] std::span<const Place> places(std::uint32_t rank, std::size_t node) const {
    const std::size_t i = rank * layout_.nodes().size() + node;
    return std::span(places_).subspan(first_place_[i], first_place_[i + 1] - first_place_[i]);
  }
  /// With the numbers of nodes, which rise.
  using PlacesOfRank = std::vector<std::pair<std::uint32_t, Place>>;
  void place(const PlacesOfRank& of_rank);
  /// What a node's task waits for in one repetition of its section.
  void collect(std::uint32_t rank, StreamOf stream, std::uint32_t node, std::uint32_t repetition,
               std::vector<Dependency>& after) const;

  GraphLayout layout_;
  std::vector<CommunicatorCall> calls_;
  std::vector<Picoseconds> times_;  ///< by node
  std::vector<std::string> names_;  ///< by node
  std::uint32_t iterations_;
  std::vector<JitterSpec> noise_;
  std::vector<Place> places_;
  std::vector<std::size_t> first_place_ = {0};  ///< by rank and node, and the end
};

}  // namespace weft::collectives
