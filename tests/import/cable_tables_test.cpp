#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/import/support/samples.hpp"
#include "tools/import/cables/cable_words.hpp"

// Tables of cables as people have them: their titles, units, separators and encodings.

namespace weft::import {
namespace {

constexpr const char* kPlain =
    "from,from_port,to,to_port,rate,length,medium\n"
    "gpu01,eth0,leaf01,Ethernet0,400G,3m,copper\n"
    "leaf01,Ethernet8,spine01,Ethernet0,400G,20m,fibre\n";

std::string plain_facts() { return facts_text(read_text(kPlain)); }

/// The two cables below other titles.
std::string titled(const std::string& ends) {
  return ends + ",rate,length,medium\n" +
         "gpu01,eth0,leaf01,Ethernet0,400G,3m,copper\n"
         "leaf01,Ethernet8,spine01,Ethernet0,400G,20m,fibre\n";
}

TEST(CableTables, UsualTitlesOfEndsAreKnown) {
  for (const char* ends :
       {"Source Device,Source Port,Destination Device,Destination Port",
        "source,source port,destination,destination port", "A Device,A Port,B Device,B Port",
        "From,From Port,To,To Port", "Device A,Interface A,Device B,Interface B",
        "Device A,Port A,Device Z,Port Z", "src_host,src_intf,dst_host,dst_intf",
        "Side A Device,Side A Interface,Side B Device,Side B Interface",
        "A-End Device,A-End Port,Z-End Device,Z-End Port", "fromDevice,fromPort,toDevice,toPort",
        "Local Device,Local Port,Remote Device,Remote Port", "Device1,Port1,Device2,Port2",
        "Server,Server Port,Switch,Switch Port"}) {
    const std::string text = titled(ends);
    const Description read = read_text(text);
    EXPECT_EQ(remarks_text(read), "") << ends;
    EXPECT_EQ(facts_text(read), plain_facts()) << ends;
  }
}

TEST(CableTables, TitlesThatAreNotKnownAreListed) {
  const Description read = read_text("Rack,U,Switch,Uplink,Peer\nA1,3,leaf01,7,spine01\n");
  EXPECT_TRUE(says(read, Severity::kError, 0,
                   "columns found: Rack, U, Switch, Uplink, Peer; "
                   "expected for example from, from_port, to, to_port"));
  const Description forced = read_text("from,to,rack\na,b,c\n", "cables-csv");
  EXPECT_TRUE(says(forced, Severity::kError, 1,
                   "no column is from_port or to_port; columns found: from, to, rack"));
  EXPECT_EQ(forced.remarks.size(), 2U) << remarks_text(forced);  // and `rack` is not known
  // What is no table is not told of columns.
  EXPECT_FALSE(says(read_text("one, two and three words = x\n"), Severity::kError, 0, "columns"));
}

TEST(CableTables, AnEndThatTwoColumnsNameIsRefused) {
  EXPECT_TRUE(says(read_text("Source,Source Host,Source Port,To,To Port\na,b,c,d,e\n"),
                   Severity::kError, 1, "columns `Source` and `Source Host` are both `from`"));
  // The very name comes first, wherever it stands.
  const Description read = read_text("Source,from,from_port,to,to_port\nx,gpu01,eth0,leaf01,p\n");
  ASSERT_EQ(read.cables.size(), 1U) << remarks_text(read);
  EXPECT_EQ(read.cables[0].a.device, "gpu01");
  EXPECT_TRUE(says(read, Severity::kWarning, 1, "are both `from`: the second is ignored"));
}

TEST(CableTables, TitlesSayUnits) {
  struct Titled {
    const char* title;
    const char* column;
    const char* unit;
  };
  for (const Titled& one : std::vector<Titled>{{"length (m)", "length", "m"},
                                               {"length_m", "length", "m"},
                                               {"Length [m]", "length", "m"},
                                               {"Cable length ft", "length", "ft"},
                                               {"Length in m", "length", "m"},
                                               {"length in", "length", "in"},
                                               {"Cable Length", "length", ""},
                                               {"Speed (Gb/s)", "rate", "Gb/s"},
                                               {"speed_gbps", "rate", "gbps"},
                                               {"Link Speed", "rate", ""},
                                               {"length (yd)", "", ""},
                                               {"Speed (rpm)", "", ""},
                                               {"cable_type", "medium", ""},
                                               {"Media", "medium", ""},
                                               {"cable", "", ""},
                                               {"Label", "", ""},
                                               {"Source Rack", "", ""},
                                               {"Port", "", ""},
                                               {"", "", ""}}) {
    const CableTitle read = cable_title(one.title);
    EXPECT_EQ(read.column, one.column) << one.title;
    EXPECT_EQ(read.unit, one.unit) << one.title;
  }
}

/// One cable with these columns besides its ends.
Description with(const std::string& titles, const std::string& cells) {
  return read_text("from,from_port,to,to_port," + titles + "\ngpu01,eth0,leaf01,Ethernet0," +
                   cells + "\n");
}

TEST(CableTables, LengthsTakeTheUnitOfTheirTitleOrMetres) {
  EXPECT_EQ(with("length_m", "2.5").cables.at(0).length->value.count(), 2500);
  EXPECT_EQ(remarks_text(with("length_m", "2.5")), "");
  EXPECT_EQ(with("Cable length ft", "10").cables.at(0).length->value.count(), 3048);
  EXPECT_EQ(with("length (m)", "10ft").cables.at(0).length->value.count(), 3048);  // the cell's own
  const Description bare = with("length", "2.5");
  EXPECT_EQ(bare.cables.at(0).length->value.count(), 2500);
  EXPECT_TRUE(says(bare, Severity::kWarning, 2, "taken in metres"));
  // Of 150 rows one remark.
  std::string text = "from,from_port,to,to_port,length\n";
  for (int i = 0; i < 150; ++i) text += fmt::format("gpu{},eth0,leaf01,Ethernet{},3\n", i, i);
  const Description many = read_text(text);
  EXPECT_EQ(many.cables.size(), 150U);
  ASSERT_EQ(many.remarks.size(), 1U) << remarks_text(many);
  EXPECT_TRUE(says(many, Severity::kWarning, 2, "(and 149 more cells of this column)"));
}

TEST(CableTables, MediaAreKnownByTheirKinds) {
  for (const char* text : {"DAC", "dac-passive", "DAC, passive", "AEC", "ACC", "Copper", "Cat6",
                           "CAT6a", "twinax", "400G-CR4"}) {
    EXPECT_EQ(medium_of(text), "copper") << text;
  }
  for (const char* text :
       {"AOC", "SMF", "MMF", "OM3", "om4", "OM5", "OS2", "SR4", "DR4", "FR4", "2xFR4", "SMF, DR4",
        "400GBASE-DR4", "Fiber", "fibre", "single-mode", "MPO-12"}) {
    EXPECT_EQ(medium_of(text), "fibre") << text;
  }
  for (const char* text : {"", "QSFP-DD", "category", "DAC or AOC", "data", "scenic", "omega"}) {
    EXPECT_EQ(medium_of(text), std::nullopt) << text;
  }
  EXPECT_TRUE(says(with("medium", "QSFP"), Severity::kError, 2, "copper or fibre expected"));
  EXPECT_TRUE(says(with("Type", "uplink"), Severity::kWarning, 2, "DR4; ignored"));
  EXPECT_FALSE(with("Type", "uplink").cables.at(0).medium.has_value());
}

TEST(CableTables, RatesAreReadAsPeopleWriteThem) {
  for (const char* text : {"400G", "400 Gb/s", "400GbE", "400gbase-dr4", "400Gb", "0.4T"}) {
    const Description read = with("speed", text);
    ASSERT_EQ(read.cables.size(), 1U) << text << remarks_text(read);
    EXPECT_EQ(read.cables[0].rate->value, 400_Gbps) << text;
    EXPECT_EQ(remarks_text(read), "") << text;
  }
  EXPECT_EQ(with("rate", "1000BASE-T").cables.at(0).rate->value, 1_Gbps);
  const Description megabits = with("rate", "400000");
  EXPECT_EQ(megabits.cables.at(0).rate->value, 400_Gbps);
  EXPECT_TRUE(
      says(megabits, Severity::kWarning, 2, "`400000` has no unit: taken in Mb/s, 400 Gb/s"));
  EXPECT_EQ(with("Speed (Gb/s)", "400").cables.at(0).rate->value, 400_Gbps);
  for (const char* text : {"400", "401000", "6784", "65535", "400gB", "400BASE-T", "1e5"}) {
    EXPECT_TRUE(has_errors(with("rate", text).remarks)) << text;
  }
  EXPECT_TRUE(says(with("rate (GB/s)", "50"), Severity::kError, 2, "counts bytes"));
}

TEST(CableTables, SemicolonsAndTabsSeparateToo) {
  for (const char separator : {';', '\t'}) {
    std::string text = kPlain;
    for (char& c : text) c = c == ',' ? separator : c;
    EXPECT_EQ(facts_text(read_text(text)), plain_facts());
    EXPECT_EQ(remarks_text(read_text(text)), "");
  }
  const std::string decimal = "from;from_port;to;to_port;length\na,eth0;b;Ethernet0;";
  EXPECT_TRUE(has_errors(read_text(decimal + "2,5m\n").remarks));  // a cell is missing
  const Description read = read_text("from;from_port;to;to_port;length\na;\"x;y\";b;p,q;2,5m\n");
  ASSERT_EQ(read.cables.size(), 1U) << remarks_text(read);
  EXPECT_EQ(read.cables[0].a.port, "x;y");
  EXPECT_EQ(read.cables[0].b.port, "p,q");
  EXPECT_EQ(read.cables[0].length->value.count(), 2500);
  EXPECT_TRUE(has_errors(read_text("from;from_port;to;to_port;length\na;x;b;y;2,500m\n").remarks));
}

TEST(CableTables, EmptyColumnsAndRowsAreNoTrouble) {
  const std::string ends = "gpu01,eth0,leaf01,Ethernet0";
  const Description read =
      read_text("from,from_port,to,to_port,,\n" + ends + ",,\n,,,,,\n,\n" +
                "gpu02,eth0,leaf01,Ethernet4\n" + "gpu03,eth0,leaf01,Ethernet8,,,,\n");
  EXPECT_EQ(read.cables.size(), 3U);
  EXPECT_EQ(remarks_text(read), "");
  EXPECT_TRUE(has_errors(read_text("from,from_port,to,to_port\n" + ends + ",x\n").remarks));
  EXPECT_TRUE(has_errors(read_text("from,from_port,to,to_port,rate\n" + ends + "\n").remarks));
  EXPECT_TRUE(says(read_text("from,,from_port,,to,to_port\ngpu01,1,eth0,2,leaf01,p\n"),
                   Severity::kWarning, 1, "a column without a title"));
}

TEST(CableTables, Utf16IsReadByItsMark) {
  const auto path = std::filesystem::temp_directory_path() / "weft-import-utf16.csv";
  const std::u16string text = u"from,from_port,to,to_port\ngpu\u00fc\u20ac\U0001F600,eth0,b,p\n";
  for (const bool is_big : {false, true}) {
    const auto written = [&](const std::u16string& units, std::size_t cut) {
      std::string raw;
      for (const char16_t unit : units) {
        const char low = static_cast<char>(unit & 0xffU);
        const char high = static_cast<char>(unit >> 8U);
        raw += is_big ? high : low;
        raw += is_big ? low : high;
      }
      raw.resize(raw.size() - cut);
      std::ofstream(path, std::ios::binary) << raw;
      return InputFile::read(path);
    };
    auto file = written(u"\ufeff" + text, 0);
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file.value().text(),
              "from,from_port,to,to_port\ngpu\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80,eth0,b,p\n");
    const auto cut = written(u"\ufeff" + text, 1);
    ASSERT_FALSE(cut.ok());
    EXPECT_NE(cut.errors().front().message.find("UTF-16"), std::string::npos);
    EXPECT_FALSE(written(u"\ufeffab\xd83d", 0).ok());
    const auto unmarked = written(text, 0);
    ASSERT_FALSE(unmarked.ok());
    EXPECT_NE(unmarked.errors().front().message.find("byte-order mark"), std::string::npos);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace weft::import
