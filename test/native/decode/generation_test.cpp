// The decode loop on toy models: healing, bans, stops, chains, sampling.
#include "decode/generation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>

#include "decode/blank.h"
#include "decode/healing.h"
#include "decode/token_course.h"
#include "toy_decoder.h"

namespace emberline::testing {
namespace {

std::vector<TokenId> prompt_of(const ToyDecoder& decoder, std::uint64_t seed) {
  return random_tokens(6, static_cast<std::uint32_t>(decoder.tokenizer->vocabulary_size()) - 2, seed);
}

GenerationRequest free_request(std::uint32_t max_tokens) {
  GenerationRequest request;
  request.max_tokens = max_tokens;
  request.single_line = false;
  request.ban_blank_start = false;
  return request;
}

double raw_log_prob(std::span<const float> logits, TokenId token) {
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - logits[token]);
  return -std::log(sum);
}

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

TEST(Healing, AllowsExactlyTheTokensThatAgree) {
  const ToyDecoder decoder({});
  std::vector<TokenId> allowed;
  for (const std::string remaining : {"r", "ret", "return x", "\n", "\n  ", " ", "\xC3", "\xE2\x82", "zq"}) {
    for (const bool ban : {false, true}) {
      tokens_that_spell(*decoder.tokenizer, decoder.sets, remaining, ban, allowed);
      std::sort(allowed.begin(), allowed.end());
      std::vector<TokenId> expected;
      for (TokenId token = 0; token < decoder.tokenizer->vocabulary_size(); ++token) {
        if (decoder.sets.ends.contains(token)) continue;
        const std::string_view bytes = decoder.tokenizer->bytes(token);
        const std::size_t common = std::min(bytes.size(), remaining.size());
        const bool agrees = bytes.substr(0, common) == remaining.substr(0, common);
        const std::string_view beyond = bytes.substr(common);
        const bool banned =
            breaks_line_while_blank(beyond) || (ends_with_space(remaining) && begins_blank(beyond));
        if (agrees && !(ban && banned)) expected.push_back(token);
      }
      EXPECT_EQ(allowed, expected) << "'" << remaining << "' " << ban;
    }
  }
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
