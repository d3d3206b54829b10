#include "scenarios/checks/odd/settings_values.hpp"

#include <fmt/format.h>

#include <variant>

#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

using protocols::PfcConfig;
using protocols::TrafficClass;
using Values = std::vector<std::pair<std::string, std::string>>;

const char* flow_control_name(const TrafficClass& c) {
  if (c.is_pfc()) return "PFC";
  if (c.is_cbfc()) return "CBFC";
  return c.is_credit() ? "credits" : "none";
}

const char* headroom_name(PfcConfig::Headroom headroom) {
  switch (headroom) {
    case PfcConfig::Headroom::kShared:
      return "shared";
    case PfcConfig::Headroom::kExact:
      return "exact";
    case PfcConfig::Headroom::kSn5600:
      return "sn5600";
    case PfcConfig::Headroom::kHpcc:
      return "hpcc";
    case PfcConfig::Headroom::kGiven:
      break;
  }
  return "";
}

void add_pfc(const PfcConfig& pfc, const Port& port, Values& values) {
  if (pfc.threshold == PfcConfig::Threshold::kDynamic) {
    values.emplace_back("XOFF threshold", fmt::format("alpha {:g}", pfc.alpha));
    values.emplace_back("XON offset", bytes_text(pfc.xon_offset));
  } else {
    values.emplace_back("XOFF threshold", bytes_text(pfc.xoff));
    values.emplace_back("XON threshold", bytes_text(pfc.xon));
  }
  values.emplace_back("reserve", bytes_text(pfc.reserved));
  // Headrooms of unlike links are unlike by right.
  const bool is_given = pfc.headroom == PfcConfig::Headroom::kGiven;
  values.emplace_back(
      fmt::format("headroom for {} and {}", format_rate(static_cast<double>(port.rate.count())),
                  format_time(port.wire_latency)),
      is_given ? bytes_text(pfc.headroom_bytes) : headroom_name(pfc.headroom));
}

std::string ecn_text(const protocols::EcnConfig& ecn) {
  if (!ecn.enabled) return "none";
  std::string text = ecn.curve == protocols::EcnConfig::Curve::kStep
                         ? "from " + bytes_text(ecn.kmin)
                         : fmt::format("{} to {} at {:g} %", bytes_text(ecn.kmin),
                                       bytes_text(ecn.kmax), ecn.pmax * 100);
  if (ecn.at_rate) text += " at " + format_rate(static_cast<double>(ecn.at_rate->count()));
  return text;
}

std::string wred_text(const protocols::WredConfig& wred) {
  if (!wred.enabled) return "none";
  return fmt::format("{} to {} at {:g} %", bytes_text(wred.min), bytes_text(wred.max),
                     wred.probability * 100);
}

}  // namespace

std::string bytes_text(Bytes bytes) { return format_count(bytes.count()) + " B"; }

std::string watchdog_text(const protocols::PfcWatchdogConfig& watchdog) {
  if (!watchdog.enabled) return "none";
  return fmt::format(
      "after {}, back after {} ({})", format_time(watchdog.detection),
      format_time(watchdog.restoration),
      watchdog.action == protocols::PfcWatchdogConfig::Action::kDrop ? "drop" : "forward");
}

Values values_of(const TrafficClass& c, const Port& port) {
  Values values{{"flow control", flow_control_name(c)}};
  if (c.is_pfc()) add_pfc(c.pfc(), port, values);
  values.emplace_back("ECN", ecn_text(c.ecn));
  values.emplace_back("WRED", wred_text(c.wred));
  values.emplace_back("reserve of egress", bytes_text(c.egress_reserved));
  values.emplace_back("alpha of egress",
                      c.egress_alpha ? fmt::format("{:g}", *c.egress_alpha) : "none");
  values.emplace_back("limit of egress",
                      c.egress_limit > 0_B ? bytes_text(c.egress_limit) : "none");
  return values;
}

Bytes latest_xoff(const PfcConfig& pfc, Bytes shared) {
  if (pfc.threshold == PfcConfig::Threshold::kStatic) return pfc.xoff;
  // T = alpha (B - T) where one group alone fills the buffer B.
  const double bytes = static_cast<double>(shared.count()) * pfc.alpha / (1 + pfc.alpha);
  return pfc.reserved + Bytes(static_cast<std::int64_t>(bytes));
}

}  // namespace weft::scenarios
