#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "collectives/algorithms/schedule.hpp"
#include "scenarios/language/schemas/document.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::scenarios::language {
namespace {

using collectives::IncastSpec;
using collectives::MessagesSpec;
using collectives::OpenLoopSpec;
using collectives::PermutationSpec;
using schema::Problem;

constexpr Bytes kMaxMessage = Bytes(1'000'000'000'000);
constexpr std::uint64_t kMaxRounds = 1'000'000;
constexpr const char* kAtOnce = "all at once, the hardest case";

schema::Object<IncastDocument> incast_schema() {
  using Incast = IncastDocument;
  return schema::describe<Incast>("in-cast", "many senders, one receiver")
      .field("senders", &Incast::senders, "how many ranks send; the job has one rank more")
      .source("all ranks but the receiver")
      .range(1, 262'143)
      .field(
          "receiver", [](Incast & i) -> auto& { return i.spec.receiver; }, "rank that receives")
      .source("the first rank")
      .field(
          "size", [](Incast & i) -> auto& { return i.spec.size; }, "per sender and round")
      .required()
      .at_least(1_B)
      .at_most(kMaxMessage)
      .field(
          "rounds", [](Incast & i) -> auto& { return i.spec.rounds; },
          "a round begins when the receiver has all of the last one")
      .source("one in-cast")
      .range(1, kMaxRounds)
      .field(
          "jitter", [](Incast & i) -> auto& { return i.spec.jitter; },
          "each sender starts a round at random within it")
      .source(kAtOnce);
}

schema::Object<PermutationSpec> permutation_schema() {
  return schema::describe<PermutationSpec>("permutation",
                                           "every rank sends to one other and receives from one")
      .field("size", &PermutationSpec::size, "per rank")
      .required()
      .at_least(1_B)
      .at_most(kMaxMessage)
      .field("jitter", &PermutationSpec::jitter, "each rank starts at random within it")
      .source(kAtOnce)
      .constant("pairs", "random", "who sends to whom: a random derangement by the seed")
      .source("no favoured paths");
}

schema::Object<MessagesSpec::Message> message_schema() {
  using Message = MessagesSpec::Message;
  return schema::describe<Message>("message", "one transfer")
      .field("start", &Message::start, "counted from the job's start")
      .source("with the job")
      .field("from", &Message::from, "rank that sends")
      .required()
      .field("to", &Message::to, "rank that receives")
      .required()
      .field("size", &Message::size, "payload")
      .required()
      .at_least(1_B)
      .at_most(kMaxMessage)
      .check([](const Message& m, std::vector<Problem>& problems) {
        if (m.from == m.to) problems.push_back({"to", "is the sending rank itself"});
      });
}

schema::Object<MessagesDocument> messages_schema() {
  using Messages = MessagesDocument;
  return schema::describe<Messages>("messages", "transfers one by one")
      .objects(
          "list", [](Messages & m) -> auto& { return m.spec.list; }, message_schema(),
          "the transfers")
      .source("in the CSV file")
      .compact()
      .field("csv", &Messages::csv,
             "file beside the scenario with the columns start_us (or another unit), source, "
             "destination, bytes and, if wanted, class")
      .source("in the list")
      .field("sha256", &Messages::sha256, "of the CSV file; another content is refused")
      .source("not checked")
      .check([](const Messages& m, std::vector<Problem>& problems) {
        const bool has_csv = !m.csv.empty();
        if (has_csv && !m.spec.list.empty()) {
          problems.push_back({"csv", "given together with list; one of them is needed"});
        } else if (!has_csv && m.spec.list.empty()) {
          problems.push_back({"list", "is missing or empty; messages come from a list or a csv"});
        } else if (!has_csv && !m.sha256.empty()) {
          problems.push_back({"sha256", "given without csv"});
        }
      });
}

schema::Object<OpenLoopSpec> open_loop_schema() {
  return schema::describe<OpenLoopSpec>("open loop", "messages at a given load, whatever completes")
      .field("size", &OpenLoopSpec::size, "of every message")
      .required()
      .at_least(1_B)
      .at_most(kMaxMessage)
      .field("load", &OpenLoopSpec::load, "payload, as a fraction of each sender's access rate")
      .required()
      .within({.low = 0, .high = 10, .includes_low = false})
      .choice("arrivals", &OpenLoopSpec::arrivals,
              {{OpenLoopSpec::Arrivals::kPoisson, "poisson", "independent arrivals"},
               {OpenLoopSpec::Arrivals::kConstant, "constant", "equal gaps"}},
              "when messages are sent")
      .source("many independent sources")
      .constant("destinations", "uniform", "who receives: any other rank")
      .source("no favoured paths")
      .field("stop", &OpenLoopSpec::stop, "no arrivals from then on, counted from the job's start")
      .required()
      .at_least(1_ps);
}

schema::Object<RanksDocument> ranks_schema() {
  return schema::describe<RanksDocument>("ranks", "which hosts a job runs on, in rank order")
      .words("hosts", &RanksDocument::hosts,
             "`all`, a count (the first hosts), or a list of host numbers, ranges `0-31` and names")
      .source("every host")
      .field("random", &RanksDocument::random, "this many hosts, drawn by the seed")
      .range(1, 262'144)
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
      .range(1, 262'144)
      .special("all", std::nullopt)
      .shorthand("hosts");
}

}  // namespace

schema::Object<JobDocument> job_schema() {
  const auto kind = [](JobDocument & job) -> auto& { return job.kind; };
  // The first alternatives are in the order of JobDocument::kind, whose last one is all
  // collectives.
  auto job = schema::describe<JobDocument>("job", "traffic of a set of ranks");
  job.field("name", &JobDocument::name, "letters, digits and . _ - ; names the job's results")
      .required()
      .field("class", &JobDocument::traffic_class, "traffic class of its messages")
      .source("the class of lowest priority")
      .field("start", &JobDocument::start, "when it begins")
      .source("at once")
      .field("queue_pairs", &JobDocument::queue_pairs,
             "per connection outside of scale-up domains; messages take them in turn")
      .source("transport.queue_pairs")
      .range(1, 1'024)
      .object("ranks", &JobDocument::ranks, ranks_schema(), "which hosts it runs on")
      .source("every host")
      .tag("type", "what it does")
      .alternative<IncastDocument>("incast", kind, incast_schema())
      .alternative<PermutationSpec>("permutation", kind, permutation_schema())
      .alternative<MessagesDocument>("messages", kind, messages_schema())
      .alternative<OpenLoopSpec>("open-loop", kind, open_loop_schema());
  for (const std::string& name : collectives::operation_names()) {
    const collectives::Operation operation = *collectives::operation_named(name);
    job.mode(
        name,
        [operation](const JobDocument& d) {
          const auto* collective = std::get_if<CollectiveDocument>(&d.kind);
          return collective != nullptr && collective->spec.operation == operation;
        },
        [operation](JobDocument& d) {
          d.kind = CollectiveDocument{};
          auto& spec = std::get<CollectiveDocument>(d.kind).spec;
          spec.operation = operation;
          spec.algorithm = collectives::algorithms_for(operation).front();
        },
        schema::describe<JobDocument>(name, operation_doc(operation))
            .include(
                [](JobDocument & d) -> auto& { return std::get<CollectiveDocument>(d.kind); },
                collective_schema(operation)));
  }
  return job;
}

}  // namespace weft::scenarios::language
