// The decode loop on toy models: chains, stops, bans, sampling.
#include "decode/generation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "decode/blank.h"
#include "decode/free_request.h"
#include "decode/token_course.h"
#include "toy_decoder.h"

namespace emberline::testing {
namespace {

TEST(Generation, GreedyEqualsTheArgmaxOfSingleSteps) {
  ToyDecoder decoder({});
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<TokenId> prompt = prompt_of(decoder, seed);
    const Generation made = decoder.generate_from(prompt, free_request(40));
    std::vector<TokenId> sequence = prompt;
    std::vector<TokenId> expected;
    while (expected.size() < 40) {
      const std::vector<float> logits = decoder.toy.prefill(sequence);
      const auto best = static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
      expected.push_back(best);
      sequence.push_back(best);
      if (decoder.sets.ends.contains(best)) break;
    }
    EXPECT_EQ(made.ids, expected) << "prompt " << seed;
    EXPECT_EQ(made.stop, expected.size() == 40 ? StopReason::kMaxTokens : StopReason::kEndToken);
  }
}

// The first prompt whose greedy text holds a token of the kind asked for, and where.
struct Found {
  std::vector<TokenId> prompt;
  Generation free_run;
  std::size_t at = 0;
};

template <typename Wanted>
Found find_prompt(ToyDecoder& decoder, Wanted wanted, std::size_t least = 2) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Found found{prompt_of(decoder, seed), {}, 0};
    found.free_run = decoder.generate_from(found.prompt, free_request(30));
    for (found.at = 0; found.at < found.free_run.ids.size(); ++found.at) {
      if (!wanted(found.free_run.ids[found.at])) continue;
      if (found.at >= least) return found;
      break;
    }
  }
  ADD_FAILURE() << "no prompt leads there; change the toy's seed";
  std::abort();
}

TEST(Generation, EndsAtAnEndToken) {
  ToyDecoder decoder({});
  const Found found = find_prompt(decoder, [&](TokenId id) { return decoder.sets.ends.contains(id); });
  EXPECT_EQ(found.free_run.stop, StopReason::kEndToken);
  EXPECT_EQ(found.free_run.ids.size(), found.at + 1) << "the end token is counted";
  EXPECT_EQ(found.free_run.text.find("<|"), std::string::npos) << "but has no text";
  expect_course(decoder, found.free_run, free_request(30));
  EXPECT_EQ(found.free_run.token_ends.size(), found.at + 1) << "and is rated";
}

TEST(Generation, ASingleLineEndsAtATokenWithALineBreak) {
  ToyDecoder decoder({});
  const Found found = find_prompt(decoder, [&](TokenId id) {
    return !decoder.sets.ends.contains(id) && decoder.sets.ends_or_breaks.contains(id);
  });
  GenerationRequest request = free_request(30);
  request.single_line = true;
  const Generation line = decoder.generate_from(found.prompt, request);
  EXPECT_EQ(line.stop, StopReason::kLineEnd);
  EXPECT_EQ(line.ids.size(), found.at + 1);
  EXPECT_TRUE(std::equal(line.ids.begin(), line.ids.end(), found.free_run.ids.begin()));
  EXPECT_FALSE(has_line_break(line.text));
  expect_course(decoder, line, request);
  EXPECT_EQ(line.token_ends.size(), found.at + 1) << "the line break is rated";
}

// The text goes on to the very end: no end token in the vocabulary's reach.
ToyModel endless() {
  ToyModel toy;
  toy.end_tokens = false;
  return toy;
}

TEST(Generation, MaxTokensIsExact) {
  ToyDecoder decoder(endless());
  const std::vector<TokenId> prompt = prompt_of(decoder, 1);
  const Generation longest = decoder.generate_from(prompt, free_request(50));
  for (const std::uint32_t count : {1u, 2u, 3u, 7u, 33u, 50u}) {
    const Generation made = decoder.generate_from(prompt, free_request(count));
    EXPECT_EQ(made.stop, StopReason::kMaxTokens);
    ASSERT_EQ(made.ids.size(), count);
    EXPECT_TRUE(std::equal(made.ids.begin(), made.ids.end(), longest.ids.begin())) << count;
  }
}

// Greedily in chains, drawn token by token, with a prefix to spell.
TEST(Generation, EndsBehindTheTokenThatIsTooUnlikely) {
  int cut = 0, whole = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    ToyDecoder decoder({});
    const std::vector<TokenId> prompt = prompt_of(decoder, seed);
    GenerationRequest request = free_request(20);
    request.sampling.temperature = seed % 3 == 0 ? 0.7f : 0.0f;
    if (seed % 4 == 1) request.required_prefix = "return";
    const Generation all = decoder.generate_from(prompt, request);
    const std::size_t spelled = all.ids.size() - all.token_probabilities.size();
    for (const double least : {1.0, 0.5, 0.01, 1e-9}) {
      std::size_t rated = 0;
      double confidence = 1;
      while (rated < all.token_probabilities.size() && confidence >= least)
        confidence *= double{all.token_probabilities[rated++]};
      request.least_confidence = least;
      const Generation made = decoder.generate_from(prompt, request);
      ASSERT_EQ(made.ids.size(), spelled + rated) << "prompt " << seed << ", " << least;
      EXPECT_TRUE(std::equal(made.ids.begin(), made.ids.end(), all.ids.begin()));
      EXPECT_NEAR(made.confidence, confidence, 1e-4 * confidence);
      expect_course(decoder, made, request);
      if (made.ids.size() < all.ids.size()) {
        EXPECT_EQ(made.stop, StopReason::kUnsure);
        ++cut;
      } else if (made.stop == all.stop) {
        ++whole;
      }
    }
  }
  EXPECT_GT(cut, 24);
  EXPECT_GT(whole, 6);
}

TEST(Generation, StopsWhenTheContextIsFull) {
  ToyDecoder decoder(endless(), 24);
  const std::vector<TokenId> prompt = prompt_of(decoder, 1);
  const Generation made = decoder.generate_from(prompt, free_request(500));
  EXPECT_EQ(made.stop, StopReason::kContextFull);
  EXPECT_EQ(prompt.size() + made.ids.size(), 24u);

  GenerationRequest sampled = free_request(500);
  sampled.sampling.temperature = 1.0f;
  EXPECT_EQ(decoder.generate_from(prompt, sampled).stop, StopReason::kContextFull);
}

TEST(Generation, NothingBlankIsProducedFirst) {
  ToyDecoder decoder({});
  int needed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::vector<TokenId> prompt = prompt_of(decoder, seed);
    GenerationRequest request = free_request(12);
    const Generation free_run = decoder.generate_from(prompt, request);
    request.ban_blank_start = true;
    const Generation made = decoder.generate_from(prompt, request);
    const std::string bytes = decoder.spell(made.ids);
    EXPECT_FALSE(breaks_line_while_blank(bytes)) << "prompt " << seed;
    EXPECT_FALSE(decoder.sets.ends.contains(made.ids.front()));
    const TokenId first = free_run.ids.front();
    needed += decoder.sets.ends.contains(first) || breaks_line_while_blank(decoder.tokenizer->bytes(first));
  }
  EXPECT_GT(needed, 0) << "no prompt tried to start blank; the test shows nothing";
}

TEST(Generation, ACancelEndsItWithWhatWasMade) {
  ToyDecoder decoder(endless());
  const std::vector<TokenId> prompt = prompt_of(decoder, 1);
  const Generation whole = decoder.generate_from(prompt, free_request(60));
  std::atomic<bool> cancel{true};
  GenerationRequest request = free_request(60);
  request.cancel = &cancel;
  const Generation none = decoder.generate_from(prompt, request);
  EXPECT_EQ(none.stop, StopReason::kCancelled);
  EXPECT_TRUE(none.ids.empty());
  expect_course(decoder, none, request);

  for (const int after : {1, 2, 5}) {
    cancel = false;
    int pieces = 0;
    decoder.step_ms = kChunkBudgetMs;  // so slow that chunks begin with a single step
    request.on_text = [&](std::string_view) { cancel = ++pieces >= after; };
    const Generation made = decoder.generate_from(prompt, request);
    EXPECT_EQ(made.stop, StopReason::kCancelled);
    ASSERT_LT(made.ids.size(), whole.ids.size());
    EXPECT_TRUE(std::equal(made.ids.begin(), made.ids.end(), whole.ids.begin()));
    expect_course(decoder, made, request);
  }
}

TEST(Generation, SamplingFollowsTheSeedAndNothingElse) {
  ToyDecoder decoder(endless());
  const std::vector<TokenId> prompt = prompt_of(decoder, 1);
  GenerationRequest request = free_request(30);
  request.sampling.temperature = 0.9f;
  request.sampling.top_k = 40;
  request.sampling.seed = 7;
  const Generation first = decoder.generate_from(prompt, request);
  const Generation again = decoder.generate_from(prompt, request);
  EXPECT_EQ(first.ids, again.ids);
  EXPECT_EQ(first.confidence, again.confidence);
  request.sampling.seed = 8;
  EXPECT_NE(decoder.generate_from(prompt, request).ids, first.ids);

  request.sampling.top_k = 1;  // leaves the argmax
  EXPECT_EQ(decoder.generate_from(prompt, request).ids, decoder.generate_from(prompt, free_request(30)).ids);
}

TEST(Generation, ThePenaltyAppliesToGreedyTextToo) {
  ToyDecoder decoder(endless());
  const std::vector<TokenId> prompt = prompt_of(decoder, 1);
  GenerationRequest request = free_request(40);
  request.sampling.repeat_penalty = 1e6f;
  request.sampling.penalty_window = 1000;
  std::vector<TokenId> ids = decoder.generate_from(prompt, request).ids;
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end()) << "a token came twice under a crushing penalty";
}

TEST(Generation, LogitsThatAreNotFiniteAreAnError) {
  ToyModel toy;
  toy.tied = false;
  toy.output_scale = 3e38f;
  ToyDecoder decoder(toy);
  const std::vector<TokenId> prompt = prompt_of(decoder, 1);
  EXPECT_EQ(decoder.try_generate(prompt, free_request(4)).code(), ErrorCode::kLogitsNotFinite);
}

}  // namespace
}  // namespace emberline::testing
