#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "protocols/packet/packet_kind.hpp"
#include "scenarios/language/lowering/lower.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::scenarios::language {
namespace {

/// That the classes of a paused NIC exist and can be paused.
void check_classes(const Context& context, const NicPause& pause, const std::string& path,
                   std::uint8_t pausable) {
  if (pausable == 0) {
    return context.fail(path, "pauses a switch, but no traffic class has PFC");
  }
  const std::string key = child_path(path, "class");
  for (std::size_t i = 0; i < pause.classes.size(); ++i) {
    const std::string& name = pause.classes[i];
    if (name == "all") continue;
    const std::string element = element_path(key, i);
    const std::string& at = locate(context.root, element).is_exact ? element : key;
    const auto number = find_class(context, name, at, {"all"});
    if (number && (pausable & protocols::class_bit(*number)) == 0) {
      context.fail(at, backquoted(name) + " has no PFC; nothing can pause it");
    }
  }
}

}  // namespace

void lower_faults(const Context& context, Scenario& scenario) {
  scenario.convergence = context.document.fabric.convergence;
  scenario.faults = context.document.faults;
  const std::uint8_t classes = scenario.switches.pausable_classes();
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    if (const auto* pause = std::get_if<NicPause>(&scenario.faults[i].what)) {
      check_classes(context, *pause, element_path("faults", i), classes);
    }
  }
}

}  // namespace weft::scenarios::language
