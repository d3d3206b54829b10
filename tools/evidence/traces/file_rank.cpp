#include "tools/evidence/traces/file_rank.hpp"

#include <cctype>
#include <cstddef>
#include <filesystem>
#include <limits>

#include "tools/evidence/text.hpp"

namespace weft::evidence {

std::optional<std::uint32_t> rank_of_file(const std::string& name) {
  const std::string stem = lower(std::filesystem::path(name).filename().string());
  std::size_t at = stem.rfind("rank");
  if (at == std::string::npos) return {};
  at += 4;
  if (at < stem.size() && (stem[at] == '_' || stem[at] == '-')) ++at;
  std::size_t end = at;
  while (end < stem.size() && std::isdigit(static_cast<unsigned char>(stem[end])) != 0) ++end;
  return number_in<std::uint32_t>(std::string_view(stem).substr(at, end - at));
}

void take_rank_of_file(const std::string& name, RankCalls& calls, Remarks& remarks) {
  const auto rank = rank_of_file(name);
  calls.is_rank_known = rank.has_value();
  calls.rank = rank.value_or(0);
  if (rank) return;
  add_warning(remarks, {.file = name},
              "does not say its rank: calls are not joined with those of other ranks; put it into "
              "the file's name, such as `rank0.json`");
}

std::int64_t size_product(std::int64_t a, std::int64_t b) {
  if (a <= 0 || b <= 0 || a > std::numeric_limits<std::int64_t>::max() / b) return 0;
  return a * b;
}

}  // namespace weft::evidence
