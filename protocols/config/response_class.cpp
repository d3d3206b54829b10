#include "protocols/config/response_class.hpp"

#include <cstddef>

#include "protocols/config/transports/list.hpp"
#include "simcore/base/check.hpp"

namespace weft::protocols {

std::uint8_t highest_class(const SwitchConfig& switches) {
  std::size_t c = switches.classes.size() - 1;
  while (c > 0 && switches.classes[c].network != NetworkKind::kScaleOut) --c;
  return static_cast<std::uint8_t>(c);
}

std::uint8_t response_class(const SwitchConfig& switches, const std::string& name,
                            std::uint8_t of_data) {
  if (name == kSameClass) return of_data;
  if (name == kHighestClass) return highest_class(switches);
  for (std::size_t c = 0; c < switches.classes.size(); ++c) {
    if (switches.classes[c].name == name) return static_cast<std::uint8_t>(c);
  }
  fail_check("a class that is named exists", "false", __FILE_NAME__, __LINE__);
}

}  // namespace weft::protocols
