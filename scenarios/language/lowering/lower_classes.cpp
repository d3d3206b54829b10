#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocols/config/credit_loop.hpp"
#include "scenarios/language/lowering/lower.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quantity_text.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::scenarios::language {
namespace {

using protocols::CreditConfig;
using protocols::TrafficClass;

TrafficClass lower_class(const ClassDocument& document, const TrafficClass& fabric_wide) {
  TrafficClass c = document.own;
  c.flow_control = document.flow_control.value_or(fabric_wide.flow_control);
  c.ecn = document.ecn.value_or(fabric_wide.ecn);
  // The fabric's are for its lossy classes.
  const bool is_lossy = !c.is_lossless();
  c.egress_limit = document.egress_limit.value_or(is_lossy ? fabric_wide.egress_limit : 0_B);
  c.trimming =
      document.trimming.value_or(is_lossy ? fabric_wide.trimming : protocols::TrimmingConfig());
  c.wred = document.wred.value_or(is_lossy ? fabric_wide.wred : protocols::WredConfig());
  return c;
}

void check_names(const Context& context) {
  const std::vector<ClassDocument>& classes = context.document.fabric.classes;
  if (classes.size() > protocols::kMaxClasses) {
    context.fail("fabric.classes", "has " + std::to_string(classes.size()) +
                                       " classes; a link has at most " +
                                       std::to_string(protocols::kMaxClasses));
  }
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::string path = element_path("fabric.classes", i) + ".name";
    const std::string& name = classes[i].own.name;
    check_name(context, name, path);
    if (name == protocols::kSameClass || name == protocols::kHighestClass || name == "all") {
      context.fail(path, backquoted(name) + " is a word of its own where classes are named");
    }
    const auto same = std::ranges::find(
        classes, name, [](const ClassDocument& c) -> const std::string& { return c.own.name; });
    const auto first = static_cast<std::size_t>(same - classes.begin());
    if (first < i) {
      context.fail(path, backquoted(name) + " is the name of fabric.classes[" +
                             std::to_string(first) + "] already");
    }
  }
}

void lower_transports(const Context& context, Scenario& scenario) {
  (void)lower_transport(context, scenario.transport, "transport", scenario);
  const std::vector<ClassDocument>& classes = context.document.fabric.classes;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (!classes[i].transport) continue;
    const std::string path = element_path("fabric.classes", i) + ".transport";
    (void)lower_transport(context, *classes[i].transport, path, scenario);
  }
}

/// A buffer must have room for the largest packet, or nothing could ever be sent.
void check_credits(const Context& context, const Scenario& scenario) {
  Bytes packet;
  for (const protocols::TransportConfig& transport : scenario.transports()) {
    packet = std::max(packet, protocols::traits_of(transport).full_packet());
  }
  for (const ClassId id : scenario.switches.all_classes()) {
    const TrafficClass& c = scenario.switches.classes[id];
    const std::size_t i = id.value();
    if (!c.is_credit()) continue;
    const CreditConfig& credit = c.credit();
    if (credit.buffer == protocols::kCreditsByLoop) continue;
    const std::int64_t blocks = credit.held_by(packet) / credit.block;
    if (blocks <= credit.buffer / credit.block) continue;
    const auto& documents = context.document.fabric.classes;
    const bool is_own = i < documents.size() && documents[i].flow_control.has_value();
    const std::string path =
        (is_own ? element_path("fabric.classes", i) : std::string("fabric")) + ".flow_control";
    context.fail(path + ".buffer", quantity_text(credit.buffer.count(), dimension_of<Bytes>()) +
                                       " never has room for a full packet, which takes " +
                                       std::to_string(blocks) + " blocks of " +
                                       quantity_text(credit.block.count(), dimension_of<Bytes>()));
    if (!is_own) return;  // the same key for every class
  }
}

}  // namespace

std::vector<std::string> class_names(const Document& document) {
  std::vector<std::string> names;
  for (const ClassDocument& c : document.fabric.classes) names.push_back(c.own.name);
  if (!names.empty()) return names;
  for (const TrafficClass& c : protocols::default_classes()) names.push_back(c.name);
  return names;
}

std::optional<ClassId> find_class(const Context& context, const std::string& name,
                                  const std::string& path, const std::vector<std::string>& words) {
  std::vector<std::string> names = class_names(context.document);
  const auto found = std::ranges::find(names, name);
  const std::ptrdiff_t number = found - names.begin();
  if (found != names.end() && number < protocols::kMaxClasses) {
    return ClassId(static_cast<std::size_t>(number));
  }
  if (found != names.end()) return std::nullopt;  // too many classes: reported already
  if (std::ranges::find(words, name) != words.end()) return std::nullopt;
  names.insert(names.end(), words.begin(), words.end());
  context.fail(path, backquoted(name) + " is no traffic class; expected one of " + listing(names) +
                         did_you_mean(name, names));
  return std::nullopt;
}

void check_buffers(const Context& context, const Scenario& scenario) {
  check_credits(context, scenario);
}

void lower_classes(const Context& context, Scenario& scenario) {
  check_names(context);
  const std::vector<ClassDocument>& documents = context.document.fabric.classes;
  scenario.lists_classes = !documents.empty();
  if (scenario.lists_classes) {
    const TrafficClass fabric_wide = scenario.switches.data();
    scenario.switches.classes.clear();
    for (const ClassDocument& document : documents) {
      if (scenario.switches.classes.size() == protocols::kMaxClasses) break;
      scenario.switches.classes.push_back(lower_class(document, fabric_wide));
    }
  }
  lower_transports(context, scenario);
}

}  // namespace weft::scenarios::language
