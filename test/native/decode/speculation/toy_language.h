// A language of a few tokens: a target's law and a draft's behind every beginning, made by the shipped
// sampler from logits that depend on all of it. Small enough that everything that can be said is counted.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sampling/distribution.h"
#include "sampling/sampler.h"

namespace emberline::testing {

using Text = std::vector<std::uint32_t>;

struct ToyLanguage {
  std::string name = {};
  std::uint32_t vocabulary = 4;  // 1..5
  SamplingParams target = {.temperature = 1.0f};
  SamplingParams draft = {.temperature = 1.0f};
  float difference = 1;  // of the draft's logits from the target's, as a factor of random ones
  // What may follow a text: a grammar for the target, a habit for the draft. Empty: everything.
  std::function<bool(const Text&, std::uint32_t)> target_allows = {}, draft_allows = {};
};

// The laws of a language, each made once.
class ToyLaws {
 public:
  explicit ToyLaws(ToyLanguage language) : language_(std::move(language)) {}

  const ToyLanguage& language() const { return language_; }
  const Distribution& target(const Text& text) { return law(text, true); }
  const Distribution& draft(const Text& text) { return law(text, false); }

 private:
  // From -3 to 3, the same on every platform.
  std::vector<float> numbers(const Text& text, std::uint64_t stream) const {
    std::mt19937_64 engine(2 * number_of(text) + stream);
    std::vector<float> values(language_.vocabulary);
    for (float& value : values) value = static_cast<float>(engine() % 6001) / 1000.0f - 3.0f;
    return values;
  }

  const Distribution& law(const Text& text, bool of_target) {
    Distribution& made = (of_target ? targets_ : drafts_)[number_of(text)];
    if (made.total > 0) return made;
    std::vector<float> logits = numbers(text, 0);
    if (!of_target) {
      const std::vector<float> other = numbers(text, 1);
      for (std::size_t i = 0; i < logits.size(); ++i) logits[i] += language_.difference * other[i];
    }
    const auto& allows = of_target ? language_.target_allows : language_.draft_allows;
    for (std::uint32_t token = 0; token < logits.size(); ++token) {
      if (allows && !allows(text, token)) logits[token] = -std::numeric_limits<float>::infinity();
    }
    const Status status =
        sampler_.distribution(logits, text, of_target ? language_.target : language_.draft, made);
    EXPECT_TRUE(status.ok()) << status.message();
    return made;
  }

  static std::uint64_t number_of(const Text& text) {
    std::uint64_t number = 0;
    for (const std::uint32_t token : text) number = number * 8 + token + 1;
    return number;
  }

  ToyLanguage language_;
  Sampler sampler_;
  std::unordered_map<std::uint64_t, Distribution> targets_, drafts_;
};

// Every case that the acceptance rule can meet.
inline std::vector<ToyLanguage> toy_languages() {
  const auto even = [](const Text&, std::uint32_t token) { return token % 2 == 0; };
  const auto odd = [](const Text&, std::uint32_t token) { return token % 2 == 1; };
  // Tokens 0 and 1 are brackets: one that closes needs one that is open, and one level is the deepest.
  const auto brackets = [](const Text& text, std::uint32_t token) {
    int open = 0;
    for (const std::uint32_t before : text) open += before == 0 ? 1 : before == 1 ? -1 : 0;
    return token == 0 ? open == 0 : token != 1 || open == 1;
  };
  const SamplingParams full = {.temperature = 1.0f};
  std::vector<ToyLanguage> all;
  all.push_back({.name = "the same law", .vocabulary = 5, .difference = 0});
  all.push_back({.name = "nearly the same law", .vocabulary = 5, .difference = 1e-6f});
  all.push_back({.name = "another law", .vocabulary = 5});
  all.push_back({.name = "two tokens", .vocabulary = 2});
  all.push_back({.name = "one token", .vocabulary = 1});
  all.push_back({.name = "nothing in common", .vocabulary = 5, .target_allows = even, .draft_allows = odd});
  all.push_back({.name = "a draft that leaves tokens out",
                 .vocabulary = 5,
                 .draft = {.temperature = 1.0f, .top_k = 2}});
  all.push_back(
      {.name = "a target cut by top-k", .vocabulary = 5, .target = {.temperature = 1.0f, .top_k = 2}});
  all.push_back({.name = "both cut, by top-p and min-p",
                 .vocabulary = 5,
                 .target = {.temperature = 0.8f, .top_p = 0.9f},
                 .draft = {.temperature = 1.3f, .min_p = 0.2f},
                 .difference = 0.5f});
  all.push_back({.name = "temperatures far apart",
                 .target = {.temperature = 5.0f},
                 .draft = {.temperature = 0.3f},
                 .difference = 0.1f});
  all.push_back({.name = "a penalty on what was said",
                 .target = {.temperature = 1.0f, .repeat_penalty = 2.0f},
                 .draft = full});
  all.push_back({.name = "a grammar", .vocabulary = 4, .target_allows = brackets});
  all.push_back({.name = "a grammar for a cut target",
                 .vocabulary = 5,
                 .target = {.temperature = 1.0f, .top_k = 3, .top_p = 0.95f},
                 .target_allows = brackets});
  all.push_back({.name = "a greedy target", .target = {.temperature = 0}});
  all.push_back({.name = "a draft that always says the same", .draft = {.temperature = 0}});
  return all;
}

}  // namespace emberline::testing
