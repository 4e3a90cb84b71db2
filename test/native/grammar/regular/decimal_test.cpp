#include "grammar/regular/decimal.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace emberline::grammar {
namespace {

Decimal decimal(std::string_view text) {
  auto number = decimal_from_json(text);
  EXPECT_TRUE(number.ok()) << text;
  return number.ok() ? number.value() : Decimal{};
}

TEST(Decimal, ReadsAndWritesNumbers) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"},        {"-0", "0"},        {"0.00", "0"},          {"-0e5", "0"},
      {"1", "1"},        {"1.0", "1"},       {"10", "10"},           {"1e2", "100"},
      {"1E+2", "100"},   {"1.50", "1.5"},    {"-12.034", "-12.034"}, {"0.001", "0.001"},
      {"1e-3", "0.001"}, {"123e-1", "12.3"}, {"1200e-2", "12"},      {"0e999999999999999999999", "0"}};
  for (const auto& [text, canonical] : cases) EXPECT_EQ(canonical_text(decimal(text)), canonical) << text;
  EXPECT_EQ(canonical_text(decimal("1e399")), "1" + std::string(399, '0'));
  EXPECT_EQ(canonical_text(decimal("1e400")), "1e400");
  EXPECT_EQ(canonical_text(decimal("-12.5e400")), "-1.25e401");
  EXPECT_EQ(canonical_text(decimal("1e-399")), "0." + std::string(398, '0') + "1");
  EXPECT_EQ(canonical_text(decimal("1e-400")), "1e-400");
  EXPECT_EQ(canonical_text(decimal("123e-500")), "1.23e-498");
}

TEST(Decimal, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-", "01", "-01", "1.", ".5", "+1", "1e", "1e+", "1.e3", "0x1", "1 ", " 1",
                           "1a", "--1", "1.2.3", "1e2e3", "NaN", "Infinity"}) {
    EXPECT_EQ(decimal_from_json(text).code(), ErrorCode::kGrammarInvalid) << text;
  }
  for (const char* text : {"1e1000001", "1e-1000001", "1e99999999999999999999999", "-1E+9999999999"}) {
    EXPECT_EQ(decimal_from_json(text).code(), ErrorCode::kGrammarTooLarge) << text;
  }
  EXPECT_EQ(decimal_from_json("1" + std::string(1'000'000, '1')).code(), ErrorCode::kGrammarTooLarge);
  EXPECT_TRUE(decimal_from_json("1e1000000").ok());
}

TEST(Decimal, EqualNumbersAreEqual) {
  EXPECT_EQ(decimal("1.0"), decimal("10e-1"));
  EXPECT_EQ(decimal("-0"), decimal("0.0"));
  EXPECT_EQ(decimal_from_integer(-1200), decimal("-12e2"));
  EXPECT_EQ(decimal_from_integer(0), decimal("0"));
  EXPECT_EQ(decimal_from_integer(INT64_MIN), decimal("-9223372036854775808"));
}

// Numbers of three places, compared as integers.
TEST(Decimal, AgreesWithIntegers) {
  std::mt19937 random(1);
  const auto number = [](std::int64_t thousandths) {
    const std::string text = std::to_string(thousandths) + "e-3";
    return decimal(text);
  };
  for (int round = 0; round < 20'000; ++round) {
    const auto pick = [&] {
      const auto spread = static_cast<std::int64_t>(round % 3 == 0 ? 20 : round % 3 == 1 ? 3'000 : 200'000);
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * spread + 1)) - spread;
    };
    const std::int64_t a = pick(), b = pick();
    ASSERT_EQ(number(a) <=> number(b), a <=> b) << a << " " << b;
    ASSERT_EQ(number(a) == number(b), a == b);
    ASSERT_EQ(number(a).integer(), a % 1000 == 0);
    if (b == 0) continue;
    const auto multiple = is_multiple(number(a), number(b));
    ASSERT_TRUE(multiple.ok());
    ASSERT_EQ(multiple.value(), a % b == 0) << a << " " << b;
  }
}

TEST(Decimal, MultiplesOfLongNumbers) {
  EXPECT_TRUE(is_multiple(decimal("1e300"), decimal("1e-300")).value());
  EXPECT_FALSE(is_multiple(decimal("1e-300"), decimal("1e300")).value());
  EXPECT_TRUE(
      is_multiple(decimal("12193263113702179433607681743348574911222374638"), decimal("123456789012345678"))
          .value());
  EXPECT_FALSE(
      is_multiple(decimal("12193263113702179433607681743348574911222374639"), decimal("123456789012345678"))
          .value());
  const std::string nines(18, '9');
  EXPECT_TRUE(is_multiple(decimal(nines + nines), decimal(nines + "e-40")).value());
  EXPECT_FALSE(is_multiple(decimal(nines + nines + "e1"), decimal(nines + "e2")).value());
  EXPECT_EQ(is_multiple(decimal("1"), decimal("0.1234567890123456789")).code(), ErrorCode::kGrammarTooLarge);
  EXPECT_EQ(is_multiple(decimal("1e900000"), decimal("3")).code(), ErrorCode::kGrammarTooLarge);
}

}  // namespace
}  // namespace emberline::grammar
