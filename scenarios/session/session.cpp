#include "scenarios/session/session.hpp"

#include <fmt/format.h>

#include <utility>

#include "scenarios/run/build_experiment.hpp"
#include "scenarios/session/nominal_ideal.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/base/digest.hpp"

namespace weft::scenarios {

Result<Session> open_session(LoadedScenario source) {
  auto experiment = build_experiment(source);
  if (!experiment) return source.located(experiment.errors());
  Session session{.source = std::move(source), .experiment = std::move(experiment).value()};
  session.forecast = forecast(session.experiment);
  const bool has_many = session.forecast.messages > kMessagesListed;
  session.lists_messages = session.experiment.scenario.observe.messages.value_or(!has_many);
  session.packs_messages = has_many;
  return session;
}

std::string memory_excess(const Forecast& f, const std::optional<std::int64_t>& limit,
                          std::string_view limit_name) {
  const double max = static_cast<double>(limit.value_or(available_memory().count()));
  if (f.memory <= max) return {};
  return fmt::format(
      "the run would take about {} of memory, and {}; make it smaller, or set {} to what it may "
      "take",
      format_bytes(f.memory),
      limit ? fmt::format("{} is {}", limit_name, format_bytes(max))
            : format_bytes(max) + " are available",
      limit_name);
}

RunFiles::Kinds kinds_of_files(const Session& session, bool has_packets) {
  return {
      .traces = has_packets, .messages = session.lists_messages, .packed = session.packs_messages};
}

void complete(Results& results, const Session& session, Invocation invocation,
              std::string_view version) {
  results.version = version;
  results.invocation = std::move(invocation);
  results.lists_messages = session.lists_messages;
  results.scenario_sha256 = sha256_hex(session.source.canonical_yaml());
  add_nominal_ideals(session.source, results);
}

}  // namespace weft::scenarios
