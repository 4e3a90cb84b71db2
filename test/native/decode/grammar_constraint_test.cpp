// Generations by a grammar: what comes out is of it, ends where it does, and does not depend on drafts.
#include "decode/grammar_constraint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decode/generation.h"
#include "decode/token_course.h"
#include "device/cpu/cpu_device.h"
#include "take.h"
#include "toy_decoder.h"

namespace emberline::testing {
namespace {

using grammar::Grammar;

std::shared_ptr<const Grammar> compiled(std::string_view gbnf) {
  return take(Grammar::from_gbnf(gbnf));
}

constexpr std::string_view kList =
    "root ::= \"[\" (item (\", \" item){0,20})? \"]\"\n"
    "item ::= \"null\" | \"true\" | [0-9]{1,3} | \"\\\"\" [a-z]{0,6} \"\\\"\" | root\n";

class GrammarConstraintTest : public ::testing::Test {
 protected:
  static ToyModel toy() {
    ToyModel model;
    model.seed = 3;
    return model;
  }

  std::unique_ptr<GrammarMatcher> matcher(const std::shared_ptr<const Grammar>& grammar) {
    return std::make_unique<GrammarMatcher>(grammar, tokens_);
  }

  GenerationRequest request(float temperature, std::uint64_t seed) {
    GenerationRequest made;
    made.max_tokens = 150;
    made.single_line = false;
    made.ban_blank_start = false;
    made.sampling.temperature = temperature;
    made.sampling.seed = seed;
    return made;
  }

  // The tokens that mask() leaves.
  std::vector<TokenId> left(Constraint& constraint) {
    std::vector<float> logits(decoder_.toy.hyperparameters.vocabulary, 0.0f);
    EXPECT_TRUE(constraint.mask(logits).ok());
    std::vector<TokenId> tokens;
    for (TokenId token = 0; token < logits.size(); ++token) {
      if (logits[token] == 0.0f) tokens.push_back(token);
    }
    return tokens;
  }

  ToyDecoder decoder_{toy(), 256, take(make_cpu_device({.threads = 1}))};
  std::shared_ptr<const GrammarTokens> tokens_ =
      take(GrammarTokens::build(*decoder_.tokenizer, decoder_.toy.hyperparameters.vocabulary));
  const std::vector<TokenId> prompt_ = decoder_.tokenizer->encode("a list: ", false);
};

TEST_F(GrammarConstraintTest, TextsThatEndedAreOfTheGrammar) {
  const auto grammar = compiled(kList);
  const auto follow = matcher(grammar);
  int ended = 0, cut = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto constraint = take(GrammarConstraint::begin(*follow, "", ""));
    GenerationRequest made = request(seed == 0 ? 0.0f : 1.0f, seed);
    made.constraint = constraint.get();
    const Generation text = decoder_.generate_from(prompt_, made);
    expect_course(decoder_, text, made);
    if (text.grammar_ended) {
      ++ended;
      EXPECT_TRUE(take(grammar->conforms(text.text))) << text.text;
      // The last bracket ends it, without a step for an end token.
      EXPECT_EQ(text.stop, StopReason::kGrammar);
      EXPECT_EQ(text.text, decoder_.spell(text.ids));
    } else {
      ++cut;
      EXPECT_EQ(text.stop, StopReason::kMaxTokens);
      EXPECT_FALSE(take(grammar->conforms(text.text))) << text.text;
    }
  }
  EXPECT_GT(ended, 10);
  EXPECT_EQ(ended + cut, 40);
}

// What the grammar leaves no choice of says nothing about how sure the model is.
TEST_F(GrammarConstraintTest, ConfidenceRatesATokenAmongThoseTheGrammarAllows) {
  const auto grammar = compiled(kList);
  const auto follow = matcher(grammar);
  for (const bool ban_blank_start : {false, true}) {
    const auto constraint = take(GrammarConstraint::begin(*follow, "", ""));
    GenerationRequest made = request(1.0f, 5);
    made.max_tokens = 12;
    made.ban_blank_start = ban_blank_start;
    made.constraint = constraint.get();
    const Generation text = decoder_.generate_from(prompt_, made);

    const auto again = take(GrammarConstraint::begin(*follow, "", ""));
    std::vector<TokenId> sequence = prompt_;
    double log_prob_sum = 0;
    for (const TokenId id : text.ids) {
      const std::vector<float> logits = decoder_.toy.prefill(sequence);
      double allowed = 0;
      for (const TokenId token : left(*again)) allowed += std::exp(double{logits[token]} - logits[id]);
      log_prob_sum -= std::log(allowed);
      again->advance(id);
      sequence.push_back(id);
    }
    EXPECT_LT(log_prob_sum, -1);
    EXPECT_NEAR(std::log(text.confidence), log_prob_sum, 1e-4 * static_cast<double>(text.ids.size()));
  }
}

// Of these characters the toy has tokens for the parts and for some of the wholes; so hot, it takes all of
// them.
TEST_F(GrammarConstraintTest, ATokenWithinACharacterEndsBehindTheLastWholeOne) {
  const auto follow = matcher(compiled("root ::= \"\xE2\x82\xAC\" [a\u00E9\u20AC\U0001F600]{8}"));
  int within = 0, pairs = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    GenerationRequest made = request(8.0f, seed);
    made.required_prefix = seed % 2 == 0 ? "" : "\xE2\x82\xAC";
    const auto constraint = take(GrammarConstraint::begin(*follow, "", made.required_prefix));
    made.constraint = constraint.get();
    const Generation text = decoder_.generate_from(prompt_, made);
    EXPECT_TRUE(text.grammar_ended);
    expect_course(decoder_, text, made);
    for (std::size_t token = 1; token < text.token_ends.size(); ++token) {
      const std::uint32_t added = text.token_ends[token] - text.token_ends[token - 1];
      within += added == 0 ? 1 : 0;
      pairs += added == 2 ? 1 : 0;
    }
  }
  EXPECT_GT(within, 0);
  EXPECT_GT(pairs, 0);
}

// The ban of a blank start leaves less than the grammar does; neither is a reason to be sure of the rest.
TEST_F(GrammarConstraintTest, WhatABlankStartTookIsRatedAmongWhatTheGrammarAllows) {
  const auto follow = matcher(compiled("root ::= [ \\n]? [ab]"));
  const auto constraint = take(GrammarConstraint::begin(*follow, "", ""));
  const std::span<float> logits = decoder_.choice.logits();
  std::fill(logits.begin(), logits.end(), 0.0f);
  const std::size_t allowed = left(*constraint).size();
  for (const bool blank_complete : {false, true}) {
    const ChosenToken chosen =
        take(decoder_.choice.choose({"", true, blank_complete, constraint.get()}, {}, {}));
    EXPECT_NEAR(chosen.log_prob, -std::log(static_cast<double>(allowed)), 1e-5);
    int ends = 0;
    for (const TokenId token : left(*constraint)) ends += decoder_.tokenizer->bytes(token)[0] == '\n';
    ASSERT_GT(ends, 0);
    EXPECT_NEAR(chosen.banned_prob, static_cast<double>(ends) / static_cast<double>(allowed), 1e-5);
  }
}

TEST_F(GrammarConstraintTest, DraftsChangeNothing) {
  // Long forced runs, and lists that repeat themselves.
  const auto grammar = compiled(
      "root ::= \"{ the first: \" list \", and the second: \" list \" }\"\n"
      "list ::= \"[\" [ab]{2} (\", \" [ab]{2}){5,30} \"]\"");
  const auto follow = matcher(grammar);
  std::uint32_t accepted = 0, forced = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<Generation> made;
    for (const DraftingParams& params :
         {DraftingParams{}, DraftingParams{.lookup = true, .adaptive = false, .most = 6}}) {
      for (const bool speculates : {false, true}) {
        if (params.lookup && !speculates) continue;
        const auto constraint = take(GrammarConstraint::begin(*follow, "", ""));
        GenerationRequest wanted = request(seed % 2 == 0 ? 0.0f : 1.0f, seed);
        wanted.constraint = constraint.get();
        decoder_.speculation.begin(params, wanted.sampling, true);
        decoder_.toy.prefill(prompt_);
        made.push_back(take(generate({*decoder_.toy.pass, *decoder_.tokenizer, decoder_.sets, decoder_.choice,
                                      decoder_.step_ms, speculates ? &decoder_.speculation : nullptr},
                                     prompt_, wanted)));
        if (speculates) (params.lookup ? accepted : forced) += decoder_.speculation.counts().accepted;
      }
    }
    for (const Generation& each : made) {
      EXPECT_EQ(each.ids, made[0].ids) << "seed " << seed;
      EXPECT_EQ(each.text, made[0].text);
      EXPECT_EQ(each.stop, made[0].stop);
      EXPECT_EQ(each.grammar_ended, made[0].grammar_ended);
      EXPECT_NEAR(each.confidence, made[0].confidence, 1e-4 * made[0].confidence);
      expect_same_course(each, made[0]);
    }
  }
  EXPECT_GT(forced, 100u);
  EXPECT_GT(accepted, forced);
}

TEST_F(GrammarConstraintTest, AnEndTokenComesWhereTheTextMayEnd) {
  const auto grammar = compiled("root ::= \"a\" \"b\"*");
  const auto follow = matcher(grammar);
  const auto constraint = take(GrammarConstraint::begin(*follow, "", ""));
  const auto ends = [&](const std::vector<TokenId>& tokens) {
    int count = 0;
    for (const TokenId token : tokens) count += decoder_.tokenizer->ends_generation(token);
    return count;
  };
  EXPECT_EQ(ends(left(*constraint)), 0);
  EXPECT_FALSE(constraint->complete());
  constraint->advance(decoder_.tokenizer->token_of_bytes("a"));
  EXPECT_GT(ends(left(*constraint)), 0);
  EXPECT_FALSE(constraint->complete());
}

TEST_F(GrammarConstraintTest, GoesOnBehindAPrefix) {
  const auto grammar = compiled(kList);
  const auto follow = matcher(grammar);
  const auto constraint = take(GrammarConstraint::begin(*follow, "[nul", ""));
  for (const TokenId token : left(*constraint)) {
    EXPECT_TRUE(take(grammar->conforms("[nul" + std::string(decoder_.tokenizer->bytes(token)) + "]")) ||
                decoder_.tokenizer->bytes(token).size() > 1)
        << decoder_.tokenizer->bytes(token);
    EXPECT_EQ(decoder_.tokenizer->bytes(token)[0], 'l');
  }
  EXPECT_EQ(GrammarConstraint::begin(*follow, "[nil", "").code(), ErrorCode::kGrammarRejectsPrefix);
  EXPECT_EQ(GrammarConstraint::begin(*follow, "[nu", "x").code(), ErrorCode::kGrammarRejectsPrefix);
  const auto none = take(Grammar::from_schema(R"({"type":"string","minLength":2,"maxLength":1})", {}));
  const auto nobody = matcher(none);
  const auto impossible = GrammarConstraint::begin(*nobody, "", "");
  ASSERT_EQ(impossible.code(), ErrorCode::kGrammarRejectsPrefix);
  EXPECT_NE(impossible.error().message().find("nothing conforms"), std::string::npos);
  // What is there is all there is.
  const auto whole = take(GrammarConstraint::begin(*follow, "[]", ""));
  EXPECT_TRUE(whole->complete());
  GenerationRequest wanted = request(0, 0);
  wanted.constraint = whole.get();
  const Generation nothing = decoder_.generate_from(prompt_, wanted);
  EXPECT_EQ(nothing.stop, StopReason::kGrammar);
  EXPECT_TRUE(nothing.grammar_ended);
  EXPECT_TRUE(nothing.ids.empty());
}

TEST_F(GrammarConstraintTest, HealsInTokensOfTheModelsChoice) {
  const auto grammar = compiled(kList);
  const auto follow = matcher(grammar);
  int ended = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto constraint = take(GrammarConstraint::begin(*follow, "[true, ", "\"re"));
    GenerationRequest wanted = request(1.0f, seed);
    wanted.required_prefix = "\"re";
    wanted.constraint = constraint.get();
    const Generation text = decoder_.generate_from(prompt_, wanted);
    EXPECT_TRUE(decoder_.spell(text.ids).starts_with("\"re"));
    if (!text.grammar_ended) continue;
    ++ended;
    EXPECT_TRUE(take(grammar->conforms("[true, \"re" + text.text))) << text.text;
  }
  EXPECT_GT(ended, 3);
}

TEST_F(GrammarConstraintTest, CutsDraftsThatItForbids) {
  const auto follow = matcher(compiled("root ::= \"a\"{4} \"b\""));
  const auto constraint = take(GrammarConstraint::begin(*follow, "", ""));
  const TokenId a = decoder_.tokenizer->token_of_bytes("a"), b = decoder_.tokenizer->token_of_bytes("b");
  EXPECT_EQ(constraint->admitted(std::vector{a, a, b, a}), 2u);
  EXPECT_EQ(constraint->admitted(std::vector{a, a, a, a, b, a}), 5u);
  EXPECT_EQ(constraint->admitted(std::vector{b}), 0u);
  EXPECT_EQ(constraint->admitted({}), 0u);
}

TEST_F(GrammarConstraintTest, TokensThatItNamesArePartOfTheText) {
  const auto follow = matcher(compiled("root ::= \"a\" <|start|> !<|start|> \"c\""));
  const auto constraint = take(GrammarConstraint::begin(*follow, "", ""));
  GenerationRequest wanted = request(1.0f, 2);
  wanted.constraint = constraint.get();
  const Generation text = decoder_.generate_from(prompt_, wanted);
  ASSERT_EQ(text.ids.size(), 4u);
  EXPECT_EQ(decoder_.tokenizer->bytes(text.ids[1]), "<|start|>");
  EXPECT_EQ(text.stop, StopReason::kGrammar);
  EXPECT_EQ(GrammarMatcher(compiled("root ::= <|none|>"), tokens_).status().code(),
            ErrorCode::kGrammarInvalid);
}

TEST_F(GrammarConstraintTest, MeasuresEachMask) {
  const auto grammar = compiled("root ::= \"ab\" \"c\"*");
  const TokenId a = decoder_.tokenizer->token_of_bytes("a"), b = decoder_.tokenizer->token_of_bytes("b");
  EXPECT_EQ(take(mask_times(grammar, tokens_, std::vector{a, b})).size(), 3u);
  EXPECT_EQ(take(mask_times(grammar, tokens_, std::vector{a, a, b})).size(), 2u);
  EXPECT_EQ(take(mask_times(grammar, tokens_, {})).size(), 1u);
}

TEST_F(GrammarConstraintTest, CancelledTextsAreNotEnded) {
  const auto follow = matcher(compiled(kList));
  const auto constraint = take(GrammarConstraint::begin(*follow, "", ""));
  std::atomic<bool> cancel = false;
  GenerationRequest wanted = request(1.0f, 4);
  wanted.constraint = constraint.get();
  wanted.cancel = &cancel;
  wanted.on_text = [&](std::string_view) { cancel = true; };
  const Generation text = decoder_.generate_from(prompt_, wanted);
  EXPECT_EQ(text.stop, StopReason::kCancelled);
  EXPECT_FALSE(text.grammar_ended);
}

TEST_F(GrammarConstraintTest, BlankTextMayHaveToCome) {
  const auto follow = matcher(compiled("root ::= \"\\n\" \"a\""));
  const auto constraint = take(GrammarConstraint::begin(*follow, "", ""));
  GenerationRequest wanted = request(0, 0);
  wanted.ban_blank_start = true;
  wanted.constraint = constraint.get();
  EXPECT_EQ(decoder_.generate_from(prompt_, wanted).text, "\na");
}

}  // namespace
}  // namespace emberline::testing
