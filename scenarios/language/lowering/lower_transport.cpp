#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "protocols/config/scale_up_config.hpp"
#include "scenarios/language/lowering/lower.hpp"

namespace weft::scenarios::language {
namespace {

/// Only what is wrong matters here: the engine finds the numbers.
void check_class_names(const Context& context, const protocols::TransportConfig& transport,
                       const std::string& path) {
  const protocols::TransportTraits traits = protocols::traits_of(transport);
  if (!traits.is_acknowledged) return;
  const std::vector<std::string> words{protocols::kSameClass, protocols::kHighestClass};
  (void)find_class(context, traits.ack_class, path + ".ack.priority", words);
  (void)find_class(context, traits.cnp_class, path + ".cnp_priority", words);
}

}  // namespace

std::uint8_t lower_transport(const Context& context, const protocols::TransportConfig& transport,
                             const std::string& path, Scenario& scenario) {
  check_class_names(context, transport, path);
  const std::vector<protocols::TransportConfig> all = scenario.transports();
  const auto known = static_cast<std::size_t>(std::ranges::find(all, transport) - all.begin());
  if (known < all.size()) return static_cast<std::uint8_t>(known);
  if (all.size() == protocols::kMaxScaleOutTransports) {
    context.fail(path, "is one more than the " + std::to_string(all.size()) +
                           " different transports that a scenario can have");
    return 0;
  }
  scenario.more_transports.push_back(transport);
  return static_cast<std::uint8_t>(all.size());
}

}  // namespace weft::scenarios::language
