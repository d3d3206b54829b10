#include "tools/cli/collective/load_for_collective.hpp"

#include <fmt/format.h>

#include <variant>

#include "collectives/algorithms/algorithms.hpp"
#include "simcore/text/command_line_size.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quantity_text.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {

namespace {

void refuse(const char* option, const std::string& text, const std::vector<std::string>& names) {
  complain(fmt::format("{}: `{}` is not one of {}{}", option, text, listing(names),
                       did_you_mean(text, names)));
}

}  // namespace

std::optional<collectives::Operation> read_operation(const std::string& text) {
  auto operation = collectives::operation_named(text);
  if (!operation) refuse("--op", text, collectives::operation_names());
  return operation;
}

std::optional<collectives::Algorithm> read_algorithm(const std::string& text) {
  auto algorithm = collectives::algorithm_named(text);
  if (!algorithm) refuse("--algorithm", text, collectives::algorithm_names());
  return algorithm;
}

std::optional<Bytes> read_bytes(const char* option, const std::string& text) {
  const bool is_count = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  const auto parsed = parse_quantity(is_count ? text + "B" : text, command_line_size());
  constexpr std::int64_t kMax = 1'000'000'000'000;
  if (const auto* count = std::get_if<std::int64_t>(&parsed)) {
    if (*count <= kMax) return Bytes(*count);
    complain(fmt::format("{}: `{}` is more than 1 TB", option, text));
    return {};
  }
  complain(fmt::format("{}: `{}` {}", option, text, std::get<std::string>(parsed)));
  return {};
}

std::optional<std::size_t> find_collective(const scenarios::Scenario& scenario,
                                           const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    const auto& job = scenario.jobs[i];
    if (!std::holds_alternative<collectives::CollectiveSpec>(job.kind)) continue;
    if (name.empty() || job.name == name) return i;
    names.push_back(job.name);
  }
  if (names.empty()) {
    complain("the scenario has no collective");
  } else {
    refuse("--job", name, names);
  }
  return {};
}

}  // namespace weft::cli
