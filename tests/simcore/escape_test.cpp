#include "simcore/base/escape.hpp"

#include <gtest/gtest.h>

#include <string>

namespace weft::testing {
namespace {

TEST(Escape, WhatATerminalObeysIsShown) {
  EXPECT_EQ(escaped("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
  EXPECT_EQ(escaped("a\r\nb\tc"), "a\\x0d\\x0ab\\x09c");
  EXPECT_EQ(escaped(std::string_view("a\0b\x7f", 4)), "a\\x00b\\x7f");
  // C1 as UTF-8: U+009B is a CSI of its own on terminals that know it.
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m"),
            "\\x9b31m");
}

TEST(Escape, WhatTurnsOrHidesTextIsShown) {
  EXPECT_EQ(escaped("a\u202eb\u2066c\u200fd"), "a\\u202eb\\u2066c\\u200fd");
  EXPECT_EQ(escaped("\ufeffname\u2028"), "\\ufeffname\\u2028");
  EXPECT_EQ(escaped("\U000e0041"), "\\U000e0041");
  EXPECT_EQ(escaped("\uffff"), "\\uffff");
}

TEST(Escape, BytesThatAreNoTextAreShown) {
  EXPECT_EQ(escaped("\xff"), "\\xff");
  EXPECT_EQ(escaped("\xe2\x82"), "\\xe2\\x82");           // cut short
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(escaped("\xc0\x9b"), "\\xc0\\x9b");           // overlong
}

TEST(Escape, OrdinaryTextStays) {
  for (const char* text : {"", "leaf0[8]->spine0[0]", "Größe 東京 😀", "`touch x` $(x) \\n %s"}) {
    EXPECT_EQ(escaped(text), text);
    EXPECT_EQ(escaped_lines(text), text);
  }
  EXPECT_EQ(escaped(escaped("\x1b\u202e")), escaped("\x1b\u202e"));
}

TEST(Escape, SeveralLinesKeepTheirEnds) {
  EXPECT_EQ(escaped_lines("a\n\tb\r\x1b\n"), "a\n\tb\\x0d\\x1b\n");
}

TEST(Escape, XmlHasNothingThatXmlForbidsAndKeepsNamesApart) {
  EXPECT_EQ(xml_escaped("<a & \"b\">'"), "&lt;a &amp; &quot;b&quot;&gt;&apos;");
  EXPECT_EQ(xml_escaped("\x1b[0m\n"), "\\x1b[0m\\x0a");
  EXPECT_NE(xml_escaped("\x1b"), xml_escaped("\\x1b"));
}

}  // namespace
}  // namespace weft::testing
