// Texts that begin by spelling again what was taken off the prompt.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/blank.h"
#include "decode/free_request.h"
#include "decode/generation.h"
#include "decode/healing.h"
#include "decode/token_course.h"
#include "toy_decoder.h"

namespace emberline::testing {
namespace {

double raw_log_prob(std::span<const float> logits, TokenId token) {
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - logits[token]);
  return -std::log(sum);
}

// The tokens that can come while `remaining` has to be spelled behind `sequence`, each with its logit and,
// where it leaves something to spell, with the logarithm of the probability that the next token goes on.
std::map<TokenId, float> spelling_weights(ToyDecoder& decoder, const std::vector<TokenId>& sequence,
                                          std::string_view remaining, bool ban) {
  std::vector<TokenId> allowed;
  tokens_that_spell(*decoder.tokenizer, decoder.sets, remaining, ban, allowed);
  const std::vector<float> logits = decoder.toy.prefill(sequence);
  std::map<TokenId, float> weights;
  for (const TokenId token : allowed) {
    weights[token] = logits[token];
    const std::size_t spelled = decoder.tokenizer->bytes(token).size();
    if (spelled >= remaining.size()) continue;
    std::vector<TokenId> longer = sequence;
    longer.push_back(token);
    const std::vector<float> next = decoder.toy.prefill(longer);
    std::vector<TokenId> going_on;
    tokens_that_spell(*decoder.tokenizer, decoder.sets, remaining.substr(spelled), ban, going_on);
    double mass = 0;
    for (const TokenId one : going_on) mass += std::exp(raw_log_prob(next, one));
    weights[token] += static_cast<float>(std::log(mass));
  }
  return weights;
}

TokenId best_of(const std::map<TokenId, float>& weights) {
  return std::ranges::max_element(weights, {}, [](const auto& one) { return one.second; })->first;
}

// Any required prefix, cut anywhere, is spelled.
TEST(Healing, TheOutputAlwaysBeginsWithTheRequiredPrefix) {
  ToyDecoder decoder({});
  const std::string text =
      "def f(x):\n    return x\r\n\t\tfoo(1);\n  \xC3\xA9t\xC3\xA9 = \xE2\x82\xAC\xF0\x9F\x98\x80 print\n\n  "
      "  ";
  std::mt19937_64 random(42);
  for (int round = 0; round < 60; ++round) {
    const std::size_t start = random() % text.size();
    const std::string prefix = text.substr(start, 1 + random() % 9);
    GenerationRequest request = free_request(24);
    request.required_prefix = prefix;
    request.ban_blank_start = round % 2 == 0;
    request.single_line = round % 3 == 0;
    if (round % 5 == 0) {
      request.sampling.temperature = 1.0f;
      request.sampling.seed = static_cast<std::uint64_t>(round);
    }
    const std::vector<TokenId> prompt = prompt_of(decoder, static_cast<std::uint64_t>(round));
    std::string streamed;
    request.on_text = [&](std::string_view piece) { streamed += piece; };
    const Generation made = decoder.generate_from(prompt, request);
    const std::string bytes = decoder.spell(made.ids);
    ASSERT_EQ(bytes.substr(0, prefix.size()), prefix) << "round " << round;
    EXPECT_EQ(streamed, made.text);
    std::string_view beyond = std::string_view(bytes).substr(prefix.size());
    EXPECT_FALSE(request.ban_blank_start && breaks_line_while_blank(beyond)) << "round " << round;
    EXPECT_FALSE(request.ban_blank_start && ends_with_space(prefix) && begins_blank(beyond))
        << "round " << round;
    EXPECT_FALSE(request.single_line && has_line_break(made.text)) << "round " << round;
    expect_course(decoder, made, request);
  }
}

// An indentation at the cursor is as deep as the line gets, however much the model likes a deeper one.
TEST(Healing, NoBlankFollowsASpaceAtTheCursor) {
  ToyDecoder decoder({});
  int deeper = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<TokenId> prompt = prompt_of(decoder, seed);
    GenerationRequest request = free_request(12);
    request.required_prefix = seed % 2 == 0 ? "\n  " : "\t";
    if (begins_blank(decoder.generate_from(prompt, request).text)) ++deeper;
    request.ban_blank_start = true;
    const Generation made = decoder.generate_from(prompt, request);
    ASSERT_FALSE(made.text.empty());
    EXPECT_FALSE(begins_blank(made.text)) << "seed " << seed;
  }
  EXPECT_GT(deeper, 0) << "the ban changed nothing";
}

// A token that spells a part counts as much as what can come behind it, not as much as by itself.
TEST(Healing, EachTokenIsTheBestWithWhatItLeadsTo) {
  int others = 0;
  for (const std::string prefix : {"return", "  return x", "foo(1", "\n    re", "print ", "def f"}) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      ToyModel toy;
      toy.output_scale = 4.0f;
      ToyDecoder decoder(toy);
      const std::vector<TokenId> prompt = prompt_of(decoder, seed);
      GenerationRequest request = free_request(12);
      request.required_prefix = prefix;
      const Generation made = decoder.generate_from(prompt, request);
      std::vector<TokenId> sequence = prompt;
      std::string remaining = prefix;
      for (const TokenId id : made.ids) {
        if (remaining.empty()) break;
        EXPECT_EQ(id, best_of(spelling_weights(decoder, sequence, remaining, false)))
            << prefix << " " << seed;
        std::vector<TokenId> allowed;
        tokens_that_spell(*decoder.tokenizer, decoder.sets, remaining, false, allowed);
        const std::vector<float> logits = decoder.toy.prefill(sequence);
        const TokenId likeliest =
            *std::ranges::max_element(allowed, {}, [&](TokenId one) { return logits[one]; });
        if (id != likeliest) ++others;
        remaining.erase(0, std::min(remaining.size(), decoder.tokenizer->bytes(id).size()));
        sequence.push_back(id);
      }
    }
  }
  EXPECT_GT(others, 10) << "where tokens lead changed nothing";
}

// Drawn, an encoding comes as often as its weight says: of the tokens that can begin it, each by its own
// probability times that of going on.
TEST(Healing, DrawsTokensByWhatTheyLeadTo) {
  ToyDecoder decoder({});
  const std::vector<TokenId> prompt = prompt_of(decoder, 5);
  const std::string prefix = "return";
  const std::map<TokenId, float> weights = spelling_weights(decoder, prompt, prefix, false);
  ASSERT_GT(weights.size(), 2u);
  double total = 0;
  for (const auto& [token, weight] : weights) total += std::exp(double{weight});
  constexpr int kDraws = 4000;
  std::map<TokenId, int> counts;
  for (int draw = 0; draw < kDraws; ++draw) {
    GenerationRequest request = free_request(1);
    request.required_prefix = prefix;
    request.sampling = {.temperature = 1.0f, .top_k = 0, .top_p = 1.0f, .min_p = 0.0f};
    request.sampling.seed = static_cast<std::uint64_t>(draw);
    ++counts[decoder.generate_from(prompt, request).ids.at(0)];
  }
  double by_themselves = 0;
  for (const auto& [token, weight] : weights) {
    const double probability = std::exp(double{weight}) / total;
    // Hoeffding: once in a billion runs one of the tokens is further off.
    const double most = std::sqrt(std::log(2e9 * static_cast<double>(weights.size())) / (2.0 * kDraws));
    EXPECT_NEAR(static_cast<double>(counts[token]) / kDraws, probability, most) << token;
  }
  // The law of the tokens by themselves is another one, far enough to be told.
  const std::vector<float> logits = decoder.toy.prefill(prompt);
  double sum = 0;
  for (const auto& [token, weight] : weights) sum += std::exp(double{logits[token]});
  for (const auto& [token, weight] : weights)
    by_themselves = std::max(by_themselves, std::abs(std::exp(double{logits[token]}) / sum -
                                                     static_cast<double>(counts[token]) / kDraws));
  EXPECT_GT(by_themselves, 0.15);
}

TEST(Healing, EachMaskedTokenIsTheBestAllowedAndConfidenceRatesWhatGoesBeyondThePrefix) {
  ToyDecoder decoder({});
  const std::vector<TokenId> prompt = prompt_of(decoder, 3);
  GenerationRequest request = free_request(6);
  request.required_prefix = "return";
  const Generation made = decoder.generate_from(prompt, request);

  std::vector<TokenId> sequence = prompt;
  std::string remaining = "return";
  double log_prob_sum = 0;
  int rated = 0;
  const auto rate = [&](double log_prob) {
    log_prob_sum += log_prob;
    ASSERT_LT(rated, static_cast<int>(made.token_probabilities.size()));
    const auto at = static_cast<std::size_t>(rated++);
    EXPECT_NEAR(std::log(made.token_probabilities[at]), log_prob, 1e-3) << at;
  };
  for (const TokenId id : made.ids) {
    const std::vector<float> logits = decoder.toy.prefill(sequence);
    if (remaining.empty()) {
      EXPECT_EQ(id, std::max_element(logits.begin(), logits.end()) - logits.begin());
      rate(raw_log_prob(logits, id));
    } else {
      const std::map<TokenId, float> weights = spelling_weights(decoder, sequence, remaining, false);
      EXPECT_EQ(id, best_of(weights));
      if (decoder.tokenizer->bytes(id).size() > remaining.size()) {
        // Those alone were weighed that seemed better.
        double sum = 0;
        for (const auto& [token, weight] : weights)
          sum += std::exp((logits[token] > logits[id] ? double{weight} : double{logits[token]}) - logits[id]);
        rate(-std::log(sum));
      }
    }
    remaining.erase(0, std::min(remaining.size(), decoder.tokenizer->bytes(id).size()));
    sequence.push_back(id);
  }
  EXPECT_EQ(remaining, "");
  ASSERT_GT(rated, 0);
  ASSERT_LT(rated, static_cast<int>(made.ids.size())) << "no token was there only to spell the prefix";
  EXPECT_NEAR(std::log(made.confidence), log_prob_sum, 1e-3 * rated);
  expect_course(decoder, made, request);
}

TEST(Generation, WhatOnlySpellsThePrefixHasNoCourse) {
  ToyDecoder decoder({});
  GenerationRequest request = free_request(3);
  request.required_prefix = "zqzqzqzqzq";
  const Generation made = decoder.generate_from(prompt_of(decoder, 3), request);
  EXPECT_EQ(made.ids.size(), 3u);
  EXPECT_EQ(made.confidence, 0);
  expect_course(decoder, made, request);
}

}  // namespace
}  // namespace emberline::testing
