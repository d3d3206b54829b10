#include "protocols/config/response_class.hpp"

#include <cstddef>

#include "protocols/config/transports/list.hpp"
#include "simcore/base/check.hpp"

namespace weft::protocols {

ClassId highest_class(const SwitchConfig& switches) {
  ClassId highest;
  for (const ClassId c : switches.all_classes()) {
    if (switches.classes[c].network == NetworkKind::kScaleOut) highest = c;
  }
  return highest;
}

ClassId response_class(const SwitchConfig& switches, const std::string& name, ClassId of_data) {
  if (name == kSameClass) return of_data;
  if (name == kHighestClass) return highest_class(switches);
  for (const ClassId c : switches.all_classes()) {
    if (switches.classes[c].name == name) return c;
  }
  fail_check("a class that is named exists", "false", __FILE_NAME__, __LINE__);
}

}  // namespace weft::protocols
