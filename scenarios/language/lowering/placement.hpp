#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/language/schemas/document.hpp"
#include "simcore/base/ids.hpp"

namespace weft::scenarios::language {

/// The hosts that a topology will have, before it is built: how many and what they are called.
class HostNames {
 public:
  explicit HostNames(const Document& document);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::optional<std::uint32_t> find(const std::string& name) const;
  /// Of a host that a topology numbers.
  [[nodiscard]] std::string name_of(std::uint64_t host) const;
  /// What to call a host in messages: `h0 to h39`, or some names.
  [[nodiscard]] std::string description() const;
  [[nodiscard]] std::string suggestion(const std::string& name) const;
  /// Whether hosts are in racks and servers, or just listed.
  [[nodiscard]] bool has_racks() const { return !blocks_.empty(); }
  [[nodiscard]] std::uint64_t rack_of(std::uint32_t host) const;
  [[nodiscard]] std::uint64_t server_of(std::uint32_t host) const;

 private:
  /// Servers alike, in order.
  struct Block {
    std::uint64_t first_host = 0;
    std::uint64_t first_rack = 0;
    std::uint64_t first_server = 0;
    std::uint64_t hosts_per_server = 1;
    std::uint64_t servers_per_rack = 1;
    bool is_gpu = false;
  };
  void add_block(const topologies::ServerPart& server, std::uint64_t racks, std::uint64_t servers);
  [[nodiscard]] const Block& block_of(std::uint32_t host) const;

  std::uint64_t count_ = 0;
  std::uint64_t racks_ = 0;
  std::uint64_t servers_ = 0;
  std::vector<Block> blocks_;
  bool is_numbered_ = true;  ///< host i is called h<i> or gpu<i>
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// What is wrong with a set of ranks: with the word of that index, or with all of it.
struct PlacementProblem {
  std::optional<std::size_t> word;
  std::string message;
};

struct Placement {
  std::vector<HostId> hosts;
  std::vector<PlacementProblem> problems;
};

/// The hosts of a job, in rank order: the order of the words, then what `ranks.order` makes of it.
/// `job` is its number, for the random choice.
[[nodiscard]] Placement place_ranks(const RanksDocument& ranks, const HostNames& names,
                                    std::uint64_t seed, std::size_t job);

/// The ranks of a job by the names of their hosts.
class RanksByHost {
 public:
  RanksByHost(const Document& document, std::size_t job);

  /// The rank there, or what is wrong with the name.
  [[nodiscard]] std::variant<std::uint32_t, std::string> on(const std::string& host) const;

 private:
  HostNames names_;
  std::unordered_map<std::uint32_t, std::uint32_t> rank_of_;  ///< by number of the host
  std::string problem_;                                       ///< why there are none
};

}  // namespace weft::scenarios::language
