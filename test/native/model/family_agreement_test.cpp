// Every family against another engine, from whose logits it was not written.
#include <gtest/gtest.h>

#include "device/cpu/cpu_device.h"
#include "model/family_toys.h"
#include "model/llama_cpp_logits.h"
#include "straight_forward.h"
#include "toy_pass.h"

namespace emberline::testing {
namespace {

// Of toys with a longer context the prompt is longer, many times their windows.
constexpr std::size_t kPrompt = 100, kLongPrompt = 600, kEvery = 16;
constexpr std::uint64_t kPromptSeed = 11;

// Both caches round keys and values to 11 bits, as in forward_pass_test.cpp, of which each is off by 2e-3 at
// most. Where both round the same numbers, which is so of all but YaRN's keys, they agree to 1e-5.
constexpr double kTwoCaches = 4e-3;
// Of quantised weights both engines quantise activations too, to steps of a 127th of a block's largest, each
// in products of its own: an element is off by about 1 %, and so is what seven products in a row make of it,
// two to three times.
constexpr double kTwoQuantisations = 6e-2;

void expect_agreement(const std::string& name, const ToyModel& toy, std::unique_ptr<Device> device) {
  ToyPass pass(toy, toy.context, std::move(device));
  const std::size_t length = toy.context > 256 ? kLongPrompt : kPrompt;
  const std::vector<float> all = pass.prefill(random_tokens(length, toy.end_token(), kPromptSeed));
  std::vector<float> ours;
  for (std::size_t i = 0; i < all.size(); i += kEvery) ours.push_back(all[i]);
  const std::vector<float>& theirs = llama_cpp_logits().at(name);
  ASSERT_EQ(ours.size(), theirs.size());
  const double tolerance = toy.type == TensorType::kF32 ? kTwoCaches : kTwoQuantisations;
  EXPECT_LE(relative_error(ours, std::vector<double>(theirs.begin(), theirs.end())), tolerance);
}

TEST(FamilyAgreement, LogitsAreThoseOfLlamaCpp) {
  for (const auto& [name, toy] : family_toys()) {
    SCOPED_TRACE(name);
    expect_agreement(name, toy, make_reference_device());
    expect_agreement(name, toy, take(make_cpu_device({.threads = 1})));
  }
}

// Past the window, too, and whichever way the rows came.
TEST(FamilyAgreement, ARowFarBehindAWindowHasTheSameBitsAloneAndInABatch) {
  for (const ToyModel& toy : gemmas()) {
    if (toy.context <= 256) continue;
    SCOPED_TRACE(toy.architecture);
    ToyPass pass(toy, toy.context, take(make_cpu_device({.threads = 2})));
    const std::vector<TokenId> tokens = random_tokens(kLongPrompt, toy.end_token(), kPromptSeed);
    const std::vector<float> together = pass.prefill(tokens);
    EXPECT_EQ(pass.prefill(tokens, 7), together);
    for (auto position = static_cast<std::uint32_t>(kLongPrompt - 20); position < kLongPrompt; ++position)
      take(pass.pass->decode(tokens[position], position, nullptr));
    EXPECT_EQ(pass.logits(), together);
  }
}

// Told apart from one that lacks what is new in it.
TEST(FamilyAgreement, AFamilyIsNotAnother) {
  const std::vector<float>& plain = llama_cpp_logits().at("llama");
  for (const auto& [name, logits] : llama_cpp_logits()) {
    if (name == "llama") continue;
    EXPECT_GT(relative_error(logits, std::vector<double>(plain.begin(), plain.end())), 4 * kTwoCaches)
        << name;
  }
}

}  // namespace
}  // namespace emberline::testing
