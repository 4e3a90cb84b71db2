#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "toy_decoder.h"

namespace emberline::testing {
namespace {

// The mass of the softmax of `logits` on `tokens`, the obvious way.
double mass_of(const std::vector<float>& logits, const std::vector<TokenId>& tokens) {
  double all = 0;
  double some = 0;
  for (const float logit : logits) all += std::exp(static_cast<double>(logit));
  for (const TokenId token : tokens) some += std::exp(static_cast<double>(logits[token]));
  return some / all;
}

GenerationRequest one_token(bool ban_blank_start) {
  GenerationRequest request;
  request.max_tokens = 1;
  request.ban_blank_start = ban_blank_start;
  return request;
}

TEST(EndProbability, IsTheMassThatTheBanOfABlankStartForbade) {
  ToyDecoder decoder({});
  for (TokenId first = 20; first < 30; ++first) {
    const std::vector<TokenId> prompt = {first, 25, 21};
    const std::vector<float> logits = decoder.toy.prefill(prompt);
    const double expected = mass_of(logits, decoder.sets.blank_start_bans);
    ASSERT_GT(expected, 0);
    EXPECT_NEAR(decoder.generate_from(prompt, one_token(true)).end_probability, expected, 1e-5 * expected);
  }
}

TEST(EndProbability, IsZeroWhereNothingWasBanned) {
  ToyDecoder decoder({});
  EXPECT_EQ(decoder.generate_from(std::vector<TokenId>{20, 21}, one_token(false)).end_probability, 0);
}

TEST(EndProbability, LooksBehindTheRequiredPrefix) {
  ToyDecoder decoder({});
  const std::vector<TokenId> prompt = {20, 21};
  GenerationRequest request = one_token(true);
  request.max_tokens = 8;
  request.required_prefix = "return";
  const Generation made = decoder.generate_from(prompt, request);

  std::vector<TokenId> sequence = prompt;
  std::string spelled;
  for (std::size_t i = 0; spelled.size() < request.required_prefix.size(); ++i) {
    sequence.push_back(made.ids[i]);
    spelled += decoder.tokenizer->bytes(made.ids[i]);
  }
  const bool exactly = spelled == request.required_prefix;
  const double expected =
      exactly ? mass_of(decoder.toy.prefill(sequence), decoder.sets.blank_start_bans) : 0.0;
  EXPECT_NEAR(made.end_probability, expected, 1e-5);
}

}  // namespace
}  // namespace emberline::testing
