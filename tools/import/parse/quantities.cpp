#include "tools/import/parse/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

/// Of Ethernet (IEEE 802.3) and InfiniBand (1, 2, 4, 8 and 12 lanes), and bonds of two.
constexpr std::array<std::int64_t, 24> kPortMbps{
    1'000,   2'500,   5'000,   10'000,  14'000,  20'000,    25'000,    28'000,
    40'000,  50'000,  56'000,  80'000,  100'000, 112'000,   120'000,   168'000,
    200'000, 300'000, 400'000, 600'000, 800'000, 1'200'000, 1'600'000, 3'200'000};
/// Rates of which somebody may have kept two bytes.
constexpr std::array<std::int64_t, 4> kOfTwoBytes{100'000, 200'000, 400'000, 800'000};
constexpr std::int64_t kMillion = 1'000'000;
/// The longest cable without an amplifier; longer ones are mistyped.
constexpr std::int64_t kMaxMillimetres = 120'000'000;

std::int64_t nearest_port_mbps(std::int64_t mbps) {
  return *std::ranges::min_element(kPortMbps, {}, [mbps](std::int64_t known) {
    return std::abs(std::log(static_cast<double>(known)) - std::log(static_cast<double>(mbps)));
  });
}

std::string gbps_text(std::int64_t mbps) {
  return fmt::format("{:g} Gb/s", static_cast<double>(mbps) / 1000.0);
}

OrProblem<BitsPerSecond> checked_mbps(std::int64_t mbps) {
  if (std::ranges::find(kPortMbps, mbps) != kPortMbps.end()) return BitsPerSecond(mbps * kMillion);
  return fmt::format("no port runs at {}; {} is the nearest rate of one", gbps_text(mbps),
                     gbps_text(nearest_port_mbps(std::max<std::int64_t>(mbps, 1))));
}

/// What a number without unit may have been, for the message.
std::string likely_meaning(std::string_view text) {
  const std::optional<std::uint64_t> count = parse_unsigned(text);
  if (!count) return "";
  if (*count == 65'535) return ": the largest value of two bytes, so a larger one was cut";
  for (const std::int64_t mbps : kOfTwoBytes) {
    if (*count != static_cast<std::uint64_t>(mbps % 65'536)) continue;
    return fmt::format(": {} modulo 65,536, a value cut to two bytes; {} meant?", mbps,
                       gbps_text(mbps));
  }
  return "";
}

struct NumberAndUnit {
  std::string_view number;
  std::string_view unit;
};

NumberAndUnit split_unit(std::string_view text) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

/// A number with at most 9 digits and 6 places, in millionths.
std::optional<std::int64_t> parse_millionths(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  std::string places(text.substr(std::min(point + 1, text.size())));
  if (whole.size() > 9 || places.size() > 6 || (point < text.size() && places.empty())) {
    return std::nullopt;
  }
  places.resize(6, '0');
  const std::optional<std::uint64_t> ones = parse_unsigned(whole);
  const std::optional<std::uint64_t> parts = parse_unsigned(places);
  if (!ones || !parts) return std::nullopt;
  return static_cast<std::int64_t>(*ones * 1'000'000 + *parts);
}

struct LengthUnit {
  std::string_view name;
  std::int64_t micrometres;
};
constexpr std::array<LengthUnit, 17> kLengthUnits{{{"km", 1'000'000'000},
                                                   {"m", 1'000'000},
                                                   {"cm", 10'000},
                                                   {"mi", 1'609'344'000},
                                                   {"ft", 304'800},
                                                   {"in", 25'400},
                                                   {"kilometers", 1'000'000'000},
                                                   {"meters", 1'000'000},
                                                   {"meter", 1'000'000},
                                                   {"metres", 1'000'000},
                                                   {"metre", 1'000'000},
                                                   {"foot", 304'800},
                                                   {"inch", 25'400},
                                                   {"centimeters", 10'000},
                                                   {"miles", 1'609'344'000},
                                                   {"feet", 304'800},
                                                   {"inches", 25'400}}};

struct RateUnit {
  std::string_view name;
  std::int64_t mbps;
};
constexpr std::array<RateUnit, 15> kPortRateUnits{{{"g", 1'000},
                                                   {"gb", 1'000},
                                                   {"gbit", 1'000},
                                                   {"gbps", 1'000},
                                                   {"gb/s", 1'000},
                                                   {"gbit/s", 1'000},
                                                   {"gbe", 1'000},
                                                   {"gige", 1'000},
                                                   {"t", 1'000'000},
                                                   {"tbps", 1'000'000},
                                                   {"tb/s", 1'000'000},
                                                   {"mbps", 1},
                                                   {"mb/s", 1},
                                                   {"mbit", 1},
                                                   {"mbit/s", 1}}};

/// Names of IEEE 802.3: the unit of `400GBASE-DR4` and of `1000BASE-T`; null: it is none of them.
const RateUnit* unit_of_base(std::string_view unit) {
  static constexpr RateUnit kGiga{"gbase", 1'000};
  static constexpr RateUnit kMega{"base", 1};
  const std::string lower = lower_case(unit);
  for (const RateUnit* base : {&kGiga, &kMega}) {
    if (lower.starts_with(std::string(base->name) + "-")) return base;
  }
  return nullptr;
}

/// Bytes, by the capital B that ends in neither `bps` nor `b/s`.
bool is_in_bytes(std::string_view unit) {
  return unit.find("byte") != std::string_view::npos || unit.ends_with("gB") || unit == "B" ||
         unit == "GB" || unit == "MB" || unit == "TB" || unit == "GiB" || unit == "MiB" ||
         unit == "GB/s" || unit == "MB/s" || unit == "TB/s" || unit == "GBps" || unit == "MBps" ||
         unit == "GiB/s" || unit == "MiB/s";
}

}  // namespace

OrProblem<BitsPerSecond> parse_port_rate(std::string_view text) {
  const auto [number, unit] = split_unit(text);
  const std::optional<std::int64_t> millionths = parse_millionths(number);
  if (!millionths) {
    return fmt::format("{} is no rate such as `400G` or `400Gbps`", backquoted(text));
  }
  if (unit.empty()) {
    const std::string meaning = likely_meaning(number);
    return fmt::format("{} has no unit{}", backquoted(text),
                       meaning.empty() ? fmt::format(": `{}G` meant?", number) : meaning);
  }
  if (is_in_bytes(unit)) {
    return fmt::format("{} counts bytes, and a port's rate is in bits: `{:g}G` meant?",
                       backquoted(text), static_cast<double>(*millionths) * 8e-6);
  }
  const auto* known = std::ranges::find(kPortRateUnits, lower_case(unit), &RateUnit::name);
  if (known == kPortRateUnits.end()) known = unit_of_base(unit);
  if (known == nullptr) {
    return fmt::format("{} has the unit {}; rates are written as `400G`, `400Gbps` or `400GbE`",
                       backquoted(text), backquoted(unit));
  }
  __extension__ using Wide = __int128;
  const Wide bits = static_cast<Wide>(*millionths) * known->mbps;
  if (bits % kMillion != 0 || bits / kMillion > 100'000'000) {
    return fmt::format("{} is the rate of no port", backquoted(text));
  }
  return checked_mbps(static_cast<std::int64_t>(bits / kMillion));
}

bool is_rate_unit(std::string_view unit) {
  return std::ranges::find(kPortRateUnits, lower_case(unit), &RateUnit::name) !=
         kPortRateUnits.end();
}

bool is_length_unit(std::string_view unit) {
  return std::ranges::find(kLengthUnits, lower_case(unit), &LengthUnit::name) != kLengthUnits.end();
}

OrProblem<BitsPerSecond> port_rate_of_mbps(std::string_view text) {
  const std::optional<std::uint64_t> count = parse_unsigned(text);
  if (!count || *count > 100'000'000) {
    return fmt::format("{} is no rate in Mb/s: a whole number such as 400000 expected",
                       backquoted(text));
  }
  if (const std::string meaning = likely_meaning(text); !meaning.empty()) {
    return std::string(text) + meaning;
  }
  const auto mbps = static_cast<std::int64_t>(*count);
  if (mbps < 1'000) {
    const bool is_rate = std::ranges::find(kPortMbps, mbps * 1'000) != kPortMbps.end();
    return fmt::format(
        "{} is {} (unit Mb/s){}", mbps, gbps_text(mbps),
        is_rate ? fmt::format("; {} meant?", mbps * 1'000) : ", the rate of no port");
  }
  return checked_mbps(mbps);
}

OrProblem<Millimetres> parse_cable_length(std::string_view number, std::string_view unit) {
  const auto known = std::ranges::find(kLengthUnits, lower_case(unit), &LengthUnit::name);
  if (known == kLengthUnits.end()) {
    return fmt::format("unit {} of a length is not known; km, m, cm, mi, ft and in are",
                       backquoted(unit));
  }
  const std::optional<std::int64_t> millionths = parse_millionths(number);
  if (!millionths) {
    return fmt::format("length {} is no number: digits alone expected, the unit stands apart",
                       backquoted(number));
  }
  __extension__ using Wide = __int128;
  const Wide millimetres =
      (static_cast<Wide>(*millionths) * known->micrometres / 1'000 + 500'000) / 1'000'000;
  if (millimetres <= 0 || millimetres > kMaxMillimetres) {
    return fmt::format("{} {} is the length of no cable: 1 mm to 120 km expected", number, unit);
  }
  return Millimetres(static_cast<std::int64_t>(millimetres));
}

OrProblem<Millimetres> parse_cable_length(std::string_view text) {
  const auto [number, unit] = split_unit(text);
  if (!parse_millionths(number)) {
    return fmt::format("{} is no length such as `3m` or `10ft`", backquoted(text));
  }
  if (unit.empty()) {
    return fmt::format("length {} has no unit: `{}m` meant?", backquoted(text), number);
  }
  return parse_cable_length(number, unit);
}

std::string rate_text(BitsPerSecond rate) {
  return fmt::format("{:.4g} Gb/s", static_cast<double>(rate.count()) * 1e-9);
}

BitsPerSecond pcie_payload(double gigatransfers, std::uint32_t lanes) {
  double code = 8.0 / 10;                       // generations 1 and 2
  if (gigatransfers >= 8) code = 128.0 / 130;   // 3 to 5
  if (gigatransfers >= 64) code = 236.0 / 256;  // 6: flits
  const double packets = 256.0 / (256 + 26);
  return BitsPerSecond(std::llround(gigatransfers * lanes * code * packets * 1e3) * kMillion);
}

}  // namespace weft::import
