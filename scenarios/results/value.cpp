#include "scenarios/results/value.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

#include "scenarios/text/csv.hpp"

namespace weft::scenarios {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

/// The double that is nearest: 100 us are 0.0001, and not 9.999999999999999e-05 as by a product.
double nearest_seconds(Picoseconds t) { return static_cast<double>(t.count()) / 1e12; }

std::string spelled(const Quotient& q) {
  switch (q.spelling) {
    case Quotient::Spelling::kRate:
      return fmt::format("{:.6g}", q.value);
    case Quotient::Spelling::kMean:
      return fmt::format("{:.1f}", q.value);
    case Quotient::Spelling::kRatio:
      break;
  }
  return fmt::format("{:.6f}", q.value);
}

}  // namespace

void Value::append_to(std::string& text) const {
  std::visit(Overloaded{[](std::monostate) {}, [&](bool value) { text += value ? '1' : '0'; },
                        [&](std::int64_t value) { text += std::to_string(value); },
                        [&](Picoseconds value) { text += csv::seconds(value); },
                        [&](const std::string& value) { text += csv::field(value); },
                        [&](const Quotient& value) { text += spelled(value); }},
             held_);
}

void Value::add_to(Digest& digest) const {
  if (std::holds_alternative<Quotient>(held_)) return;
  digest.add(held_.index());
  std::visit(
      Overloaded{[](std::monostate) {}, [&](bool value) { digest.add(value); },
                 [&](std::int64_t value) { digest.add(value); },
                 [&](Picoseconds value) { digest.add(value.count()); },
                 [&](const std::string& value) { digest.add_text(value); }, [](const Quotient&) {}},
      held_);
}

nlohmann::ordered_json Value::json() const {
  using Json = nlohmann::ordered_json;
  return std::visit(Overloaded{[](std::monostate) { return Json(nullptr); },
                               [](bool value) { return Json(value); },
                               [](std::int64_t value) { return Json(value); },
                               [](Picoseconds value) { return Json(nearest_seconds(value)); },
                               [](const std::string& value) { return Json(value); },
                               [](const Quotient& value) { return Json(value.value); }},
                    held_);
}

const char* unit_of(std::string_view name) {
  struct Ending {
    std::string_view word;
    const char* unit;
  };
  static constexpr std::array<Ending, 13> kEndings{{{"bytes_per_s", "bytes/s"},
                                                    {"bytes_per_second", "bytes/s"},
                                                    {"tokens_per_s", "tokens/s"},
                                                    {"tokens_per_second", "tokens/s"},
                                                    {"flops_per_second", "FLOP/s"},
                                                    {"dollars_per_step", "$"},
                                                    {"dollars_per_million_tokens", "$"},
                                                    {"per_s", ""},
                                                    {"per_second", ""},
                                                    {"bps", "bit/s"},
                                                    {"s", "s"},
                                                    {"seconds", "s"},
                                                    {"bytes", "bytes"}}};
  for (const Ending& ending : kEndings) {
    if (!name.ends_with(ending.word)) continue;
    const std::size_t rest = name.size() - ending.word.size();
    if (rest == 0 || name[rest - 1] == '_') return ending.unit;
  }
  return "";
}

}  // namespace weft::scenarios
