#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scenarios/text/format.hpp"
#include "tools/validate/validation.hpp"

namespace weft::validate {
namespace {

std::string shown(double value, const std::string& unit, bool is_exact) {
  if (unit == "ps") {
    return is_exact ? scenarios::format_count(static_cast<std::int64_t>(value)) + " ps"
                    : scenarios::format_time(value / 1e12);
  }
  if (unit == "bytes/s") return fmt::format("{:.4g} GB/s", value / 1e9);
  return fmt::format("{:.6g}", value);
}

const char* word_of(const Verdict& verdict) {
  if (verdict.holds) return verdict.row->is_calibrated ? "calibrated" : "ok";
  return verdict.is_red() ? "MISSES" : "misses";
}

}  // namespace

std::string validation_text(const Validation& validation) {
  std::string text;
  for (const Case::Kind kind :
       {Case::Kind::kClosedForm, Case::Kind::kSimulator, Case::Kind::kMeasurement}) {
    scenarios::TextTable table({kind_name(kind), "expected", "simulated", "error", "within", ""});
    bool is_empty = true;
    for (const Verdict& v : validation.verdicts) {
      if (v.of->kind != kind) continue;
      is_empty = false;
      const bool is_exact = v.row->tolerance == 0;
      const bool has_number = v.failure.empty();
      table.add({v.of->name + ": " + v.row->name,
                 has_number ? shown(v.row->expected, v.unit, is_exact) : "",
                 has_number ? shown(v.simulated, v.unit, is_exact) : "-",
                 has_number ? fmt::format("{:+.2f} %", 100 * v.error) : "",
                 is_exact ? "exact" : fmt::format("{:.3g} %", 100 * v.row->tolerance), word_of(v)});
    }
    if (!is_empty) text += table.to_string("  ") + "\n";
  }
  for (const Verdict& v : validation.verdicts) {
    if (v.holds) continue;
    const std::string why = !v.failure.empty()      ? v.failure
                            : v.row->misses.empty() ? "it must not"
                                                    : "known: " + v.row->misses;
    text += fmt::format("  {}: {} misses; {}\n", v.of->name, v.row->name, why);
  }
  const auto holding = std::ranges::count_if(validation.verdicts, &Verdict::holds);
  const auto red = std::ranges::count_if(validation.verdicts, &Verdict::is_red);
  text += fmt::format("\n  {} of {} rows hold, {} known to miss, {} red\n", holding,
                      validation.verdicts.size(),
                      static_cast<std::ptrdiff_t>(validation.verdicts.size()) - holding - red, red);
  return text + fmt::format("  {} runs, sha256 {}\n", validation.runs, validation.digest);
}

nlohmann::ordered_json validation_json(const Validation& validation) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const Verdict& v : validation.verdicts) {
    Json row{{"case", v.of->name},
             {"row", v.row->name},
             {"kind", kind_name(v.of->kind)},
             {"source", v.of->source},
             {"unit", v.unit},
             {"expected", v.row->expected},
             {"simulated", v.failure.empty() ? Json(v.simulated) : Json(nullptr)},
             {"error", v.failure.empty() ? Json(v.error) : Json(nullptr)},
             {"tolerance", v.row->tolerance},
             {"why", v.row->why},
             {"holds", v.holds},
             {"calibrated", v.row->is_calibrated}};
    if (!v.row->misses.empty()) row["known_to_miss"] = v.row->misses;
    if (!v.failure.empty()) row["failure"] = v.failure;
    rows.push_back(std::move(row));
  }
  return {{"is_good", validation.is_good()},
          {"runs", validation.runs},
          {"sha256", validation.digest},
          {"rows", std::move(rows)}};
}

}  // namespace weft::validate
