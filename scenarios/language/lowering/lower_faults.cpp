#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/language/lowering/lower.hpp"

namespace weft::scenarios::language {
namespace {

using protocols::Fault;

/// A bit per class that a NIC can pause, which are those with PFC.
std::uint8_t pausable(const Scenario& scenario) {
  std::uint8_t mask = 0;
  for (std::size_t i = 0; i < scenario.switches.classes.size(); ++i) {
    if (scenario.switches.classes[i].is_pfc()) mask = static_cast<std::uint8_t>(mask | (1U << i));
  }
  return mask;
}

class FaultLowering {
 public:
  FaultLowering(const Context& context, std::string path, std::uint8_t pausable_classes)
      : context_(context), path_(std::move(path)), pausable_(pausable_classes) {}

  FaultSpec operator()(const NicPauseDocument& pause) const {
    FaultSpec spec;
    spec.kind = Fault::Kind::kNicPause;
    spec.links.from = pause.host;
    if (pausable_ == 0) {
      context_.fail(path_, "pauses a switch, but no traffic class has PFC");
      return spec;
    }
    spec.classes = 0;
    for (std::size_t i = 0; i < pause.classes.size(); ++i) add_class(pause, i, spec);
    return spec;
  }
  FaultSpec operator()(const LinkRateDocument& link) const {
    FaultSpec spec;
    spec.kind = Fault::Kind::kLinkRate;
    spec.links = link.links;
    spec.rate = link.rate;
    return spec;
  }
  FaultSpec operator()(const LinkDownDocument& link) const {
    FaultSpec spec;
    spec.kind = Fault::Kind::kLinkDown;
    spec.links = link.links;
    return spec;
  }

  FaultSpec operator()(const SwitchDownDocument& fault) const {
    FaultSpec spec;
    spec.kind = Fault::Kind::kLinkDown;
    spec.links.from = fault.node;
    spec.is_switch = true;
    return spec;
  }
  FaultSpec operator()(const LinkLatencyDocument& link) const {
    FaultSpec spec;
    spec.kind = Fault::Kind::kLinkLatency;
    spec.links = link.links;
    spec.latency = link.added;
    return spec;
  }

 private:
  void add_class(const NicPauseDocument& pause, std::size_t i, FaultSpec& spec) const {
    const std::string& name = pause.classes[i];
    if (name == "all") {
      spec.classes = pausable_;
      return;
    }
    const std::string key = child_path(path_, "class");
    const std::string element = element_path(key, i);
    const std::string& at = locate(context_.root, element).is_exact ? element : key;
    const auto number = find_class(context_, name, at, {"all"});
    if (!number) return;
    const auto bit = static_cast<std::uint8_t>(1U << *number);
    if ((pausable_ & bit) == 0) {
      context_.fail(at, backquoted(name) + " has no PFC; nothing can pause it");
      return;
    }
    spec.classes = static_cast<std::uint8_t>(spec.classes | bit);
  }

  const Context& context_;
  std::string path_;
  std::uint8_t pausable_;
};

}  // namespace

void lower_faults(const Context& context, Scenario& scenario) {
  scenario.convergence = context.document.fabric.convergence;
  const std::uint8_t classes = pausable(scenario);
  for (std::size_t i = 0; i < context.document.faults.size(); ++i) {
    const FaultDocument& document = context.document.faults[i];
    FaultSpec spec =
        std::visit(FaultLowering(context, element_path("faults", i), classes), document.kind);
    spec.at = document.at;
    spec.until = document.until.value_or(Fault::kForever);
    scenario.faults.push_back(std::move(spec));
  }
}

}  // namespace weft::scenarios::language
