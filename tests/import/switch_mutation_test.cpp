#include "switch_mutants.hpp"

namespace weft::import {
namespace {

TEST(SwitchMutation, OneChangeIsRefusedOrSeen) {
  for (const MutatedForm& form : mutated_forms()) read_mutants(form, 300, 17);
}

}  // namespace
}  // namespace weft::import
