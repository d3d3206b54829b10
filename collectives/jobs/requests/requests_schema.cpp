#include <algorithm>
#include <cmath>
#include <string>

#include "collectives/jobs/requests/requests.hpp"
#include "simcore/fabric/limits.hpp"
#include "simcore/schema/schema_builder.hpp"

/// The keys of requests.
namespace weft::collectives {

namespace {

constexpr std::uint64_t kMaxRequestRounds = 1'000'000;
constexpr Picoseconds kMaxService(1'000'000'000'000'000);
/// Until the begin of the last round.
constexpr Picoseconds kLastRound(100'000'000'000'000'000);
/// Every client has a lane on every rank.
constexpr double kMaxRequestLanes = 4e6;
/// Of servers, by every server for itself.
constexpr double kMaxServerDraws = 2e9;

void check_times(const RequestsSpec& s, Problems& problems) {
  if (s.period && s.load) {
    problems.push_back({"load", "given together with `period`; one of them is needed"});
  } else if (s.period && *s.period > kLastRound / s.rounds) {
    problems.push_back({"period", "takes more than 10^5 s with this number of rounds"});
  }
}

}  // namespace

schema::Object<RequestsSpec> Requests::schema() {
  const auto is_timed = [](const Spec& s) { return s.is_timed(); };
  return schema::describe<Spec>("requests", "clients ask servers, which answer")
      .field("clients", &Spec::clients, "ranks that ask, the first ones; the others are servers")
      .source("one, as an aggregator is")
      .range(1, kMaxLanes)
      .field("fan_out", &Spec::fan_out, "servers that a client asks in a round; `all`")
      .source("one, drawn for each round")
      .range(1, kMaxHosts)
      .special("all", std::nullopt)
      .field("request", &Spec::request, "of each request")
      .required()
      .at_least(1_B)
      .at_most(kMaxMessage)
      .field("response", &Spec::response, "of each response")
      .source("drawn from `responses`")
      .at_least(1_B)
      .at_most(kMaxMessage)
      .only_if([](const Spec& s) { return !s.responses; }, "without `responses`")
      .object("responses", &Spec::responses, sizes_schema(), "sizes that responses are drawn from")
      .source("all have one size")
      .field("service", &Spec::service, "from the arrival of a request until its response is sent")
      .source("none")
      .at_most(kMaxService)
      .field("rounds", &Spec::rounds, "of each client")
      .source("one")
      .range(1, kMaxRequestRounds)
      .field("period", &Spec::period,
             "from one round of a client to its next, whatever has become of it")
      .source("a client asks again when it has all responses")
      .at_least(1_ns)
      .field("load", &Spec::load,
             "payload, as a fraction of the access rate of a client in the direction that has "
             "more; in place of a period")
      .source("by the period")
      .within({.low = 0, .high = 10, .includes_low = false})
      .choice("arrivals", &Spec::arrivals,
              {{Spec::Arrivals::kTogether, "together", "all clients at once, a period apart"},
               {Spec::Arrivals::kStaggered, "staggered",
                "a period apart, each client from a time of its own within the first"},
               {Spec::Arrivals::kPoisson, "poisson", "independent, a period apart on average"}},
              "when clients ask")
      .source("all at once, the hardest case")
      .only_if(is_timed, "with a `period` or a `load`")
      .field("think", &Spec::think, "from the last response of a round to the next one")
      .source("none")
      .at_most(kMaxService)
      .only_if([](const Spec& s) { return !s.is_timed(); }, "without a `period` or a `load`")
      .check([](const Spec& s, Problems& problems) {
        if (!s.responses && s.response == 0_B) {
          problems.push_back({"response",
                              "is missing; servers answer with a `response`, such as "
                              "32KiB, or `responses` that are drawn"});
        }
        check_times(s, problems);
      });
}

void Requests::read_files(Spec& spec, JobFiles& files) {
  if (spec.responses) read_sizes(*spec.responses, "responses", files);
}

void Requests::check(const Spec& spec, std::uint32_t ranks, Problems& problems) {
  if (spec.clients >= ranks) {
    problems.push_back({"clients", "is " + std::to_string(spec.clients) + "; of " +
                                       std::to_string(ranks) +
                                       " ranks at least one has to be a server"});
    return;
  }
  const std::uint32_t servers = ranks - spec.clients;
  if (spec.fan_out && *spec.fan_out > servers) {
    problems.push_back({"fan_out", "is " + std::to_string(*spec.fan_out) + "; there are " +
                                       std::to_string(servers) + " servers"});
    return;
  }
  if (1.0 * ranks * spec.clients > kMaxRequestLanes) {
    problems.push_back({"clients", "times ranks are more than " +
                                       std::to_string(std::llround(kMaxRequestLanes)) +
                                       ", which a run can follow; make it several jobs"});
  }
  const double draws = 1.0 * servers * spec.clients * spec.rounds * spec.fan_out.value_or(1);
  if (draws > kMaxServerDraws) {
    problems.push_back({"rounds", "make about " + std::to_string(std::llround(draws)) +
                                      " draws of servers; at most " +
                                      std::to_string(std::llround(kMaxServerDraws)) +
                                      " are possible"});
  }
}

std::uint64_t Requests::max_connections(const Spec& spec, std::uint32_t ranks) {
  const std::uint64_t servers = ranks - std::min(spec.clients, ranks);
  return 2 * servers * spec.clients;
}

SendBound Requests::bound(const Spec& spec, const BoundSetting& setting) {
  if (spec.responses && spec.responses->table.empty()) return {};  // it could not be read
  const double servers = setting.ranks - 1.0 * std::min(spec.clients, setting.ranks);
  const double asked = spec.fan_out ? *spec.fan_out : servers;
  const double messages = 2 * asked * spec.clients * spec.rounds;
  const Bytes response = spec.responses ? spec.responses->table.largest() : spec.response;
  const auto size = static_cast<double>(std::max(spec.request, response).count());
  return {messages, messages, static_cast<double>(spec.rounds), size * spec.rounds};
}

std::vector<Bytes> Requests::size_classes(const Spec& spec) {
  std::vector<Bytes> ends{spec.request};
  if (spec.responses) {
    const std::vector<Bytes> tenths = tenths_of(spec.responses->table);
    ends.insert(ends.end(), tenths.begin(), tenths.end());
    // Requests have a class of their own.
    if (spec.request > std::min(1_B, tenths.front())) ends.push_back(spec.request - 1_B);
  } else {
    ends.push_back(spec.response);
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

}  // namespace weft::collectives
