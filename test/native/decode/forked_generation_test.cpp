// Texts that begin with a part of an earlier one, and go on from there in another way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "decode/blank.h"
#include "decode/document_memory.h"
#include "decode/generation.h"
#include "decode/healing.h"
#include "decode/token_course.h"
#include "device/cpu/cpu_device.h"
#include "toy_decoder.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kLongest = 24;

GenerationRequest line_request(std::uint64_t round) {
  GenerationRequest request;
  request.max_tokens = kLongest;
  request.single_line = round % 2 == 0;
  request.ban_blank_start = round % 3 != 0;
  if (round % 4 == 1) request.required_prefix = "return";
  if (round % 4 == 3) request.required_prefix = "\n  ";
  return request;
}

// Every text is cut at each of its tokens. One has its chain cut into chunks by a queue.
struct Case {
  std::unique_ptr<ToyDecoder> decoder;
  std::vector<TokenId> prompt;
  GenerationRequest request;
  Generation whole;
};
Case case_of(std::uint64_t round) {
  ToyModel toy;
  toy.seed = 1 + round;
  toy.output_scale = 2.0f;
  auto decoder = std::make_unique<ToyDecoder>(
      toy, 256, round % 2 == 0 ? make_reference_device() : take(make_cpu_device({.threads = 1})));
  const auto vocabulary = static_cast<std::uint32_t>(decoder->tokenizer->vocabulary_size()) - 2;
  const std::vector<TokenId> prompt = random_tokens(7, vocabulary, round);
  const GenerationRequest request = line_request(round);
  Generation whole = decoder->generate_from(prompt, request);
  return {std::move(decoder), prompt, request, std::move(whole)};
}

std::vector<TokenId> with(const std::vector<TokenId>& prompt, std::span<const TokenId> lead) {
  std::vector<TokenId> longer = prompt;
  longer.insert(longer.end(), lead.begin(), lead.end());
  return longer;
}

// The bytes that `ids` leave of `prefix`.
std::string left_of(const ToyDecoder& decoder, const std::string& prefix, std::span<const TokenId> ids) {
  return prefix.substr(std::min(prefix.size(), decoder.spell(ids).size()));
}

TEST(ForkedGeneration, GoesOnFromAnyTokenAsTheWholeTextDid) {
  std::size_t cuts = 0;
  for (std::uint64_t round = 0; round < 12; ++round) {
    auto [decoder, prompt, request, whole] = case_of(round);
    const std::size_t spelled = whole.ids.size() - whole.token_probabilities.size();
    for (std::size_t cut = 0; cut < whole.ids.size(); ++cut, ++cuts) {
      const std::span<const TokenId> lead = std::span(whole.ids).first(cut);
      GenerationRequest rest = request;
      rest.lead = cut;
      rest.max_tokens = kLongest - static_cast<std::uint32_t>(cut);
      std::string streamed;
      rest.on_text = [&](std::string_view piece) { streamed += piece; };
      const Generation made = decoder->generate_from(with(prompt, lead), rest);
      const std::string where = "round " + std::to_string(round) + ", cut at " + std::to_string(cut);
      EXPECT_EQ(made.ids,
                std::vector<TokenId>(whole.ids.begin() + static_cast<std::ptrdiff_t>(cut), whole.ids.end()))
          << where;
      EXPECT_EQ(made.text, whole.text) << where;
      EXPECT_EQ(streamed, whole.text) << where;
      EXPECT_EQ(made.stop, whole.stop) << where;
      const std::size_t rated = whole.token_probabilities.size() - (std::max(cut, spelled) - spelled);
      ASSERT_EQ(made.token_probabilities.size(), rated) << where;
      double product = rated == 0 ? 0 : 1;
      for (std::size_t at = 0; at < rated; ++at) {
        const float expected = whole.token_probabilities[whole.token_probabilities.size() - rated + at];
        EXPECT_NEAR(made.token_probabilities[at], expected, 1e-4f * expected) << where;
        product *= double{made.token_probabilities[at]};
        EXPECT_EQ(made.token_ends[at], whole.token_ends[whole.token_ends.size() - rated + at]) << where;
      }
      EXPECT_NEAR(made.confidence, product, 1e-5 * product) << where;
      EXPECT_EQ(made.barred_probability, 0) << where;
    }
  }
  EXPECT_GT(cuts, 100u);
}

// What a choice may be, found out the slow way: the law of the token behind `sequence`, 0 where the rules of
// the request forbid it, though what the ban of a blank start forbids counts.
struct ForkedLaw {
  std::vector<double> probabilities;
  double total = 0;  // of those that may come
};
ForkedLaw law_of(ToyDecoder& decoder, const std::vector<TokenId>& sequence, std::span<const float> logits,
                 const GenerationRequest& request, std::size_t prompt_size) {
  const std::string left =
      left_of(decoder, request.required_prefix, std::span(sequence).subspan(prompt_size));
  std::string text = decoder.spell(std::span(sequence).subspan(prompt_size));
  text.erase(0, std::min(text.size(), request.required_prefix.size()));
  const bool blank = request.ban_blank_start && !has_visible(text);
  std::vector<TokenId> allowed;
  if (!left.empty()) tokens_that_spell(*decoder.tokenizer, decoder.sets, left, blank, allowed);
  ForkedLaw law{std::vector<double>(logits.size()), 0};
  double sum = 0;
  for (TokenId token = 0; token < logits.size(); ++token) {
    const bool spells = left.empty() || std::ranges::find(allowed, token) != allowed.end();
    if (!spells) continue;
    const double mass = std::exp(double{logits[token]});
    sum += mass;
    const std::string_view bytes = decoder.tokenizer->bytes(token);
    const bool banned = left.empty() && blank &&
                        (decoder.sets.ends.contains(token) || breaks_line_while_blank(bytes) ||
                         (ends_with_space(request.required_prefix) && begins_blank(bytes)));
    if (!banned) law.probabilities[token] = mass;
  }
  for (double& probability : law.probabilities) {
    probability /= sum;
    law.total += probability;
  }
  return law;
}

bool ends_here(const ToyDecoder& decoder, const GenerationRequest& request, TokenId token) {
  const bool breaks = breaks_line_while_blank(decoder.tokenizer->bytes(token));
  return decoder.sets.ends.contains(token) || (request.single_line && breaks);
}

TEST(ForkedGeneration, TheRunnerUpIsAsProbableAsTheLawSaysBesideWhatIsBarred) {
  std::size_t seconds = 0, ends = 0;
  for (std::uint64_t round = 0; round < 12; ++round) {
    auto [decoder, prompt, request, whole] = case_of(round);
    for (std::size_t cut = 0; cut < whole.ids.size(); ++cut) {
      const std::vector<TokenId> sequence = with(prompt, std::span(whole.ids).first(cut));
      // While a part is spelled, tokens are weighed by what they lead to as well.
      const std::string left = left_of(*decoder, request.required_prefix, std::span(whole.ids).first(cut));
      if (left.size() > 1) continue;
      const std::vector<float> logits = decoder->toy.prefill(sequence);
      const ForkedLaw law = law_of(*decoder, sequence, logits, request, prompt.size());
      GenerationRequest fork = request;
      fork.lead = cut;
      fork.max_tokens = 1;
      // The best ones, one after the other.
      for (int rank = 0; rank < 3; ++rank) {
        std::vector<double> open = law.probabilities;
        double barred = 0;
        bool all_ends = false;
        for (const TokenId token : fork.barred)
          all_ends = all_ends || (left.empty() && ends_here(*decoder, request, token));
        for (TokenId token = 0; token < open.size(); ++token) {
          const bool named = std::ranges::find(fork.barred, token) != fork.barred.end();
          if (!named && !(all_ends && ends_here(*decoder, request, token))) continue;
          barred += open[token];
          open[token] = 0;
        }
        const auto best = static_cast<TokenId>(std::ranges::max_element(open) - open.begin());
        const Generation made = decoder->generate_from(sequence, fork);
        const std::string where = "round " + std::to_string(round) + ", cut at " + std::to_string(cut) +
                                  ", rank " + std::to_string(rank);
        ASSERT_EQ(made.ids.size(), 1u) << where;
        EXPECT_EQ(made.ids[0], best) << where;
        EXPECT_NEAR(made.barred_probability, barred, 1e-5) << where;
        EXPECT_NEAR(made.id_probabilities.at(0), open[best], 1e-4 * open[best]) << where;
        seconds += rank > 0 ? 1 : 0;
        ends += all_ends ? 1 : 0;
        fork.barred.push_back(best);
      }
    }
  }
  EXPECT_GT(seconds, 100u);
  EXPECT_GT(ends, 5u);
}

// Greedy, behind the barred token: what a request gives whose prompt ends in the lead and the runner-up.
TEST(ForkedGeneration, GoesOnBehindTheRunnerUpAsAFreshRequestWould) {
  std::size_t forks = 0;
  for (std::uint64_t round = 0; round < 8; ++round) {
    auto [decoder, prompt, request, whole] = case_of(2 * round);
    request.required_prefix.clear();
    request.ban_blank_start = false;
    request.single_line = false;
    whole = decoder->generate_from(prompt, request);
    for (std::size_t cut = 0; cut < whole.ids.size(); ++cut) {
      const std::vector<TokenId> sequence = with(prompt, std::span(whole.ids).first(cut));
      GenerationRequest fork = request;
      fork.lead = cut;
      fork.barred = {whole.ids[cut]};
      const Generation made = decoder->generate_from(sequence, fork);
      ASSERT_FALSE(made.ids.empty());
      EXPECT_NE(made.ids[0], whole.ids[cut]);
      if (made.stop == StopReason::kEndToken && made.ids.size() == 1) continue;
      request.max_tokens = static_cast<std::uint32_t>(made.ids.size()) - 1;
      if (request.max_tokens == 0) continue;
      const Generation fresh = decoder->generate_from(with(sequence, std::span(made.ids).first(1)), request);
      EXPECT_TRUE(std::equal(fresh.ids.begin(), fresh.ids.end(), made.ids.begin() + 1, made.ids.end()))
          << "round " << round << ", cut at " << cut;
      request.max_tokens = kLongest;
      ++forks;
    }
  }
  EXPECT_GT(forks, 50u);
}

// With a memory of the document the law is the mixture.
TEST(ForkedGeneration, TheRunnerUpIsThatOfTheMixture) {
  std::size_t mixed = 0;
  for (std::uint64_t round = 0; round < 4; ++round) {
    ToyModel toy;
    toy.seed = 1 + round;
    toy.end_tokens = false;
    ToyDecoder decoder(toy);
    const auto vocabulary = static_cast<std::uint32_t>(decoder.tokenizer->vocabulary_size());
    const std::vector<TokenId> prompt = random_tokens(9, vocabulary, round);
    GenerationRequest request;
    request.max_tokens = 16;
    request.single_line = false;
    request.ban_blank_start = false;
    const Generation plain = decoder.generate_from(prompt, request);
    auto text = std::make_shared<SuffixAutomaton>();
    for (const TokenId token : prompt) text->extend(token);
    for (std::size_t at = 0; at < plain.ids.size(); ++at)
      text->extend(at % 5 == 4 ? (plain.ids[at] + 1) % vocabulary : plain.ids[at]);
    text->count_occurrences();
    const std::vector<ReferenceText> texts = {text};
    for (std::size_t cut = 0; cut < plain.ids.size(); ++cut) {
      const std::vector<TokenId> sequence = with(prompt, std::span(plain.ids).first(cut));
      DocumentMemory slow;
      slow.begin(texts);
      std::vector<float> logits = decoder.toy.prefill(sequence);
      const std::vector<float> raw = logits;
      Sampler sampler;
      // How unsure the model is counts, and where it is sure that hangs on the last bits.
      const auto likeliest = static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin());
      const double log_total = double{logits[likeliest]} - sampler.log_probability(logits, likeliest);
      if (slow.silent_tokens(sequence) == 0) slow.mix(sequence, logits, log_total);
      mixed += raw != logits ? 1 : 0;
      const auto best = static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin());
      const double first = std::exp(sampler.log_probability(logits, best));
      std::vector<float> others = logits;
      others[best] = -INFINITY;
      const auto second = static_cast<TokenId>(std::ranges::max_element(others) - others.begin());

      DocumentMemory memory;
      memory.begin(texts);
      GenerationRequest fork = request;
      fork.lead = cut;
      fork.max_tokens = 1;
      fork.barred = {best};
      decoder.toy.prefill(sequence);
      const Generation made = take(generate({*decoder.toy.pass, *decoder.tokenizer, decoder.sets,
                                             decoder.choice, decoder.step_ms, nullptr, &memory},
                                            sequence, fork));
      EXPECT_EQ(made.ids, std::vector<TokenId>{second});
      const double expected = std::exp(sampler.log_probability(logits, second));
      EXPECT_NEAR(made.confidence, expected, 1e-4 * expected);
      EXPECT_NEAR(made.barred_probability, first, 1e-4 * first);
    }
  }
  EXPECT_GT(mixed, 4u) << "a memory that changes nothing says little";
}

TEST(ForkedGeneration, ALeadThatIsNoBeginningOfAnAnswerIsRefused) {
  ToyDecoder decoder({});
  GenerationRequest request;
  request.required_prefix = "return x";
  const std::vector<TokenId> wrong = {20, 21, 'q'};
  request.lead = 1;
  EXPECT_EQ(decoder.try_generate(wrong, request).code(), ErrorCode::kInvalidArgument);
  request.required_prefix.clear();
  for (const TokenId last : {decoder.tokenizer->token_of_bytes(");\n"), ToyModel{}.end_token()}) {
    const std::vector<TokenId> ended = {20, 21, 'q', last};
    request.lead = 2;
    EXPECT_EQ(decoder.try_generate(ended, request).code(), ErrorCode::kInvalidArgument);
    request.lead = 0;
    EXPECT_TRUE(decoder.try_generate(ended, request).ok());
  }
}

TEST(ForkedGeneration, ALineBreakThatSpellsThePrefixIsNoEnd) {
  for (std::uint64_t round = 0; round < 6; ++round) {
    auto [decoder, prompt, request, whole] = case_of(4 * round + 3);
    request.single_line = true;
    ASSERT_EQ(request.required_prefix, "\n  ");
    const Generation first = decoder->generate_from(prompt, request);
    request.barred = {first.ids.at(0)};
    const Generation made = decoder->generate_from(prompt, request);
    EXPECT_NE(made.ids.at(0), first.ids[0]);
    EXPECT_EQ(decoder->spell(made.ids).substr(0, 3), "\n  ");
  }
}

TEST(ForkedGeneration, WhereAllIsBarredThereIsNothingToChoose) {
  ToyDecoder decoder({});
  GenerationRequest request;
  for (TokenId token = 0; token < decoder.toy.hyperparameters.vocabulary; ++token)
    request.barred.push_back(token);
  EXPECT_EQ(decoder.try_generate(std::vector<TokenId>{20, 21}, request).code(), ErrorCode::kAllTokensMasked);
}

}  // namespace
}  // namespace emberline::testing
