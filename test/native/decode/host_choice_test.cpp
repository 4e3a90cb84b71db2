// Which tokens may come, by what they do to a text, and the choice among them on the CPU.
#include "decode/host_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/blank.h"
#include "decode/healing.h"
#include "decode/token_sets.h"
#include "toy_decoder.h"

namespace emberline::testing {
namespace {

TEST(TokenSets, SortTokensByWhatTheyDo) {
  ToyModel toy;
  toy.padding_rows = 3;
  const ToyDecoder decoder(toy);
  const Tokenizer& tokenizer = *decoder.tokenizer;
  const auto banned = [&](const std::string& bytes) {
    const auto& bans = decoder.sets.blank_start_bans;
    return std::binary_search(bans.begin(), bans.end(), tokenizer.token_of_bytes(bytes));
  };
  EXPECT_TRUE(decoder.sets.ends.contains(toy.end_token()));
  EXPECT_TRUE(decoder.sets.ends.contains(toy.end_token() + 1)) << "control tokens stand for no text";
  EXPECT_TRUE(decoder.sets.ends.contains(toy.end_token() + 2)) << "padding";
  EXPECT_FALSE(decoder.sets.ends.contains('a'));
  EXPECT_FALSE(decoder.sets.ends.contains(1u << 30));
  EXPECT_TRUE(decoder.sets.ends_or_breaks.contains(tokenizer.token_of_bytes("\n    ")));
  EXPECT_TRUE(decoder.sets.ends_or_breaks.contains(tokenizer.token_of_bytes(");\n")));
  EXPECT_FALSE(decoder.sets.ends_or_breaks.contains(tokenizer.token_of_bytes("    ")));
  EXPECT_TRUE(banned(" \n"));
  EXPECT_TRUE(banned("\r"));
  EXPECT_FALSE(banned("    "));
  EXPECT_FALSE(banned(");\n"));
  std::vector<TokenId> blank_starts;
  for (TokenId token = 0; token < tokenizer.vocabulary_size(); ++token) {
    if (decoder.sets.ends.contains(token)) continue;
    const std::string_view bytes = tokenizer.bytes(token);
    if (begins_blank(bytes) && !breaks_line_while_blank(bytes)) blank_starts.push_back(token);
  }
  EXPECT_GT(blank_starts.size(), 1u);
  EXPECT_EQ(decoder.sets.blank_starts, blank_starts);
}

TEST(HostChoice, AllTokensMaskedAndHiddenNaNsAreErrors) {
  ToyDecoder decoder({});
  const std::span<float> logits = decoder.choice.logits();
  const std::vector<TokenId> history = {1};
  std::fill(logits.begin(), logits.end(), -std::numeric_limits<float>::infinity());
  for (const TokenId token : decoder.sets.blank_start_bans) logits[token] = 1.0f;
  EXPECT_EQ(decoder.choice.choose({"", true}, history, {}).code(), ErrorCode::kAllTokensMasked);
  EXPECT_TRUE(decoder.choice.choose({"", false}, history, {}).ok());

  std::fill(logits.begin(), logits.end(), 0.0f);
  EXPECT_EQ(decoder.choice.choose({"", true}, history, {}).code(), ErrorCode::kOk);
  logits[decoder.sets.blank_start_bans.front()] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(decoder.choice.choose({"", true}, history, {}).code(), ErrorCode::kLogitsNotFinite);
  EXPECT_EQ(decoder.choice.choose({"", false}, history, {}).code(), ErrorCode::kLogitsNotFinite);
  const Distribution draft{{'x'}, {1}, 1};
  EXPECT_EQ(decoder.choice.decide({"", true}, history, {.temperature = 1.0f}, draft, 'x').code(),
            ErrorCode::kLogitsNotFinite);
}

TEST(HostChoice, TiesGoToTheLowestIdAndOnlySpellingNarrowsTheProbability) {
  ToyDecoder decoder({});
  const std::span<float> logits = decoder.choice.logits();
  std::fill(logits.begin(), logits.end(), 0.0f);
  const ChosenToken chosen = take(decoder.choice.choose({"r", true}, {}, {}));
  EXPECT_EQ(chosen.token, static_cast<TokenId>('r'));
  std::vector<TokenId> allowed;
  tokens_that_spell(*decoder.tokenizer, decoder.sets, "r", true, allowed);
  ASSERT_LT(allowed.size(), logits.size());
  EXPECT_NEAR(chosen.log_prob, -std::log(static_cast<double>(allowed.size())), 1e-5);

  const ChosenToken free = take(decoder.choice.choose({"", true}, {}, {}));
  EXPECT_NEAR(free.log_prob, -std::log(static_cast<double>(logits.size())), 1e-5);
}

}  // namespace
}  // namespace emberline::testing
