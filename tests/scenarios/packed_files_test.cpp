// Large tables are packed: what comes out again is what went in.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/compare/run_folder.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/output/result_writer.hpp"
#include "scenarios/output/run_files.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "scenarios/text/csv_stream.hpp"
#include "scenarios/text/text_file.hpp"
#include "scenarios/text/zstd_stream.hpp"
#include "tests/support/temporary_folder.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string all_of(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

TEST(PackedFiles, AreReadAsTheyWereWritten) {
  const TemporaryFolder folder("packed");
  std::string expected = "a,b\n";
  {
    scenarios::CsvStream stream(folder.path() / "rows.csv.zst", "a,b");
    for (int i = 0; i < 200'000; ++i) {
      stream.add("{},{}\n", i, i * 7);
      expected += std::to_string(i) + "," + std::to_string(i * 7) + "\n";
    }
    stream.finish();
    EXPECT_FALSE(stream.has_failed());
  }
  EXPECT_LT(fs::file_size(folder.path() / "rows.csv.zst"), expected.size() / 2);
  const auto in = scenarios::open_text(folder.path() / "rows.csv");
  EXPECT_EQ(all_of(*in), expected);
  EXPECT_FALSE(in->bad());
  // As zstd(1) reads them, where it is installed.
  const std::string command = "command -v zstd >/dev/null || exit 0; zstd -dcq '" +
                              (folder.path() / "rows.csv.zst").string() + "' > '" +
                              (folder.path() / "unpacked").string() + "' || exit 1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  if (fs::exists(folder.path() / "unpacked")) {
    EXPECT_EQ(folder.read("unpacked"), expected);
  }
}

TEST(PackedFiles, ThatAreCutShortAreDamaged) {
  const TemporaryFolder folder("cut");
  {
    scenarios::CsvStream stream(folder.path() / "rows.csv.zst", "a,b");
    for (int i = 0; i < 100'000; ++i) stream.add("{},{}\n", i, i * i % 9'973);
    stream.finish();
  }
  const fs::path file = folder.path() / "rows.csv.zst";
  fs::resize_file(file, fs::file_size(file) / 2);
  const auto in = scenarios::open_text(folder.path() / "rows.csv");
  std::string line;
  while (std::getline(*in, line)) {
  }
  EXPECT_TRUE(in->bad());
}

// A gigabyte of the same line packs to a few kilobytes: reading ends, and says why.
TEST(PackedFiles, ThatUnpackToFarMoreThanTablesDoEnd) {
  const TemporaryFolder folder("bomb");
  const fs::path file = folder.path() / "rows.csv";
  {
    scenarios::CsvStream stream(file.string() + ".zst", "a,b");
    for (int i = 0; i < 3'000'000; ++i) stream.add("{}\n", "1234567890123456789012345678901234");
    stream.finish();
  }
  scenarios::LineReader in(file);
  int lines = 0;
  while (in.next()) ++lines;
  EXPECT_THAT(in.problem(), HasSubstr("unpacks to more than 64 MiB and more than 200 times"));
  EXPECT_LT(lines, 2'000'000);
  EXPECT_EQ(in.number(), lines);
}

TEST(PackedFiles, AreReadLineByLineLikeOthers) {
  const TemporaryFolder folder("lines");
  folder.write("rows.csv", "a\n\nlast");
  scenarios::LineReader in(folder.path() / "rows.csv");
  std::vector<std::string> lines;
  while (in.next()) lines.emplace_back(in.line());
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "", "last"}));
  EXPECT_EQ(in.problem(), "");
  folder.write("rows.csv", "a\n" + std::string(scenarios::kMaxTextLineBytes + 1, 'x') + "\nb\n");
  scenarios::LineReader longer(folder.path() / "rows.csv");
  EXPECT_TRUE(longer.next());
  EXPECT_FALSE(longer.next());
  EXPECT_THAT(longer.problem(), HasSubstr("a line of more than 1 MiB"));
  EXPECT_FALSE(longer.next());
}

TEST(PackedFiles, OfMessagesAreComparedLikeOthers) {
  const TemporaryFolder folder("messages");
  const auto loaded =
      scenarios::load_scenario(std::string(WEFT_SOURCE_DIR) + "/scenarios/incast.yaml");
  const auto experiment = scenarios::build_experiment(loaded.value().scenario).value();
  for (const bool packed : {false, true}) {
    const fs::path out = folder.path() / (packed ? "packed" : "plain");
    auto files = scenarios::RunFiles::create(experiment, out,
                                             {.traces = false, .messages = true, .packed = packed});
    ASSERT_TRUE(files.ok());
    scenarios::RunFiles& f = *files.value();
    const auto results =
        scenarios::simulate(experiment, {}, &f, {},
                            [&f](const scenarios::MessageResult& message) { f.write(message); });
    ASSERT_TRUE(scenarios::write_results(results, loaded.value().resolved_yaml("1"), out,
                                         {.pauses = false, .files = &f})
                    .ok());
    EXPECT_EQ(fs::exists(out / "messages.csv.zst"), packed);
    EXPECT_EQ(fs::exists(out / "messages.csv"), !packed);
  }
  const auto plain = scenarios::read_run_folder(folder.path() / "plain");
  const auto packed = scenarios::read_run_folder(folder.path() / "packed");
  ASSERT_TRUE(plain.ok() && packed.ok());
  ASSERT_EQ(packed.value().messages->size(), 32U);
  EXPECT_EQ(packed.value().messages->back().completion, plain.value().messages->back().completion);
  // A cut file is an error, not fewer messages.
  const fs::path file = folder.path() / "packed/messages.csv.zst";
  fs::resize_file(file, fs::file_size(file) - 8);
  EXPECT_THAT(scenarios::read_run_folder(folder.path() / "packed").errors().front().message,
              HasSubstr("damaged"));
}

}  // namespace
}  // namespace weft::testing
