#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tools/validate/suite.hpp"
#include "tools/validate/validation.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using validate::Case;
using validate::Validation;

/// Cases of the suite that take milliseconds: all but measurements.
std::vector<Case> quick_suite() {
  std::vector<Case> suite = validate::shipped_suite().value();
  std::erase_if(suite, [](const Case& one) { return one.kind == Case::Kind::kMeasurement; });
  return suite;
}

std::set<std::string> red_rows(const Validation& validation) {
  std::set<std::string> rows;
  for (const validate::Verdict& v : validation.verdicts) {
    if (v.is_red()) rows.insert(v.of->name + ": " + v.row->name);
  }
  return rows;
}

TEST(Validation, ClosedFormsAndOtherSimulatorsHold) {
  const std::vector<Case> suite = quick_suite();
  const Validation validation = validate::validate(suite, {});
  EXPECT_THAT(red_rows(validation), IsEmpty()) << validation_text(validation);
  EXPECT_TRUE(validation.is_good());
  EXPECT_GE(validation.verdicts.size(), 14U);
  EXPECT_EQ(validation.runs, suite.size());
  // Whatever runs beside what.
  EXPECT_EQ(validate::validate(suite, {.workers = 1}).digest, validation.digest);
  EXPECT_EQ(validate::validate(suite, {.workers = 3}).digest, validation.digest);
}

// What `--set` changes is a mutant of every case: rows of the kind that it touches turn red, and
// the digest differs.
TEST(Validation, MutantsTurnRowsRed) {
  const std::vector<Case> suite = quick_suite();
  const Validation good = validate::validate(suite, {});
  const Validation header = validate::validate(suite, {.changes = {"transport.header=100B"}});
  EXPECT_FALSE(header.is_good());
  EXPECT_GE(red_rows(header).size(), 10U);
  EXPECT_NE(header.digest, good.digest);

  const Validation acks = validate::validate(suite, {.changes = {"transport.ack.size=65B"}});
  EXPECT_TRUE(red_rows(acks).contains("one flow over two links: completion"));
  EXPECT_THAT(validation_text(acks), HasSubstr("MISSES"));

  const Validation nonsense = validate::validate(suite, {.changes = {"transport.heather=1B"}});
  EXPECT_EQ(red_rows(nonsense).size(), nonsense.verdicts.size());
  EXPECT_THAT(nonsense.verdicts.front().failure, HasSubstr("did you mean `header`"));
}

TEST(Validation, ShowsRowsThatAreKnownToMiss) {
  std::vector<Case> suite = quick_suite();
  suite.resize(1);
  suite[0].rows[0].expected *= 2;
  EXPECT_FALSE(validate::validate(suite, {}).is_good());
  suite[0].rows[0].misses = "nobody knows why";
  const Validation known = validate::validate(suite, {});
  EXPECT_TRUE(known.is_good());
  EXPECT_FALSE(known.verdicts[0].holds);
  EXPECT_THAT(validation_text(known), HasSubstr("known: nobody knows why"));
  const nlohmann::ordered_json json = validation_json(known);
  EXPECT_EQ(json["rows"][0]["known_to_miss"], "nobody knows why");
  EXPECT_EQ(json["rows"][0]["holds"], false);
  EXPECT_NEAR(json["rows"][0]["error"].get<double>(), -0.5, 1e-9);
}

TEST(Validation, ARowWithoutANumberIsRed) {
  std::vector<Case> suite = quick_suite();
  suite.resize(1);
  suite[0].changes = {"run.until=1us"};  // nothing is over by then
  const Validation validation = validate::validate(suite, {});
  EXPECT_FALSE(validation.is_good());
  EXPECT_THAT(validation.verdicts[0].failure, HasSubstr("has no messages.completion_ps"));
}

TEST(Validation, SuiteHasAllKindsWithSources) {
  const std::vector<Case> suite = validate::shipped_suite().value();
  std::set<std::string> kinds;
  int full = 0;
  int missing = 0;
  for (const Case& one : suite) {
    kinds.insert(kind_name(one.kind));
    EXPECT_FALSE(one.source.empty()) << one.name;
    EXPECT_TRUE(validate::scenario_of(one, {}).ok()) << one.name;
    for (const validate::Row& row : one.rows) {
      EXPECT_FALSE(row.why.empty()) << one.name << ": " << row.name;
      full += row.is_full ? 1 : 0;
      missing += row.misses.empty() ? 0 : 1;
    }
  }
  EXPECT_EQ(kinds.size(), 3U);
  EXPECT_GT(full, 10);
  EXPECT_GT(missing, 0);
  EXPECT_FALSE(validate::read_suite("{}").ok());
  EXPECT_FALSE(validate::read_suite("no JSON").ok());
}

}  // namespace
}  // namespace weft::testing
