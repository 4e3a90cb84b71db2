// The document's memory against counting at every position, and the law it makes against its definition.
#include "decode/document_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace emberline::testing {
namespace {

using Tokens = std::vector<TokenId>;

ReferenceText read(const Tokens& tokens) {
  auto automaton = std::make_shared<SuffixAutomaton>();
  for (const TokenId token : tokens) automaton->extend(token);
  automaton->count_occurrences();
  return automaton;
}

// What followed the longest match of the end of `sequence`, by looking everywhere.
struct Followed {
  std::size_t length = 0;
  std::map<TokenId, double> counts;
  double total = 0;
};

Followed look_everywhere(const Tokens& sequence, const std::vector<Tokens>& texts) {
  Followed found;
  for (const Tokens& text : texts) {
    for (std::size_t end = 1; end <= text.size(); ++end) {
      std::size_t length = 0;
      while (length < std::min(end, sequence.size()) &&
             text[end - 1 - length] == sequence[sequence.size() - 1 - length]) {
        ++length;
      }
      if (length < found.length || length == 0) continue;
      if (length > found.length) found = {length, {}, 0};
      if (end == text.size()) continue;
      ++found.counts[text[end]];
      ++found.total;
    }
  }
  return found;
}

// Letters with much repetition.
Tokens babble(std::mt19937_64& random, std::size_t length, std::uint64_t letters) {
  Tokens text;
  while (text.size() < length) {
    if (text.size() > 10 && random() % 2 == 0) {
      const std::size_t from = random() % (text.size() - 8);
      for (std::size_t at = from; at < from + 8; ++at) text.push_back(text[at]);
    } else {
      text.push_back(static_cast<TokenId>(random() % letters));
    }
  }
  return text;
}

double log_total(const std::vector<float>& logits) {
  double sum = 0;
  for (const float logit : logits) sum += std::exp(double{logit});
  return std::log(sum);
}

std::vector<double> law_of(const std::vector<float>& logits) {
  std::vector<double> law;
  for (const float logit : logits) law.push_back(std::exp(logit - log_total(logits)));
  return law;
}

TEST(DocumentMemory, MixesWhatFollowedTheLongestMatchIntoTheLaw) {
  std::mt19937_64 random(5);
  int mixed = 0, disagreed = 0;
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t letters = 2 + random() % 5;
    const std::vector<Tokens> texts = {babble(random, 60, letters), babble(random, 90, letters)};
    Tokens sequence = babble(random, 20 + random() % 40, letters);
    const std::vector<ReferenceText> known = {read(texts[0]), read(texts[1])};
    DocumentMemory memory;
    memory.begin(known);
    for (int step = 0; step < 4; ++step) {
      const Followed followed = look_everywhere(sequence, texts);
      ASSERT_EQ(memory.match_length(sequence), followed.length);
      std::vector<float> logits(letters);
      for (float& logit : logits) logit = static_cast<float>(random() % 8000) / 1000.0f - 4.0f;
      const std::vector<double> before = law_of(logits);
      memory.mix(sequence, logits, log_total(logits));
      const std::vector<double> after = law_of(logits);
      const auto it =
          std::max_element(followed.counts.begin(), followed.counts.end(),
                           [](const auto& one, const auto& other) { return one.second < other.second; });
      const double weight =
          followed.length < DocumentMemory::kLeastMatch || followed.total == 0
              ? 0
              : DocumentMemory::weight(DocumentMemory::Kind::kDocument,
                                       {.length = static_cast<std::uint32_t>(followed.length),
                                        .occurrences = followed.total,
                                        .agreement = it->second / followed.total,
                                        .surest = *std::max_element(before.begin(), before.end())});
      for (TokenId token = 0; token < letters; ++token) {
        const double remembered =
            followed.counts.contains(token) ? followed.counts.at(token) / followed.total : 0;
        // Each logit is rounded to float32 once: of at most 2^-24 of it, which is below 16.
        EXPECT_NEAR(after[token], (1 - weight) * before[token] + weight * remembered, 4e-6);
      }
      mixed += weight > 0 ? 1 : 0;
      disagreed += weight > 0 && followed.counts.size() > 1 ? 1 : 0;
      sequence.push_back(static_cast<TokenId>(random() % letters));
    }
  }
  EXPECT_GT(mixed, 100);
  EXPECT_GT(disagreed, 20);
}

TEST(DocumentMemory, MixesOtherFilesInBeforeTheDocumentWithTheirOwnWeight) {
  std::mt19937_64 random(6);
  int both = 0;
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t letters = 2 + random() % 5;
    const Tokens own = babble(random, 60, letters), other = babble(random, 90, letters);
    const std::vector<ReferenceText> document = {read(own)}, others = {read(other)};
    const Tokens sequence = babble(random, 20 + random() % 40, letters);
    DocumentMemory memory;
    memory.begin(document, others);
    std::vector<float> logits(letters);
    for (float& logit : logits) logit = static_cast<float>(random() % 8000) / 1000.0f - 4.0f;
    const std::vector<double> before = law_of(logits);
    const double surest = *std::max_element(before.begin(), before.end());
    std::vector<double> expected = before;
    int mixed = 0;
    for (const auto& [kind, text] : {std::pair{DocumentMemory::Kind::kOthers, &other},
                                     std::pair{DocumentMemory::Kind::kDocument, &own}}) {
      const Followed followed = look_everywhere(sequence, {*text});
      if (followed.length < DocumentMemory::kLeastMatch || followed.total == 0) continue;
      double most = 0;
      for (const auto& [token, count] : followed.counts) most = std::max(most, count);
      const double weight =
          DocumentMemory::weight(kind, {.length = static_cast<std::uint32_t>(followed.length),
                                        .occurrences = followed.total,
                                        .agreement = most / followed.total,
                                        .surest = surest});
      for (TokenId token = 0; token < letters; ++token) {
        const auto it = followed.counts.find(token);
        const double remembered = it == followed.counts.end() ? 0 : it->second / followed.total;
        expected[token] = (1 - weight) * expected[token] + weight * remembered;
      }
      ++mixed;
    }
    memory.mix(sequence, logits, log_total(logits));
    const std::vector<double> after = law_of(logits);
    // Each logit is rounded to float32 twice: of at most 2^-24 of it, which is below 16.
    for (TokenId token = 0; token < letters; ++token) EXPECT_NEAR(after[token], expected[token], 8e-6);
    both += mixed == 2 ? 1 : 0;
  }
  EXPECT_GT(both, 50);
}

TEST(DocumentMemory, IsSilentForAsManyTokensAsAMatchLacks) {
  const Tokens text = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<ReferenceText> known = {read(text)};
  DocumentMemory memory;
  memory.begin(known);
  Tokens sequence = {9, 1, 2, 3};
  EXPECT_EQ(memory.silent_tokens(sequence), DocumentMemory::kLeastMatch - 3);
  sequence.insert(sequence.end(), {4, 5});
  EXPECT_EQ(memory.silent_tokens(sequence), 0u);
  sequence.push_back(9);
  EXPECT_EQ(memory.silent_tokens(sequence), DocumentMemory::kLeastMatch);
}

TEST(DocumentMemory, SaysNothingWithoutTextsAndBehindTheEndOfOne) {
  DocumentMemory memory;
  memory.begin({});
  const Tokens sequence = {1, 2, 3, 4, 5, 6};
  EXPECT_GT(memory.silent_tokens(sequence), 1'000'000u);
  const std::vector<ReferenceText> known = {read(sequence)};
  memory.begin(known);
  std::vector<float> logits = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<float> before = logits;
  memory.mix(sequence, logits, log_total(logits));
  EXPECT_EQ(logits, before) << "nothing followed there";
}

TEST(DocumentMemory, MakesATokenPossibleThatTheModelRulesOut) {
  const std::vector<ReferenceText> known = {read({1, 2, 3, 4, 5, 0})};
  DocumentMemory memory;
  memory.begin(known);
  const Tokens sequence = {1, 2, 3, 4, 5};
  std::vector<float> logits = {-std::numeric_limits<float>::infinity(), 40, 0, 0, 0, 0};
  memory.mix(sequence, logits, log_total(logits));
  const std::vector<double> law = law_of(logits);
  const double weight = DocumentMemory::weight(DocumentMemory::Kind::kDocument,
                                               {.length = 5, .occurrences = 1, .agreement = 1, .surest = 1});
  EXPECT_NEAR(law[0], weight, 4e-6);
}

TEST(DocumentMemory, HasALawWhereTheModelIsSureAndItsProbabilityRoundsToMoreThanOne) {
  const std::vector<ReferenceText> known = {read({1, 2, 3, 4, 5, 0})};
  DocumentMemory memory;
  memory.begin(known);
  const Tokens sequence = {1, 2, 3, 4, 5};
  std::vector<float> logits = {0, 60, 0, 0, 0, 0};
  memory.mix(sequence, logits, 60 - 1e-5);
  const double weight = DocumentMemory::weight(DocumentMemory::Kind::kDocument,
                                               {.length = 5, .occurrences = 1, .agreement = 1, .surest = 1});
  EXPECT_NEAR(law_of(logits)[0], weight, 1e-5 * weight + 4e-6);
  const std::vector<float> before = logits;
  memory.mix(sequence, logits, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(logits, before) << "whoever draws says that they are not finite";
}

}  // namespace
}  // namespace emberline::testing
