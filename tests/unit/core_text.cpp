// Numbers in texts. tests/mpi/locale.cpp tests them with another locale.
#include "core/text.hpp"

#include <gtest/gtest.h>

namespace adcl {
namespace {

TEST(Text, JoinsItsArguments) { EXPECT_EQ(text("a", 1234567, ' ', 0.25, std::string("b")), "a1234567 0.25b"); }

TEST(Text, EscapesControlCharactersAsInC) {
  const std::string raw("a\tb\n\x1b[1m\0\x7f \\ \xc3\xa9", 15);
  EXPECT_EQ(printable(raw), "a\\tb\\n\\x1b[1m\\x00\\x7f \\ \xc3\xa9");
  EXPECT_EQ(printable("one\ntwo\r", true), "one\ntwo\\x0d");
}

TEST(Number, MustBeTheWholeWord) {
  EXPECT_EQ(to_number("0.2"), 0.2);
  EXPECT_EQ(to_number("+1e3"), 1000.0);
  EXPECT_EQ(to_number("-.5"), -0.5);
  for (const char* word :
       {"", " ", "+", "0,2", " 1", "1 ", "2x", "++1", "+-1", "0x10", "nan", "inf", "1e999", "1.2.3"}) {
    EXPECT_FALSE(to_number(word).has_value()) << "'" << word << "'";
  }
}

TEST(Text, WordsAreTrimmedLoweredAndJoined) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(lower_case("AbZ_9[@"), "abz_9[@");
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({"a", "b", "c"}), "a, b, c");
}

}  // namespace
}  // namespace adcl
