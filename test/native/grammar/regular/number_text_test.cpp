#include "grammar/regular/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "grammar/regular/dfa_operations.h"
#include "grammar/regular/short_texts.h"

namespace emberline::grammar {
namespace {

constexpr std::int64_t kScale = 10'000;  // four digits behind the point

Decimal scaled(std::int64_t value) {
  return decimal_from_json(std::to_string(value) + "e-4").value();
}

// A text without exponent, read the plain way.
struct Read {
  bool number = false;
  std::int64_t value = 0;  // times kScale
  bool fraction = false, negative = false, trailing_zero = false;
};
Read read(const std::string& text) {
  Read result;
  std::size_t at = 0;
  if (at < text.size() && text[at] == '-') result.negative = true, ++at;
  const std::size_t point = text.find('.', at);
  const std::string whole = text.substr(at, point == std::string::npos ? point : point - at);
  std::string fraction = point == std::string::npos ? "" : text.substr(point + 1);
  if (whole.empty() || (whole.size() > 1 && whole[0] == '0')) return result;
  if (whole.find_first_not_of("0123456789") != std::string::npos) return result;
  result.fraction = point != std::string::npos;
  if (result.fraction &&
      (fraction.empty() || fraction.find_first_not_of("0123456789") != std::string::npos)) {
    return result;
  }
  result.trailing_zero = result.fraction && fraction.back() == '0';
  fraction.resize(4, '0');
  result.value = (std::stoll(whole) * kScale + std::stoll(fraction)) * (result.negative ? -1 : 1);
  result.number = true;
  return result;
}

struct PlainRule {
  std::optional<std::int64_t> least, most;
  std::vector<std::int64_t> multiples_of, except;
};

bool accepts(const NumberRule& rule, const PlainRule& plain, const Read& number) {
  if (!number.number || (number.negative && number.value == 0)) return false;
  if (rule.integer && number.fraction) return false;
  if (rule.one_text && number.trailing_zero) return false;
  const std::int64_t value = number.value;
  if (plain.least && (value < *plain.least || (rule.least_exclusive && value == *plain.least))) return false;
  if (plain.most && (value > *plain.most || (rule.most_exclusive && value == *plain.most))) return false;
  for (const std::int64_t divisor : plain.multiples_of) {
    if (value % divisor != 0) return false;
  }
  for (const std::int64_t except : plain.except) {
    if (value == except) return false;
  }
  return true;
}

TEST(NumberText, AgreesWithExactArithmetic) {
  const std::vector<std::string_view> symbols = {"0", "1", "2", "5", "9", ".", "-"};
  std::vector<std::string> texts = testing::short_texts(symbols, 5);
  for (int value = -2'000; value <= 2'000; ++value) texts.push_back(std::to_string(value));
  std::vector<Read> numbers;
  for (const std::string& text : texts) numbers.push_back(read(text));
  std::mt19937 random(1);
  constexpr std::int64_t kUnits[] = {1, 10, 100, 1'000, 5'000, kScale, 10 * kScale, 25 * kScale};
  constexpr std::int64_t kDivisors[] = {1,           2'500,       5'000, 100,          7'000,
                                        kScale,      3 * kScale,  500,   2 * kScale,   7 * kScale,
                                        10 * kScale, 12 * kScale, 3,     250 * kScale, 100 * kScale};
  for (int round = 0; round < 300; ++round) {
    const auto below = [&](std::size_t n) { return static_cast<std::int64_t>(random() % n); };
    const auto pick = [&] { return (below(101) - 50) * kUnits[below(8)]; };
    NumberRule rule;
    PlainRule plain;
    rule.one_text = below(3) == 0;
    rule.integer = below(3) == 0;
    if (below(2) == 0) rule.least = scaled(*(plain.least = pick()));
    if (below(2) == 0) rule.most = scaled(*(plain.most = pick()));
    rule.least_exclusive = below(2) == 0;
    rule.most_exclusive = below(2) == 0;
    for (auto i = below(4) - 1; i > 0; --i) {
      plain.multiples_of.push_back(kDivisors[below(15)]);
      rule.multiples_of.push_back(scaled(plain.multiples_of.back()));
    }
    for (auto i = below(5) - 2; i > 0; --i) {
      plain.except.push_back(pick());
      rule.except.push_back(scaled(plain.except.back()));
    }
    if (!rule.limited()) continue;
    const auto dfa = number_text(rule);
    ASSERT_TRUE(dfa.ok());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const bool expected = accepts(rule, plain, numbers[i]);
      ASSERT_EQ(dfa.value().match(texts[i]) != 0, expected) << texts[i] << " in round " << round;
    }
  }
}

TEST(NumberText, NothingLimitsTheNumber) {
  const auto dfa = number_text({});
  ASSERT_TRUE(dfa.ok());
  for (const char* text :
       {"0", "-0", "1", "-12.50", "1e5", "1E-05", "0.0e+0", "123456789.000", "1e99", "1e-999"}) {
    EXPECT_NE(dfa.value().match(text), 0u) << text;
  }
  for (const char* text :
       {"", "-", "01", "1.", ".5", "1e", "1e+", "+1", "1.e1", "--1", "1.5.2", "1e100", "1e+999"}) {
    EXPECT_EQ(dfa.value().match(text), 0u) << text;
  }
}

TEST(NumberText, LargeAndSmallBounds) {
  NumberRule rule;
  rule.least = decimal_from_json("-1.7976931348623157e308").value();
  rule.most = decimal_from_json("1e-320").value();
  const auto dfa = number_text(rule);
  ASSERT_TRUE(dfa.ok());
  EXPECT_NE(dfa.value().match("-17976931348623157" + std::string(292, '0')), 0u);
  EXPECT_EQ(dfa.value().match("-17976931348623158" + std::string(292, '0')), 0u);
  EXPECT_NE(dfa.value().match("0." + std::string(319, '0') + "1"), 0u);
  EXPECT_EQ(dfa.value().match("0." + std::string(318, '0') + "1"), 0u);

  NumberRule integer;
  integer.integer = true;
  integer.least = decimal_from_integer(INT64_MIN);
  integer.most = decimal_from_integer(INT64_MAX);
  const auto all = number_text(integer);
  ASSERT_TRUE(all.ok());
  EXPECT_NE(all.value().match("9223372036854775807"), 0u);
  EXPECT_EQ(all.value().match("9223372036854775808"), 0u);
  EXPECT_NE(all.value().match("-9223372036854775808"), 0u);
  EXPECT_EQ(all.value().match("-9223372036854775809"), 0u);
}

TEST(NumberText, EmptyRanges) {
  NumberRule rule;
  rule.least = decimal_from_integer(3);
  rule.most = decimal_from_integer(2);
  EXPECT_TRUE(number_text(rule).value().empty());
  rule.most = rule.least;
  EXPECT_FALSE(number_text(rule).value().empty());
  rule.most_exclusive = true;
  EXPECT_TRUE(number_text(rule).value().empty());
  NumberRule between;
  between.least = decimal_from_json("0.1").value();
  between.most = decimal_from_json("0.9").value();
  between.integer = true;
  EXPECT_TRUE(number_text(between).value().empty());
}

TEST(NumberText, RefusesWhatItCannotCount) {
  const auto divided = [](const char* divisor) {
    NumberRule rule;
    rule.multiples_of = {decimal_from_json(divisor).value()};
    return number_text(rule);
  };
  EXPECT_EQ(divided("0").code(), ErrorCode::kGrammarInvalid);
  EXPECT_EQ(divided("-2").code(), ErrorCode::kGrammarInvalid);
  EXPECT_EQ(divided("123456789").code(), ErrorCode::kGrammarTooLarge);
  EXPECT_EQ(divided("1e999999").code(), ErrorCode::kGrammarTooLarge);
  EXPECT_EQ(divided("1e-999999").code(), ErrorCode::kGrammarTooLarge);
  ASSERT_TRUE(divided("1e30").ok());
  EXPECT_NE(divided("1e30").value().match("7" + std::string(30, '0')), 0u);
  EXPECT_EQ(divided("1e30").value().match("7" + std::string(29, '0')), 0u);
  ASSERT_TRUE(divided("1e-30").ok());
  EXPECT_NE(divided("1e-30").value().match("0." + std::string(29, '0') + "3"), 0u);
  EXPECT_EQ(divided("1e-30").value().match("0." + std::string(30, '0') + "3"), 0u);
  NumberRule huge;
  huge.most = decimal_from_json("1e100000").value();
  EXPECT_EQ(number_text(huge).code(), ErrorCode::kGrammarTooLarge);
}

}  // namespace
}  // namespace emberline::grammar
