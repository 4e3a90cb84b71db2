#include "grammar/schema/scalar_terminals.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "grammar/regular/dfa_operations.h"

namespace emberline::grammar {

namespace {

std::string key_of(const NumberShape& shape, bool one_spelling) {
  std::string key(one_spelling ? "1" : "*");
  const auto add = [&key](const Decimal& number) {
    key += canonical_text(number);
    key += ' ';
  };
  const NumberRule& rule = shape.rule;
  if (rule.least) {
    key += rule.least_exclusive ? '>' : ']';
    add(*rule.least);
  }
  if (rule.most) {
    key += rule.most_exclusive ? '<' : '[';
    add(*rule.most);
  }
  if (rule.integer) key += 'i';
  key += 'm';
  for (const Decimal& each : rule.multiples_of) add(each);
  key += 'x';
  for (const Decimal& each : rule.except) add(each);
  key += 'n';
  for (const Decimal& each : shape.not_multiples_of) add(each);
  if (shape.values) {
    key += 'v';
    for (const Decimal& each : *shape.values) add(each);
  }
  return key;
}

// Digits that a machine for these divisors may have to tell apart: what it takes to make it.
std::size_t states_of(const NumberShape& shape) {
  constexpr std::size_t kMany = 65'536;
  std::size_t states = 1;
  for (const std::vector<Decimal>* divisors : {&shape.rule.multiples_of, &shape.not_multiples_of}) {
    for (const Decimal& each : *divisors) {
      std::size_t value = 0;
      for (const char digit : each.digits)
        value = std::min<std::size_t>(value * 10 + static_cast<std::size_t>(digit - '0'), kMany);
      for (std::int64_t i = 0; i < each.exponent && value < kMany; ++i) value *= 10;
      states = std::min(states * std::max<std::size_t>(value, 1), kMany);
    }
  }
  return states;
}

Result<Dfa> made_number(const NumberShape& shape, bool one_spelling, bool integers_by_text) {
  if (shape.values) {
    std::vector<std::string> texts;
    const bool fractions = integers_by_text && !shape.rule.integer && !one_spelling;
    for (const Decimal& each : *shape.values) {
      texts.push_back(canonical_text(each));
      if (fractions && each.integer()) texts.push_back(texts.back() + ".0");
    }
    return any_of(texts);
  }
  NumberRule rule = shape.rule;
  rule.one_text = one_spelling;
  Result<Dfa> made = number_text(rule);
  if (!shape.not_multiples_of.empty() && !rule.limited()) {
    // Without exponents, which is what a limited rule gives.
    NumberRule below, above;
    below.most = above.least = Decimal{};
    Result<Dfa> left = number_text(below);
    Result<Dfa> right = number_text(above);
    if (!left.ok()) return left;
    if (!right.ok()) return right;
    made = united(left.value(), right.value());
  }
  for (const Decimal& divisor : shape.not_multiples_of) {
    NumberRule multiples;
    multiples.multiples_of.push_back(divisor);
    Result<Dfa> texts = number_text(multiples);
    if (!made.ok() || !texts.ok()) return made.ok() ? texts : made;
    made = difference(made.value(), texts.value());
  }
  return made;
}

}  // namespace

const Dfa& ScalarTerminals::number(const NumberShape& shape, bool one_spelling) {
  const std::string key = key_of(shape, one_spelling);
  if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
  Dfa dfa;
  if (!refusal_.spend(states_of(shape) * 8)) return numbers_[key];
  Result<Dfa> made = made_number(shape, one_spelling, integers_by_text_);
  if (made.ok()) {
    dfa = std::move(made).value();
  } else {
    refusal_.take(made.error());
  }
  refusal_.spend(dfa.next.size() / 4 + 16);
  return numbers_.emplace(key, std::move(dfa)).first->second;
}

std::optional<StringShape> ScalarTerminals::exact(StringShape shape) {
  shape.language = languages_.within(shape.language);
  if (shape.least > shape.most || shape.language == kNoLanguage) return std::nullopt;
  if (!shape.bounded()) return shape;
  const LengthRange range = languages_.lengths(shape.language);
  if (range.least > shape.most || range.most < shape.least) return std::nullopt;
  if (range.least >= shape.least) shape.least = 0;
  if (range.most <= shape.most) shape.most = kUnbounded;
  if (shape.least > 0 && !range.extendable) {
    shape.language = languages_.with_length(shape.language, shape.least, kUnbounded);
    shape.least = 0;
    if (shape.language == kNoLanguage) return std::nullopt;
    if (shape.most != kUnbounded && languages_.lengths(shape.language).least > shape.most)
      return std::nullopt;
  }
  return shape;
}

const Dfa& ScalarTerminals::quoted(LanguageId language) {
  if (const auto found = quoted_.find(language); found != quoted_.end()) return found->second;
  Dfa dfa;
  Result<Dfa> made = languages_.quoted(language);
  if (made.ok()) {
    dfa = std::move(made).value();
  } else {
    refusal_.take(made.error());
  }
  refusal_.spend(dfa.next.size() / 16 + 16);
  return quoted_.emplace(language, std::move(dfa)).first->second;
}

std::uint32_t ScalarTerminals::number_terminal(const NumberShape& shape, bool one_spelling,
                                               ProgramBuilder& builder) {
  const std::string key = key_of(shape, one_spelling);
  if (const auto found = number_terminals_.find(key); found != number_terminals_.end()) return found->second;
  const std::uint32_t made = builder.add_terminal({.dfa = number(shape, one_spelling)});
  return number_terminals_.emplace(key, made).first->second;
}

std::uint32_t ScalarTerminals::quoted_terminal(LanguageId language, ProgramBuilder& builder) {
  if (const auto found = quoted_terminals_.find(language); found != quoted_terminals_.end())
    return found->second;
  return quoted_terminals_.emplace(language, builder.add_terminal({.dfa = quoted(language)})).first->second;
}

std::uint32_t ScalarTerminals::counted_terminal(const StringShape& shape, ProgramBuilder& builder) {
  const auto key = std::make_tuple(shape.language, shape.least, shape.most);
  if (const auto found = counted_terminals_.find(key); found != counted_terminals_.end())
    return found->second;
  Result<JsonText> made = json_text(languages_.dfa(shape.language), false);
  if (!made.ok()) {
    refusal_.take(made.error());
    return 0;
  }
  JsonText text = std::move(made).value();
  const std::uint32_t terminal = builder.add_terminal({.dfa = std::move(text.dfa),
                                                       .least_characters = shape.least,
                                                       .most_characters = shape.most,
                                                       .between = std::move(text.between)});
  return counted_terminals_.emplace(key, terminal).first->second;
}

std::uint32_t ScalarTerminals::text_terminal(const std::string& text, ProgramBuilder& builder) {
  if (const auto found = text_terminals_.find(text); found != text_terminals_.end()) return found->second;
  return text_terminals_.emplace(text, builder.add_terminal({.dfa = literal(text)})).first->second;
}

}  // namespace emberline::grammar
