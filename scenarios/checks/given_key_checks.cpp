#include "scenarios/checks/given_key_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/jobs/collective/collective_program.hpp"
#include "collectives/jobs/list.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/plan/rank_grid.hpp"
#include "protocols/config/response_class.hpp"

/// Keys that mean nothing beside others stand in the schemas (`matters_if`) where one struct tells;
/// here are those that depend on more: what else the scenario has, its fabric and its jobs.
namespace weft::scenarios {
namespace {

using collectives::CollectiveSpec;
using protocols::LoadBalancing;
using protocols::TrafficClass;

/// Whether the steps depend on which ranks share a scale-up domain; of algorithms that choose, the
/// choice does.
bool uses_domains(collectives::Algorithm algorithm) {
  using collectives::Algorithm;
  switch (algorithm) {
    case Algorithm::kOneShot:
    case Algorithm::kTwoShot:
    case Algorithm::kPairwise:
    case Algorithm::kDissemination:
    case Algorithm::kHalvingDoubling:
    case Algorithm::kRecursiveDoubling:
    case Algorithm::kBinomialTree:
      return false;
    default:
      return true;
  }
}

/// Whether ranks that send at once take turns, chunk by chunk (DirectSchedule). While one sends a
/// chunk, its peer may be one behind, and the ACK of that one under way.
bool waits_for_chunks(const CollectiveSpec& spec) {
  using collectives::Algorithm;
  using collectives::Operation;
  if (spec.algorithm != Algorithm::kOneShot && spec.algorithm != Algorithm::kTwoShot) return false;
  switch (spec.operation) {
    case Operation::kBroadcast:
    case Operation::kReduce:
    case Operation::kScatter:
    case Operation::kGather:
    case Operation::kAllToAllV:  // somebody may have much to send and nothing to wait for
      return false;
    default:
      return true;
  }
}

/// What the connections between servers use.
struct Usage {
  std::vector<bool> transports;      ///< by number
  std::vector<bool> classes;         ///< by class: of messages
  std::vector<bool> answer_classes;  ///< of what answers them
  std::vector<bool> jobs;            ///< that have any, by place
  bool any = false;

  explicit Usage(const Experiment& e)
      : transports(e.scenario.transports().size()),
        classes(e.scenario.switches.classes.size()),
        answer_classes(classes.size()),
        jobs(e.scenario.jobs.size()) {
    std::vector<protocols::TransportTraits> traits;
    for (const auto& transport : e.scenario.transports()) {
      traits.push_back(protocols::traits_of(transport));
    }
    for (const Connection& c : e.workload.connections()) {
      const HostId from = e.workload.process_hosts()[c.source.value()];
      const HostId to = e.workload.process_hosts()[c.destination.value()];
      if (from == to || e.fabric.network_between(from, to) == NetworkKind::kScaleUp) continue;
      any = true;
      transports[c.transport] = true;
      jobs[e.workload.job_of(c.source)] = true;
      if (classes[c.traffic_class.value()] && transports.size() == 1) continue;
      classes[c.traffic_class.value()] = true;
      const protocols::TransportTraits& t = traits[c.transport];
      if (!t.is_acknowledged) continue;
      for (const std::string& name : {t.ack_class, t.cnp_class}) {
        answer_classes[protocols::response_class(e.scenario.switches, name, c.traffic_class)
                           .value()] = true;
      }
    }
  }
};

class GivenKeyChecks {
 public:
  GivenKeyChecks(const Experiment& e, const GivenKeys& given, std::vector<std::string>& warnings)
      : e_(e), scenario_(e.scenario), given_(given), warnings_(warnings), usage_(e) {}

  void run() {
    check_transports();
    check_policies();
    check_classes();
    check_paths();
    check_rest();
    for (std::size_t i = 0; i < scenario_.jobs.size(); ++i) check_job(i);
  }

 private:
  [[nodiscard]] bool is_given(const std::string& key) const { return given_.places.contains(key); }

  /// Says so of a key that is given.
  void without_effect(const std::string& key, std::string_view why) {
    const auto given = given_.places.find(key);
    if (given == given_.places.end()) return;
    warnings_.push_back(fmt::format("{} ({}) has no effect: {}", key, given->second, why));
  }

  [[nodiscard]] std::string class_path(std::size_t i) const {
    return fmt::format("fabric.classes[{}]", i);
  }
  [[nodiscard]] bool has_own_classes() const { return is_given("fabric.classes"); }

  /// Whether every class that carries messages says `key` itself.
  [[nodiscard]] bool all_say(const char* key) const {
    if (!has_own_classes() || !usage_.any) return false;
    for (std::size_t i = 0; i < usage_.classes.size(); ++i) {
      const bool is_used = usage_.classes[i] || usage_.answer_classes[i];
      if (is_used && !is_given(class_path(i) + "." + key)) return false;
    }
    return true;
  }

  void check_transports() {
    if (!usage_.any) {
      without_effect("transport", "no message leaves its scale-up domain");
    } else if (!usage_.transports[0]) {
      without_effect("transport", "every job has a transport of its own, or its class has");
    }
    for (std::size_t i = 0; i < usage_.classes.size(); ++i) {
      if (usage_.classes[i] || !usage_.any) continue;
      without_effect(class_path(i) + ".transport", "no job sends in this class");
    }
  }

  void check_policies() {
    for (const char* key : {"flow_control", "ecn", "load_balancing"}) {
      if (all_say(key)) {
        without_effect(std::string("fabric.") + key, "every class that is used has its own");
      }
    }
    if (!scenario_.switches.any_pfc()) {
      without_effect("fabric.pause", "no class has PFC, so that nothing is paused");
      without_effect("observe.pauses", "no class has PFC, so that nothing is paused");
    }
    check_headroom_pools();
    if (!scenario_.switches.any_credit()) {
      without_effect("observe.credits", "no class has credits to wait for");
    }
    if (std::ranges::none_of(scenario_.switches.classes,
                             [](const protocols::TrafficClass& c) { return c.ecn.enabled; })) {
      without_effect("observe.marks", "no class is marked");
    }
    const bool has_users = std::ranges::any_of(
        scenario_.transports(), [](const protocols::TransportConfig& transport) {
          return protocols::congestion::requirements_of(
                     protocols::traits_of(transport).congestion_control)
              .telemetry;
        });
    if (!has_users) {
      without_effect("fabric.telemetry", "no congestion control needs what switches say");
    }
  }

  /// A pool is of use to classes whose headroom is limited, and these alone have their own of it.
  void check_headroom_pools() {
    const auto draws = [](const TrafficClass& c) {
      return c.is_pfc() && c.pfc().headroom != protocols::PfcConfig::Headroom::kShared;
    };
    const bool is_used = std::ranges::any_of(scenario_.switches.classes, draws);
    const bool has_pool = std::ranges::any_of(e_.fabric.switches, [this](NodeId id) {
      return scenario_.switches.headroom_pool_of(e_.fabric.node(id)) > 0_B;
    });
    for (const auto& [key, place] : given_.places) {
      if (key.ends_with(".switch.headroom_pool") && !is_used) {
        without_effect(key, "no class with PFC has a `headroom` that is drawn from it");
      }
      if (key.ends_with(".headroom_reserved") && is_used && !has_pool) {
        without_effect(key, "no switch has a `headroom_pool`: each port has all of its headroom");
      }
    }
  }

  void check_classes() {
    if (!has_own_classes() || !usage_.any) return;
    std::size_t sharing = 0;
    std::size_t alone = 0;
    for (std::size_t i = 0; i < usage_.classes.size(); ++i) {
      const TrafficClass& c = scenario_.switches.classes[ClassId(i)];
      const bool is_used = usage_.classes[i] || usage_.answer_classes[i];
      if (!is_used || c.scheduling != TrafficClass::Scheduling::kWeighted) continue;
      ++sharing;
      alone = i;
    }
    if (sharing == 1) {
      without_effect(class_path(alone) + ".weight", "no other weighted class is used");
    }
  }

  /// Whether a used class chooses next hops in one of these ways.
  template <class IsMeant>
  [[nodiscard]] bool any_balancing(IsMeant is_meant) const {
    for (std::size_t i = 0; i < usage_.classes.size(); ++i) {
      if (!usage_.classes[i] && !usage_.answer_classes[i]) continue;
      if (is_meant(scenario_.switches.balancing(ClassId(i)).type)) return true;
    }
    return false;
  }

  void check_paths() {
    bool has_choice = false;
    bool has_weights = false;
    const auto weigh = [&](const std::vector<Routes::NextHops>& sets) {
      for (const Routes::NextHops& set : sets) {
        const auto ports = e_.routes.ports_of(set);
        for (std::size_t i = 1; i < ports.size(); ++i) {
          (ports[i] == ports[i - 1] ? has_weights : has_choice) = true;
        }
      }
    };
    weigh(e_.routes.rows);
    weigh(e_.routes.direct);
    const bool is_weighted = std::visit(
        [](const auto& spec) {
          if constexpr (requires { spec.routing.weighted_ecmp; }) return spec.routing.weighted_ecmp;
          return false;
        },
        scenario_.topology);
    if (is_weighted && !has_weights) {
      without_effect("fabric.weighted_ecmp", "all next hops of a switch have links of one rate");
    }
    const char* const no_choice = "no node has several next hops to choose among";
    if (!has_choice || !usage_.any) {
      for (const char* key : {"fabric.hash", "fabric.load_balancing"}) {
        without_effect(key, has_choice ? "no message leaves its scale-up domain" : no_choice);
      }
      return;
    }
    if (!any_balancing([](auto type) { return type == LoadBalancing::kFlow; })) {
      without_effect("fabric.hash.type",
                     "load_balancing is by packet or flowlet: no flow is hashed");
    }
    if (!any_balancing([](auto type) {
          return type != LoadBalancing::kRoundRobin && type != LoadBalancing::kAdaptive &&
                 type != LoadBalancing::kSourceRoutes;
        })) {
      without_effect("fabric.hash.seeds",
                     "load_balancing draws nothing: it goes by turns, queues or routes in packets");
    }
  }

  void check_rest() {
    const auto breaks = [](const FaultSpec& fault) {
      return fault.kind() == protocols::Fault::Kind::kLinkDown;
    };
    if (std::ranges::none_of(scenario_.faults, breaks)) {
      without_effect("fabric.convergence", "no link and no switch fails");
    }
    if (scenario_.pxn.enabled && e_.workload.relays().empty()) {
      without_effect("pxn.enabled", "no message goes to another domain and another rail");
    }
    if (std::holds_alternative<topologies::CustomSpec>(scenario_.topology)) {
      for (const char* key : {"fabric.nic.send_latency", "fabric.nic.ports"}) {
        without_effect(key, "each link that is listed has a latency, and each is a port");
      }
    }
    check_shared_host_links();
    if (!std::holds_alternative<topologies::SingleDomainSpec>(scenario_.topology)) return;
    for (const char* key : {"racks.server.nic", "racks.server.rails", "racks.server.host_link",
                            "fabric.switch", "fabric.flow_control", "fabric.ecn"}) {
      without_effect(key, "with `topology: single-domain` there is no network between servers");
    }
  }

  void check_shared_host_links() {
    std::visit(
        [this]<class Topology>(const Topology& topology) {
          if constexpr (requires { topology.racks.front().server; }) {
            for (std::size_t i = 0; i < topology.racks.size(); ++i) {
              check_shared_host_link(topology.racks[i], "racks.server");
              check_shared_host_link(topology.racks[i], fmt::format("racks[{}].server", i));
            }
          }
        },
        scenario_.topology);
  }
  void check_shared_host_link(const topologies::RackSpec& rack, const std::string& path) {
    const topologies::ServerPart& server = rack.server;
    const topologies::HostLinkPart& link = server.host_link;
    if (!link.is_shared() || server.nics == 0) return;
    if (!topologies::has_nic_nodes(rack)) {
      for (const char* key : {".host_link.shared_by", ".host_link.through"}) {
        without_effect(path + key, "the link carries all that its NICs send and receive");
      }
    } else if (link.shared_by == 1 && (link.is_one_way() || server.gpus <= server.nics)) {
      without_effect(path + ".host_link.shared_by", "every NIC has a link of its own without it");
    }
  }

  void check_job(std::size_t place) {
    const JobSpec& job = scenario_.jobs[place];
    const std::string path = fmt::format("jobs[{}]", collectives::number_of(job, place));
    if (usage_.any && !usage_.jobs[place]) {
      for (const char* key : {".queue_pairs", ".transport"}) {
        without_effect(path + key, "none of its messages leaves its scale-up domain");
      }
    } else {
      check_queue_pairs(job, path);
    }
    if (const auto* spec = std::get_if<CollectiveSpec>(&job.kind)) {
      check_collective(*spec, place, path);
    }
    if (const auto* spec = std::get_if<collectives::TrainingSpec>(&job.kind)) {
      check_overlap(*spec, path + ".overlap");
    }
  }

  /// What may overlap computation, in plans that exchange nothing of the kind.
  void check_overlap(const collectives::TrainingSpec& spec, const std::string& path) {
    const collectives::ParallelismSpec& plan = spec.parallelism;
    const collectives::ModelSpec model = collectives::completed(spec.model);
    if (spec.overlap.tensor && plan.tensor == 1) {
      without_effect(path + ".tensor", "the plan has no tensor-parallel ranks");
    }
    if (spec.overlap.shared_experts && model.shared_experts == 0) {
      without_effect(path + ".shared_experts", "the model has none");
    }
    const bool exchanges = plan.tensor > 1 || plan.context > 1 ||
                           (model.experts > 0 && collectives::exchanges_tokens(plan));
    if (spec.overlap.weights && !exchanges) {
      without_effect(path + ".weights", "the plan exchanges nothing within a layer");
    }
    if (spec.overlap.parameters && plan.zero != 1 && plan.zero != 2) {
      without_effect(path + ".parameters", "only ZeRO-1 and 2 gather what they updated");
    }
    if (plan.zero != 3) without_effect(path + ".prefetch", "only ZeRO-3 gathers layers");
    if (plan.pipeline == 1) without_effect(path + ".pipeline", "the plan has one stage");
  }

  [[nodiscard]] collectives::SendBound bound_of(const JobSpec& job) const {
    return collectives::send_bound(job.kind, {.ranks = static_cast<std::uint32_t>(job.ranks.size()),
                                              .fastest_access = BitsPerSecond(),
                                              .domain_size = 1});
  }

  /// What is split has several queue pairs.
  void check_split(const JobSpec& job, const std::string& path) {
    const auto has_several = [this](const JobSpec& of) {
      const auto traits = protocols::traits_of(scenario_.transport_of(of.transport));
      return (of.queue_pairs > 0 ? of.queue_pairs : traits.queue_pairs) > 1;
    };
    constexpr const char* kWhy =
        "each connection has one queue pair; `queue_pairs` says how many messages are split over";
    if (!has_several(job)) without_effect(path + ".transport.split_messages", kWhy);
    const auto goes_by_it = [&](const JobSpec& other) {
      return other.transport == job.transport && has_several(other);
    };
    if (is_given(path + ".transport") || std::ranges::any_of(scenario_.jobs, goes_by_it)) return;
    const std::string key =
        job.transport == 0 ? "transport.split_messages"
                           : class_path(job.traffic_class.value()) + ".transport.split_messages";
    if (named_splits_.insert(key).second) without_effect(key, kWhy);
  }

  /// A message takes one queue pair, and the next message the next one.
  void check_queue_pairs(const JobSpec& job, const std::string& path) {
    check_split(job, path);
    if (std::holds_alternative<collectives::OpenLoopSpec>(job.kind)) return;
    if (bound_of(job).connection_messages > 1) return;
    const auto traits = protocols::traits_of(scenario_.transport_of(job.transport));
    if (traits.splits_messages) return;
    const std::uint32_t count = job.queue_pairs > 0 ? job.queue_pairs : traits.queue_pairs;
    if (count <= 1) return;
    constexpr const char* kWhy =
        "each connection has one message, and a message takes one queue pair; several messages "
        "take "
        "them in turn";
    without_effect(path + ".queue_pairs", kWhy);
    without_effect(path + ".transport.queue_pairs", kWhy);
    if (is_given(path + ".queue_pairs") || is_given(path + ".transport") || has_warned_of_pairs_) {
      return;
    }
    const auto may_differ = [&](const JobSpec& other) {
      return other.transport == job.transport &&
             (std::holds_alternative<collectives::OpenLoopSpec>(other.kind) ||
              bound_of(other).connection_messages > 1);
    };
    if (std::ranges::any_of(scenario_.jobs, may_differ)) return;
    has_warned_of_pairs_ = true;
    without_effect(job.transport == 0
                       ? "transport.queue_pairs"
                       : class_path(job.traffic_class.value()) + ".transport.queue_pairs",
                   kWhy);
  }

  void check_collective(const CollectiveSpec& spec, std::size_t place, const std::string& path) {
    const auto* program = dynamic_cast<const collectives::CollectiveProgram*>(
        e_.workload.jobs()[place].program.get());
    if (program == nullptr) return;
    const collectives::Execution& settled = program->spec().execution;
    const bool is_by_domain =
        uses_domains(spec.algorithm) || settled.network_step_latency.has_value();
    if (spec.domain_size > 0 && !is_by_domain) {
      without_effect(path + ".domain_size",
                     fmt::format("{} does not go by scale-up domains", name_of(spec.algorithm)));
    }
    const double messages =
        bound_of(scenario_.jobs[place]).connection_messages / std::max(1U, spec.iterations);
    if (spec.execution.in_flight > 0 && messages <= spec.execution.in_flight) {
      without_effect(
          path + ".execution.in_flight",
          fmt::format(
              "a call has at most {:.0f} message{} on a connection, and the next call waits "
              "for it; several are in flight where `size` is several times `chunk`",
              messages, messages <= 1 ? "" : "s"));
    } else if (waits_for_chunks(program->spec()) &&
               spec.execution.in_flight >= 3 * std::max(1U, settled.slices)) {
      without_effect(path + ".execution.in_flight",
                     "a rank sends its next chunk when that of its peer has come, so that chunks "
                     "of a connection are never under way in such a number; several jobs side by "
                     "side, or larger chunks, keep more bytes under way");
    }
    check_pace(settled, path + ".execution");
    for (std::size_t i = 0; i < spec.stragglers.size(); ++i) {
      const std::string straggler = fmt::format("{}.stragglers[{}]", path, i);
      if (is_given(straggler + ".late") || is_given(straggler + ".compute") ||
          is_given(straggler + ".reduce")) {
        continue;
      }
      without_effect(straggler, "it says nothing that is slower: `late`, `compute` or `reduce`");
    }
    using collectives::Operation;
    if (spec.operation == Operation::kAllReduce || spec.operation == Operation::kReduce ||
        spec.operation == Operation::kReduceScatter) {
      return;
    }
    without_effect(path + ".execution.reduce_rate",
                   fmt::format("a rank of {} adds nothing up", name_of(spec.operation)));
  }

  /// Of channels, once all that is left to NCCL is settled.
  void check_pace(const collectives::Execution& settled, const std::string& path) {
    if (settled.transfer == collectives::Execution::Transfer::kPaced &&
        std::max(settled.channel_rate, settled.network_channel_rate) == BitsPerSecond(0)) {
      without_effect(path + ".transfer", "a paced channel needs a `channel_rate` to be paced by");
    }
  }

  const Experiment& e_;
  const Scenario& scenario_;
  const GivenKeys& given_;
  std::vector<std::string>& warnings_;
  Usage usage_;
  bool has_warned_of_pairs_ = false;
  std::set<std::string> named_splits_;
};

}  // namespace

void check_given_keys(const Experiment& experiment, const GivenKeys& given,
                      std::vector<std::string>& warnings) {
  GivenKeyChecks(experiment, given, warnings).run();
}

}  // namespace weft::scenarios
