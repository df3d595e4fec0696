// Numbers in texts. tests/mpi/locale.cpp has them under another locale.
#include "core/text.hpp"

#include <gtest/gtest.h>

namespace adcl {
namespace {

TEST(Text, JoinsWhatItIsGiven) { EXPECT_EQ(text("a", 1234567, ' ', 0.25, std::string("b")), "a1234567 0.25b"); }

TEST(Number, IsTheWholeWord) {
  EXPECT_EQ(to_number("0.2"), 0.2);
  EXPECT_EQ(to_number(" \t+1e3"), 1000.0);
  EXPECT_EQ(to_number("-.5"), -0.5);
  for (const char* word : {"", " ", "+", "0,2", "1 ", "2x", "++1", "+-1", "0x10", "nan", "inf", "1e999", "1.2.3"}) {
    EXPECT_FALSE(to_number(word).has_value()) << "'" << word << "'";
  }
}

}  // namespace
}  // namespace adcl
