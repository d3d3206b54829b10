#include "tools/deploy/tuner_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "collectives/spec/collective_spec.hpp"

namespace weft::deploy {
namespace {

using collectives::Operation;

struct Collective {
  Operation operation;
  std::string_view name;  ///< of the plugin
};

constexpr std::array<Collective, 5> kCollectives{{{Operation::kAllReduce, "allreduce"},
                                                  {Operation::kAllGather, "allgather"},
                                                  {Operation::kReduceScatter, "reducescatter"},
                                                  {Operation::kBroadcast, "broadcast"},
                                                  {Operation::kReduce, "reduce"}}};

/// What may be tried: weft's name and the plugin's, and the sizes at which a protocol is worth it.
struct Way {
  const char* algorithm;
  const char* protocol;
  std::string_view name;
  Bytes from;
  Bytes to;
};

constexpr Bytes kAll = Bytes(std::int64_t{1} << 62U);
constexpr std::array<Way, 7> kWays{{{"ring", "ll", "ring,ll", 0_B, 512_KiB},
                                    {"ring", "ll128", "ring,ll128", 4_KiB, 256_MiB},
                                    {"ring", "simple", "ring,simple", 256_KiB, kAll},
                                    {"double-binary-tree", "ll", "tree,ll", 0_B, 1_MiB},
                                    {"double-binary-tree", "ll128", "tree,ll128", 16_KiB, 256_MiB},
                                    {"double-binary-tree", "simple", "tree,simple", 256_KiB, kAll},
                                    {"nvls-tree", "simple", "nvls_tree,simple", 1_MiB, kAll}}};

/// `ring,simple` of a run that chose by itself; nothing: the plugin has no name for it.
std::optional<std::string> plugin_name(const diagnose::Run& run) {
  static const std::map<std::string, std::string> names{{"ring", "ring"},
                                                        {"double-binary-tree", "tree"},
                                                        {"nvls", "nvls"},
                                                        {"nvls-tree", "nvls_tree"}};
  const auto found = names.find(run.algorithm);
  if (found == names.end()) return {};
  return found->second + "," + run.protocol;
}

struct Chosen {
  Bytes size{};
  std::string way;  ///< `ring,simple`
  std::uint32_t channels = 0;
  double own_us = 0;  ///< of NCCL's choice
  double us = 0;
  [[nodiscard]] bool is_gain() const { return us < own_us; }
};

class RuleWriter {
 public:
  RuleWriter(diagnose::Simulator& simulator, const TunerOptions& options)
      : simulator_(simulator), options_(options) {
    for (const diagnose::ServerPlace& server : simulator.places().servers) {
      hosts_.insert(hosts_.end(), server.hosts.begin(), server.hosts.end());
    }
  }

  Result<Deployed> write() {
    deployed_.text =
        "# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\n";
    for (const Collective& collective : kCollectives) {
      std::vector<Chosen> all;
      for (Bytes size = 4_KiB; size <= options_.largest; size = size * 4) {
        auto chosen = choose(collective, size);
        if (!chosen.ok()) return chosen.errors();
        if (chosen.value()) all.push_back(std::move(*chosen.value()));
      }
      if (const Errors errors = add_beyond(collective, all); !errors.empty()) return errors;
      if (all.empty()) {
        deployed_.remarks.push_back(
            fmt::format("{}: NCCL's choice has no name in the plugin; no rule", collective.name));
        continue;
      }
      write_rules(collective, all);
    }
    if (gains_ == 0) {
      deployed_.remarks.push_back(
          fmt::format("nothing gains {:.0f} % over NCCL's own choices: the rules repeat them",
                      100 * options_.gain));
    }
    deployed_.text += fmt::format(
        "# Measure with and without: NCCL_TUNER_PLUGIN=libnccl-tuner-example.so "
        "NCCL_TUNER_CONFIG_FILE=FILE all_reduce_perf -b 4K -e {} -f 4\n",
        options_.largest.count());
    return std::move(deployed_);
  }

 private:
  Result<std::optional<Chosen>> choose(const Collective& collective, Bytes size) {
    diagnose::Call call{.operation = collective.operation, .size = size, .hosts = hosts_};
    const auto own = run(collective, call, "as NCCL chooses");
    if (!own.ok()) return own.errors();
    const auto name = plugin_name(own.value());
    if (!name) return std::optional<Chosen>();
    Chosen best{size, *name, own.value().channels, own.value().time_us, own.value().time_us};
    double limit = own.value().time_us * (1 - options_.gain);
    for (const Way& way : kWays) {
      if (size < way.from || way.to < size || way.name == *name) continue;
      if (refused_.contains({collective.name, way.name})) continue;
      call.algorithm = way.algorithm;
      call.execution = {fmt::format("protocol: {}", way.protocol)};
      const auto other = run(collective, call, std::string(way.name));
      if (!other.ok()) {
        // An algorithm that cannot do the operation, or not here.
        refused_.emplace(collective.name, way.name);
        continue;
      }
      if (other.value().time_us >= limit) continue;
      limit = other.value().time_us;
      best.way = std::string(way.name);
      best.channels = other.value().channels;
      best.us = other.value().time_us;
    }
    return std::optional<Chosen>(best);
  }

  /// Sizes that are not simulated are left to NCCL's own choice.
  Errors add_beyond(const Collective& collective, std::vector<Chosen>& all) const {
    for (Bytes size = options_.largest * 4; size <= 16_GiB; size = size * 4) {
      const auto own =
          simulator_.choice({.operation = collective.operation, .size = size, .hosts = hosts_});
      if (!own.ok()) return own.errors();
      if (const auto name = plugin_name(own.value())) {
        all.push_back({size, *name, own.value().channels, 0, 0});
      }
    }
    return {};
  }

  Result<diagnose::Run> run(const Collective& collective, const diagnose::Call& call,
                            const std::string& how) {
    if (options_.progress) {
      options_.progress(fmt::format("{} of {} bytes, {}", collective.name, call.size.count(), how));
    }
    return simulator_.run(call);
  }

  /// A size stands for those up to the middle of it and the next, as multiples of two.
  void write_rules(const Collective& collective, const std::vector<Chosen>& all) {
    std::int64_t from = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Chosen& chosen = all[i];
      const bool is_last = i + 1 == all.size();
      gains_ += chosen.is_gain() ? 1 : 0;
      if (chosen.is_gain()) {
        deployed_.text +=
            fmt::format("# {} of {} bytes: {:.4g} us, {:.4g} us as NCCL chooses\n", collective.name,
                        chosen.size.count(), chosen.us, chosen.own_us);
      }
      if (!is_last && all[i + 1].way == chosen.way && all[i + 1].channels == chosen.channels)
        continue;
      const std::int64_t to = is_last ? INT64_MAX : 2 * chosen.size.count();
      deployed_.text += fmt::format("{},{},{},{},{},{},{}\n", collective.name, from, to, chosen.way,
                                    std::max(1U, chosen.channels),
                                    simulator_.places().servers.size(), hosts_.size());
      from = to + 1;
    }
  }

  diagnose::Simulator& simulator_;
  const TunerOptions& options_;
  std::vector<std::uint32_t> hosts_;
  std::set<std::pair<std::string_view, std::string_view>> refused_;
  Deployed deployed_;
  std::size_t gains_ = 0;
};

}  // namespace

Result<Deployed> tuner_rules(diagnose::Simulator& simulator, const TunerOptions& options) {
  return RuleWriter(simulator, options).write();
}

}  // namespace weft::deploy
