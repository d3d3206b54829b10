#include "switch_mutants.hpp"

namespace weft::import {
namespace {

TEST(SwitchMutationFull, OneChangeIsRefusedOrSeen) {
  for (const MutatedForm& form : mutated_forms()) read_mutants(form, 10'000, 29);
}

}  // namespace
}  // namespace weft::import
