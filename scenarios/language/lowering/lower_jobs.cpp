#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "scenarios/language/lowering/lower.hpp"
#include "scenarios/language/lowering/placement.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::scenarios::language {
namespace {

constexpr std::uint64_t kMaxHosts = 262'144;
constexpr std::uint64_t kMaxConnections = 16'000'000;
constexpr std::uint64_t kMaxRanks = 16'000'000;
constexpr std::size_t kMaxNameLength = 100;
constexpr std::size_t kMaxMatrixRanks = 4096;

/// Lowers one job after the other.
class JobLowering {
 public:
  JobLowering(const Context& context, const HostNames& names) : context_(context), names_(names) {
    if (const auto* roce = std::get_if<protocols::RoceConfig>(&context.document.transport)) {
      queue_pairs_ = roce->queue_pairs;
    }
  }

  void lower(std::size_t index, Scenario& scenario) {
    const JobDocument& job = context_.document.jobs[index];
    path_ = element_path("jobs", index);
    check_name(context_, job.name, child_path(path_, "name"));
    const auto [first, is_new] = first_use_.emplace(job.name, index);
    if (!is_new) {
      fail("name", backquoted(job.name) + " is the name of jobs[" + std::to_string(first->second) +
                       "] already");
    }
    Placement placement = place_ranks(job.ranks, names_, scenario.seed, index);
    for (PlacementProblem& problem : placement.problems) report(std::move(problem));
    if (!placement.problems.empty()) return;
    JobSpec spec{job.name, job.start, std::move(placement.hosts), {}, 0, {}};
    spec.queue_pairs = queue_pairs_of(job);
    spec.traffic_class =
        find_class(context_, job.traffic_class, child_path(path_, "class")).value_or(0);
    spec.kind =
        std::visit([&](const auto& kind) { return lower_kind(kind, index, spec); }, job.kind);
    if (spec.ranks.size() < 2) {
      fail("ranks", "has " + std::to_string(spec.ranks.size()) + " rank; at least 2 are needed");
    }
    count(spec);
    scenario.jobs.push_back(std::move(spec));
  }

 private:
  void fail(const char* key, std::string message) {
    context_.fail(child_path(path_, key), std::move(message));
  }

  std::uint16_t queue_pairs_of(const JobDocument& job) {
    if (!job.queue_pairs) return 0;
    if (!std::holds_alternative<protocols::RoceConfig>(context_.document.transport)) {
      fail("queue_pairs",
           "has a meaning only with reliable connections (`transport: {type: roce}`)");
    } else if (std::holds_alternative<LoneDocument>(context_.document.fabric.topology)) {
      fail("queue_pairs", "has a meaning only for links between servers; this fabric has none");
    }
    return static_cast<std::uint16_t>(*job.queue_pairs);
  }

  void report(PlacementProblem problem) {
    std::string path = child_path(path_, "ranks");
    if (problem.word && locate(context_.root, path + ".hosts").is_exact) {
      path += ".hosts";
      const std::string element = element_path(path, *problem.word);
      if (locate(context_.root, element).is_exact) path = element;
    }
    context_.fail(path, std::move(problem.message));
  }

  /// `senders` cuts the default set of ranks to size, and must agree with an explicit one.
  collectives::JobKind lower_kind(const IncastDocument& incast, std::size_t index, JobSpec& spec) {
    const RanksDocument& ranks = context_.document.jobs[index].ranks;
    const bool is_all = !ranks.random && ranks.hosts == std::vector<std::string>{"all"};
    if (incast.senders) {
      const std::size_t wanted = std::size_t{*incast.senders} + 1;
      if (wanted > spec.ranks.size()) {
        fail("senders", "is " + std::to_string(*incast.senders) +
                            ", which with the receiver makes " + std::to_string(wanted) +
                            " ranks; there are " + std::to_string(spec.ranks.size()) + " hosts");
      } else if (is_all) {
        spec.ranks.resize(wanted);
      } else if (wanted != spec.ranks.size()) {
        fail("senders", "is " + std::to_string(*incast.senders) + ", but ranks has " +
                            std::to_string(spec.ranks.size()) +
                            " hosts; senders and one receiver are needed");
      }
    }
    check_rank(incast.spec.receiver, spec.ranks.size(), "receiver");
    return incast.spec;
  }

  collectives::JobKind lower_kind(const MessagesDocument& messages, std::size_t /*index*/,
                                  JobSpec& spec) {
    const bool is_list = messages.csv.empty();
    for (std::size_t i = 0; i < messages.spec.list.size(); ++i) {
      const auto& message = messages.spec.list[i];
      if (message.from < spec.ranks.size() && message.to < spec.ranks.size()) continue;
      const bool is_from = message.from >= spec.ranks.size();
      const std::string message_path =
          is_list ? element_path("list", i) + (is_from ? ".from" : ".to") : "csv";
      fail(message_path.c_str(),
           (is_list ? std::string() : "message " + std::to_string(i + 1) + " ") + "names rank " +
               std::to_string(is_from ? message.from : message.to) + "; the job has ranks 0 to " +
               std::to_string(spec.ranks.size() - 1));
      if (context_.diagnostics.is_full()) break;
    }
    return messages.spec;
  }

  collectives::JobKind lower_kind(const CollectiveDocument& document, std::size_t /*index*/,
                                  JobSpec& job) {
    collectives::CollectiveSpec spec = document.spec;
    const std::size_t n = job.ranks.size();
    check_rank(spec.root, n, "root");
    if (document.jitter) spec.jitter = *document.jitter;
    for (std::size_t i = 0; i < document.stragglers.size(); ++i) {
      collectives::Straggler straggler = document.stragglers[i].spec;
      const std::string path = element_path("stragglers", i) + ".ranks";
      for (const std::string& word : document.stragglers[i].ranks) {
        const auto range = parse_range(word);
        if (!range || range->first > range->second || range->second >= n) {
          fail(path.c_str(), backquoted(word) + " names no ranks; the job has ranks 0 to " +
                                 std::to_string(n - 1));
          continue;
        }
        for (std::uint64_t r = range->first; r <= range->second; ++r) {
          straggler.ranks.push_back(static_cast<std::uint32_t>(r));
        }
      }
      spec.stragglers.push_back(std::move(straggler));
    }
    if (spec.operation == collectives::Operation::kAllToAllV) lower_matrix(document, n, spec);
    return spec;
  }

  void lower_matrix(const CollectiveDocument& document, std::size_t n,
                    collectives::CollectiveSpec& spec) {
    if (n > kMaxMatrixRanks) {
      fail("ranks", "has " + std::to_string(n) + " ranks; an all-to-all-v has at most " +
                        std::to_string(kMaxMatrixRanks));
      return;
    }
    if (document.routing) {
      spec.routing = *document.routing;
      if (spec.routing.top_k > n * spec.routing.experts_per_rank) {
        fail("routing", "top_k is " + std::to_string(spec.routing.top_k) + "; there are " +
                            std::to_string(n * spec.routing.experts_per_rank) + " experts");
      }
      return;
    }
    spec.matrix.resize(n * n);
    for (std::size_t i = 0; i < document.blocks.size(); ++i) {
      const MatrixRowDocument& block = document.blocks[i];
      check_rank(block.from, n, (element_path("blocks", i) + ".from").c_str());
      check_rank(block.to, n, (element_path("blocks", i) + ".to").c_str());
      if (block.from < n && block.to < n) {
        spec.matrix[block.from * n + block.to] += block.size.count();
      }
      if (context_.diagnostics.is_full()) return;
    }
  }

  template <class Kind>
  collectives::JobKind lower_kind(const Kind& kind, std::size_t /*index*/, JobSpec& /*spec*/) {
    return kind;
  }

  void check_rank(std::uint32_t rank, std::size_t ranks, const char* key) {
    if (rank < ranks) return;
    fail(key,
         "is " + std::to_string(rank) + "; the job has ranks 0 to " + std::to_string(ranks - 1));
  }

  /// Bounds what the run has to hold, before anything is built.
  void count(const JobSpec& spec) {
    const std::uint64_t n = spec.ranks.size();
    std::uint64_t connections = n;
    if (std::holds_alternative<collectives::OpenLoopSpec>(spec.kind)) {
      connections = n * (n - 1);
    } else if (const auto* collective = std::get_if<collectives::CollectiveSpec>(&spec.kind)) {
      connections = collectives::most_connections(*collective, n);
    } else if (const auto* messages = std::get_if<collectives::MessagesSpec>(&spec.kind)) {
      connections = std::min<std::uint64_t>(messages->list.size(), n * (n - 1));
    }
    ranks_ += n;
    connections_ += connections * (spec.queue_pairs > 0 ? spec.queue_pairs : queue_pairs_);
    if (connections_ > kMaxConnections && !is_reported_) {
      is_reported_ = true;
      fail("ranks", "the jobs up to this one need " + std::to_string(connections_) +
                        " queue pairs; at most " + std::to_string(kMaxConnections) +
                        " are possible");
    } else if (ranks_ > kMaxRanks && !is_reported_) {
      is_reported_ = true;
      fail("ranks",
           "the jobs up to this one have more than " + std::to_string(kMaxRanks) + " ranks");
    }
  }

  const Context& context_;
  const HostNames& names_;
  std::uint32_t queue_pairs_ = 1;
  std::string path_;
  std::unordered_map<std::string, std::size_t> first_use_;
  std::uint64_t connections_ = 0;
  std::uint64_t ranks_ = 0;
  bool is_reported_ = false;
};

}  // namespace

void check_name(const Context& context, const std::string& name, const std::string& path) {
  if (std::string problem = name_problem(name); !problem.empty()) {
    context.fail(path, std::move(problem));
  }
}

std::string name_problem(const std::string& name) {
  const auto is_fine = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
  };
  if (!name.empty() && name.size() <= kMaxNameLength && name.front() != '.' &&
      name.front() != '-' && std::ranges::all_of(name, is_fine)) {
    return {};
  }
  return backquoted(name) + " is not a name; expected letters, digits and . _ - (at most " +
         std::to_string(kMaxNameLength) + ", not beginning with . or -)";
}

void lower_jobs(const Context& context, Scenario& scenario) {
  check_name(context, scenario.name, "name");
  const HostNames names(context.document);
  if (names.count() == 0) {
    context.fail("fabric", "has no hosts");
    return;
  }
  if (names.count() > kMaxHosts) {
    context.fail(context.document.racks.empty() ? "fabric" : "racks",
                 "makes " + std::to_string(names.count()) + " hosts; at most " +
                     std::to_string(kMaxHosts) + " are possible");
    return;
  }
  JobLowering lowering(context, names);
  for (std::size_t i = 0; i < context.document.jobs.size(); ++i) {
    if (context.diagnostics.is_full()) return;
    lowering.lower(i, scenario);
  }
}

}  // namespace weft::scenarios::language
