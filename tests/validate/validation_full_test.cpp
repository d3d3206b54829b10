#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "tools/validate/suite.hpp"
#include "tools/validate/validation.hpp"

namespace weft::testing {
namespace {

// What `weft validate` runs: within two minutes on two cores, and no row is red.
TEST(ValidationOfAll, HoldsButForWhatIsKnown) {
  const std::vector<validate::Case> suite = validate::shipped_suite().value();
  const validate::Validation validation = validate::validate(suite, {});
  std::printf("%s", validation_text(validation).c_str());
  EXPECT_TRUE(validation.is_good());
}

}  // namespace
}  // namespace weft::testing
