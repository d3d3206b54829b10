#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "collectives/jobs/collective/collective_program.hpp"
#include "collectives/jobs/graph/graph.hpp"
#include "collectives/jobs/incast/incast.hpp"
#include "collectives/jobs/job_type.hpp"
#include "collectives/jobs/messages/message_list.hpp"
#include "collectives/jobs/open_loop/open_loop.hpp"
#include "collectives/jobs/permutation/permutation.hpp"
#include "collectives/jobs/requests/requests.hpp"
#include "collectives/jobs/training/training.hpp"
#include "collectives/jobs/verb.hpp"
#include "simcore/schema/validate.hpp"

namespace weft::collectives {

template <JobType... Types>
struct JobTypeList {
  using Kind = std::variant<typename Types::Spec...>;

  /// Calls `visit.operator()<J>()` for every job type, in order.
  template <class Visit>
  static void for_each(Visit visit) {
    (visit.template operator()<Types>(), ...);
  }

  /// Calls `visit.operator()<J>(spec)` for the job type of a specification.
  template <class Visit, class AKind>
  static decltype(auto) visit(Visit visit, AKind& kind) {
    return std::visit(
        [&visit]<class Spec>(Spec& spec) -> decltype(auto) {
          return visit.template operator()<TypeOf<std::remove_const_t<Spec>>>(spec);
        },
        kind);
  }

 private:
  template <class Spec, class First, class... Rest>
  static auto type_of() {
    if constexpr (std::is_same_v<Spec, typename First::Spec>) {
      return std::type_identity<First>();
    } else {
      return type_of<Spec, Rest...>();
    }
  }
  template <class Spec>
  using TypeOf = typename decltype(type_of<Spec, Types...>())::type;
};

/// All types of jobs, in the order in which the reference lists them.
using JobTypes = JobTypeList<Incast, Permutation, MessageList, OpenLoop, Requests, Graph, Training,
                             CollectiveProgram>;

/// The specification of a job: what it does.
using JobKind = JobTypes::Kind;

/// As the `type` key of a job spells it.
[[nodiscard]] inline const char* type_name(const JobKind& kind) {
  return JobTypes::visit([]<class J>(const auto& spec) { return J::type_name(spec); }, kind);
}
/// What a specification breaks of its description.
[[nodiscard]] inline Problems broken_limits(const JobKind& kind) {
  return JobTypes::visit(
      []<class J>(const auto& spec) {
        if constexpr (requires { J::schema(); }) {
          return schema::problems_of(J::schema(), spec);
        } else {
          return schema::problems_of(J::schema_of(spec), spec);
        }
      },
      kind);
}
/// Takes in the files that a specification names.
inline void read_files(JobKind& kind, JobFiles& files) {
  JobTypes::visit(
      [&]<class J>(auto& spec) {
        if constexpr (requires { J::read_files(spec, files); }) J::read_files(spec, files);
      },
      kind);
}
/// Adds the problems that a specification has with `ranks` ranks, besides those of its schema.
inline void check(const JobKind& kind, std::uint32_t ranks, Problems& problems) {
  JobTypes::visit(
      [&]<class J>(const auto& spec) {
        if constexpr (requires { J::check(spec, ranks, problems); })
          J::check(spec, ranks, problems);
      },
      kind);
}
[[nodiscard]] inline std::optional<RankDemand> rank_demand(const JobKind& kind) {
  return JobTypes::visit(
      []<class J>(const auto& spec) -> std::optional<RankDemand> {
        if constexpr (requires { J::rank_demand(spec); }) {
          return J::rank_demand(spec);
        } else {
          return std::nullopt;
        }
      },
      kind);
}
/// By which its messages are moved; those that name none write.
[[nodiscard]] inline Verb verb_of(const JobKind& kind) {
  return JobTypes::visit(
      []<class J>(const auto& spec) {
        if constexpr (requires { spec.verb; }) {
          return spec.verb;
        } else {
          return Verb::kWrite;
        }
      },
      kind);
}
/// A read has two: of requests, and of data. So has it two messages.
[[nodiscard]] inline std::uint64_t max_connections(const JobKind& kind, std::uint32_t ranks) {
  const std::uint32_t each = verb_of(kind) == Verb::kRead ? 2 : 1;
  return JobTypes::visit(
      [&]<class J>(const auto& spec) { return each * J::max_connections(spec, ranks); }, kind);
}
[[nodiscard]] inline SendBound send_bound(const JobKind& kind, const BoundSetting& setting) {
  SendBound bound = JobTypes::visit(
      [&setting]<class J>(const auto& spec) { return J::bound(spec, setting); }, kind);
  if (verb_of(kind) == Verb::kRead) {
    bound.messages *= 2;
    bound.at_once *= 2;
  }
  return bound;
}
/// Iterations that end with deliveries; the ranks' places in scale-up domains matter to it.
[[nodiscard]] inline bool has_iterations(const JobKind& kind) {
  return JobTypes::visit(
      []<class J>(const auto&) {
        if constexpr (requires { J::kHasIterations; }) {
          return J::kHasIterations;
        } else {
          return false;
        }
      },
      kind);
}
/// Upper ends of classes of message sizes, ascending, by which results tell slowdowns; none: sizes
/// do not differ, or it says nothing.
[[nodiscard]] inline std::vector<Bytes> size_classes(const JobKind& kind) {
  return JobTypes::visit(
      []<class J>(const auto& spec) -> std::vector<Bytes> {
        if constexpr (requires { J::size_classes(spec); }) {
          return J::size_classes(spec);
        } else {
          return {};
        }
      },
      kind);
}
/// What it sends when depends on the rates of its ranks' access links.
[[nodiscard]] inline bool needs_access_rates(const JobKind& kind) {
  return JobTypes::visit(
      []<class J>(const auto& spec) {
        if constexpr (requires { J::needs_access_rates(spec); }) {
          return J::needs_access_rates(spec);
        } else {
          return J::kIsOpenLoop;
        }
      },
      kind);
}
[[nodiscard]] inline bool is_open_loop(const JobKind& kind) {
  return JobTypes::visit([]<class J>(const auto&) { return J::kIsOpenLoop; }, kind);
}

}  // namespace weft::collectives
