#include "grammar/schema/scalar_terminals.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "grammar/regular/dfa_operations.h"

namespace emberline::grammar {

namespace {

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

ScalarTerminals::Made& ScalarTerminals::made_of(const NumberShape& shape, bool one_spelling) {
  const auto [place, fresh] = numbers_.try_emplace({shape, one_spelling});
  Made& made = place->second;
  if (!fresh || !refusal_.spend(states_of(shape) * 8)) return made;
  made.dfa = taken(made_number(shape, one_spelling, integers_by_text_));
  refusal_.spend(made.dfa.next.size() / 4 + 16);
  return made;
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

ScalarTerminals::Made& ScalarTerminals::made_of(LanguageId language) {
  const auto [place, fresh] = quoted_.try_emplace(language);
  Made& made = place->second;
  if (!fresh) return made;
  made.dfa = taken(languages_.quoted(language));
  refusal_.spend(made.dfa.next.size() / 16 + 16);
  return made;
}

Dfa ScalarTerminals::taken(Result<Dfa> dfa) {
  if (dfa.ok()) return std::move(dfa).value();
  refusal_.take(dfa.error());
  return {};
}

std::uint32_t ScalarTerminals::terminal(Made& made, ProgramBuilder& builder) {
  if (made.terminal == kNone) made.terminal = builder.add_terminal({.dfa = made.dfa});
  return made.terminal;
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
