// Numbers and strings.
#include <algorithm>

#include "grammar/schema/shape_algebra.h"

namespace emberline::grammar {

namespace {

void add_decimal(std::vector<Decimal>& numbers, const Decimal& number) {
  const auto place = std::lower_bound(numbers.begin(), numbers.end(), number);
  if (place == numbers.end() || *place != number) numbers.insert(place, number);
}

bool multiple(const Decimal& number, const Decimal& divisor, Refusal& refusal) {
  const Result<bool> is = is_multiple(number, divisor);
  if (!is.ok()) refusal.take(is.error());
  return is.ok() && is.value();
}

bool admits(const NumberShape& shape, const Decimal& number, Refusal& refusal) {
  const NumberRule& rule = shape.rule;
  if (rule.least && (number < *rule.least || (rule.least_exclusive && number == *rule.least))) return false;
  if (rule.most && (number > *rule.most || (rule.most_exclusive && number == *rule.most))) return false;
  if (rule.integer && !number.integer()) return false;
  if (std::find(rule.except.begin(), rule.except.end(), number) != rule.except.end()) return false;
  return std::all_of(rule.multiples_of.begin(), rule.multiples_of.end(),
                     [&](const Decimal& divisor) { return multiple(number, divisor, refusal); }) &&
         std::none_of(shape.not_multiples_of.begin(), shape.not_multiples_of.end(),
                      [&](const Decimal& divisor) { return multiple(number, divisor, refusal); });
}

}  // namespace

bool ShapeAlgebra::surely_empty(const NumberShape& shape) {
  if (shape.values) return shape.values->empty();
  const NumberRule& rule = shape.rule;
  if (rule.least && rule.most) {
    if (*rule.most < *rule.least) return true;
    if (*rule.most == *rule.least && (rule.least_exclusive || rule.most_exclusive)) return true;
  }
  const Decimal one = decimal_from_integer(1);
  return std::any_of(
      shape.not_multiples_of.begin(), shape.not_multiples_of.end(), [&](const Decimal& divisor) {
        return (rule.integer && multiple(one, divisor, space_.refusal())) ||
               std::any_of(rule.multiples_of.begin(), rule.multiples_of.end(),
                           [&](const Decimal& each) { return multiple(each, divisor, space_.refusal()); });
      });
}

bool ShapeAlgebra::meet_into(const NumberShape& a, const NumberShape& b, NumberShape& out) {
  out = a;
  if (b.rule.least) out.rule.bound_below(*b.rule.least, b.rule.least_exclusive);
  if (b.rule.most) out.rule.bound_above(*b.rule.most, b.rule.most_exclusive);
  out.rule.integer = a.rule.integer || b.rule.integer;
  for (const Decimal& each : b.rule.multiples_of) add_decimal(out.rule.multiples_of, each);
  for (const Decimal& each : b.rule.except) add_decimal(out.rule.except, each);
  for (const Decimal& each : b.not_multiples_of) add_decimal(out.not_multiples_of, each);
  if (a.values || b.values) {
    std::vector<Decimal> values;
    for (const Decimal& each : a.values ? *a.values : *b.values)
      if (admits(a, each, space_.refusal()) && admits(b, each, space_.refusal()) &&
          (!b.values || std::binary_search(b.values->begin(), b.values->end(), each)))
        values.push_back(each);
    const bool integer = out.rule.integer;  // 1.0 may be one of the values and no integer
    out = NumberShape{};
    out.rule.integer = integer;
    out.values = std::move(values);
  }
  return !surely_empty(out);
}

std::vector<NumberShape> ShapeAlgebra::outside(const NumberShape& shape) {
  std::vector<NumberShape> shapes;
  if (shape.values) {
    shapes.emplace_back();
    shapes.back().rule.except = *shape.values;
    return shapes;
  }
  const NumberRule& rule = shape.rule;
  const auto with_rule = [&shapes](const NumberRule& each) {
    shapes.emplace_back();
    shapes.back().rule = each;
  };
  if (rule.least) {
    NumberRule below;
    below.bound_above(*rule.least, !rule.least_exclusive);
    with_rule(below);
  }
  if (rule.most) {
    NumberRule above;
    above.bound_below(*rule.most, !rule.most_exclusive);
    with_rule(above);
  }
  const auto no_multiple = [&shapes](const Decimal& divisor) {
    shapes.emplace_back();
    shapes.back().not_multiples_of.push_back(divisor);
  };
  if (rule.integer) no_multiple(decimal_from_integer(1));
  for (const Decimal& divisor : rule.multiples_of) no_multiple(divisor);
  for (const Decimal& divisor : shape.not_multiples_of) {
    NumberRule multiples;
    multiples.integer = divisor == decimal_from_integer(1);
    if (!multiples.integer) multiples.multiples_of.push_back(divisor);
    with_rule(multiples);
  }
  if (!rule.except.empty()) {
    shapes.emplace_back();
    shapes.back().values = rule.except;
  }
  return shapes;
}

bool ShapeAlgebra::surely_empty(const StringShape& shape) {
  if (shape.least > shape.most || space_.languages().empty(shape.language)) return true;
  if (!shape.bounded() || shape.language == kAnyLanguage) return false;
  const LengthRange& lengths = space_.languages().lengths(space_.languages().around(shape.language));
  return lengths.least > shape.most || lengths.most < shape.least;
}

bool ShapeAlgebra::meet_into(const StringShape& a, const StringShape& b, StringShape& out) {
  LanguageSpace& languages = space_.languages();
  out.language = languages.meet(a.language, b.language);
  out.least = std::max(a.least, b.least);
  out.most = std::min(a.most, b.most);
  if (out.bounded() && languages.texts(out.language) != nullptr) {
    // A few texts are looked at one by one.
    out.language = languages.with_length(out.language, out.least, out.most);
    out.least = 0;
    out.most = kUnbounded;
  }
  return !surely_empty(out);
}

std::vector<StringShape> ShapeAlgebra::outside(const StringShape& shape) {
  std::vector<StringShape> shapes;
  if (const LanguageId others = space_.languages().complement(shape.language); others != kNoLanguage)
    shapes.push_back({others, 0, kUnbounded});
  if (shape.least > 0) shapes.push_back({kAnyLanguage, 0, shape.least - 1});
  if (shape.most != kUnbounded) shapes.push_back({kAnyLanguage, shape.most + 1, kUnbounded});
  return shapes;
}

}  // namespace emberline::grammar
