#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/jobs/list.hpp"
#include "protocols/config/transports/list.hpp"
#include "scenarios/language/schemas/document.hpp"
#include "simcore/fabric/limits.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::scenarios::language {
namespace {

/// Every operation is a type of its own.
void add_collectives(schema::Builder<JobDocument>& keys) {
  using collectives::CollectiveSpec;
  for (const std::string& name : collectives::operation_names()) {
    const collectives::Operation operation = *collectives::operation_named(name);
    keys.mode(
        name,
        [operation](const JobDocument& job) {
          const auto* spec = std::get_if<CollectiveSpec>(&job.kind);
          return spec != nullptr && spec->operation == operation;
        },
        [operation](JobDocument& job) { job.kind = collectives::default_collective(operation); },
        schema::describe<JobDocument>(name, collectives::operation_doc(operation))
            .include(
                [](JobDocument & job) -> auto& { return std::get<CollectiveSpec>(job.kind); },
                collectives::collective_schema(operation)));
  }
}

schema::Object<RanksDocument> ranks_schema() {
  return schema::describe<RanksDocument>("ranks", "which hosts a job runs on, in rank order")
      .words("hosts", &RanksDocument::hosts,
             "`all`, a count (the first hosts), or a list of host numbers, ranges `0-31` and names")
      .source("every host")
      .field("random", &RanksDocument::random, "this many hosts, drawn by the seed")
      .range(1, kMaxHosts)
      .choice("order", &RanksDocument::order,
              {{RanksDocument::Order::kGiven, "given", "as listed; `all` is rack by rack"},
               {RanksDocument::Order::kByRack, "by-rack", "all of one rack before the next"},
               {RanksDocument::Order::kStriped, "striped", "one of every rack in turn"},
               {RanksDocument::Order::kServers, "striped-servers", "one of every server in turn"},
               {RanksDocument::Order::kRandom, "random", "shuffled by the seed"}},
              "in which rank 0, 1, 2 ... are placed on these hosts")
      .source("as listed")
      .field("count", &RanksDocument::count, "take this many of them, from the first on")
      .source("all of them")
      .range(1, kMaxHosts)
      .special("all", std::nullopt)
      .shorthand("hosts");
}

}  // namespace

schema::Object<JobDocument> job_schema(LinkLayer layer) {
  const auto kind = [](JobDocument & job) -> auto& { return job.kind; };
  auto job = schema::describe<JobDocument>("job", "traffic of a set of ranks");
  job.field("name", &JobDocument::name, "letters, digits and . _ - ; names the job's results")
      .changes_output()
      .required()
      .field("class", &JobDocument::traffic_class, "traffic class of its messages")
      .source("the class of lowest priority, or of `dscp`")
      .words("dscp", &JobDocument::dscp,
             "code point of its packets, in place of a class: that which has it among its own")
      .source("none; the class says it")
      .field("start", &JobDocument::start,
             "when it begins; with `after`, how long after the end of those jobs")
      .source("at once")
      .words("after", &JobDocument::after, "names of jobs whose end it waits for")
      .source("none")
      .field("skip", &JobDocument::is_omitted,
             "leave it out, as if it were over at once; the others keep hosts, paths and random "
             "numbers")
      .source("it runs")
      .field("queue_pairs", &JobDocument::queue_pairs,
             "per connection outside of scale-up domains; messages take them in turn")
      .source("queue_pairs of its transport")
      .range(1, 1'024)
      .object("transport", &JobDocument::transport, protocols::transport_schema(layer),
              "how its messages are sent between servers; whole by itself: what it leaves out has "
              "its usual value, not that of the scenario's `transport`")
      .source("that of its class, or the scenario's")
      .object("ranks", &JobDocument::ranks, ranks_schema(), "which hosts it runs on")
      .source("every host")
      .tag("type", "what it does");
  // Alternatives are numbered as in JobKind, which ends with the collectives.
  collectives::JobTypes::for_each([&]<class J>() {
    if constexpr (std::is_same_v<J, collectives::CollectiveProgram>) {
      add_collectives(job);
    } else {
      job.template alternative<typename J::Spec>(J::type_name({}), kind, J::schema());
    }
  });
  return job;
}

}  // namespace weft::scenarios::language
