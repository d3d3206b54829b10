#include "scenarios/output/partial_path.hpp"

#include <unistd.h>

#include <cstddef>
#include <string>

namespace weft::scenarios {
namespace {

constexpr std::string_view kMiddle = ".partial.";
/// Names have at most 255 bytes on Linux's file systems.
constexpr std::size_t kMaxName = 255;

}  // namespace

std::filesystem::path partial_path(const std::filesystem::path& target, int attempt) {
  std::string suffix = std::string(kMiddle) + std::to_string(::getpid());
  if (attempt > 0) suffix += "-" + std::to_string(attempt + 1);
  std::string name = target.filename().string();
  if (name.size() + suffix.size() > kMaxName) {
    name.resize(kMaxName - suffix.size());
    // Not in the middle of a UTF-8 sequence.
    while (!name.empty() && (static_cast<unsigned char>(name.back()) & 0x80U) != 0) name.pop_back();
  }
  return target.parent_path() / (name + suffix);
}

bool is_partial_name(std::string_view name) {
  const std::size_t at = name.rfind(kMiddle);
  return at != std::string_view::npos && at + kMiddle.size() < name.size() &&
         name.find_first_not_of("0123456789-", at + kMiddle.size()) == std::string_view::npos;
}

}  // namespace weft::scenarios
