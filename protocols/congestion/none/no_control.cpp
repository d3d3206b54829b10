#include "protocols/congestion/none/no_control_spec.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {

schema::Object<NoControlConfig> NoControlSpec::schema() {
  return schema::describe<Config>("no congestion control", "every queue pair sends at line rate");
}

}  // namespace weft::protocols::congestion
