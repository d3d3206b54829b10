#include <gtest/gtest.h>

#include "tests/import/support/mutants.hpp"

namespace weft::import {
namespace {

TEST(ManyMutants, NeitherCrashNorTakeLong) { read_mutants(10'000); }

}  // namespace
}  // namespace weft::import
