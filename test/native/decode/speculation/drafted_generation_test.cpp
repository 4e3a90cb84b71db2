// Drafts change how quickly a text comes, and nothing of the text.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <random>

#include "decode/generation.h"
#include "decode/token_course.h"
#include "device/cpu/cpu_device.h"
#include "forwarding_device.h"
#include "toy_decoder.h"
#include "turns.h"

namespace emberline::testing {
namespace {

GenerationRequest draftable_request(std::uint32_t max_tokens, float temperature = 0) {
  GenerationRequest request;
  request.max_tokens = max_tokens;
  request.single_line = false;
  request.ban_blank_start = false;
  request.sampling.temperature = temperature;
  request.sampling.seed = 5;
  return request;
}

// A text in which lookups find something, whatever the model makes of it.
std::vector<TokenId> repetitive_prompt(const ToyDecoder& decoder, std::uint64_t seed) {
  const auto vocabulary = static_cast<std::uint32_t>(decoder.tokenizer->vocabulary_size()) - 2;
  std::vector<TokenId> prompt = random_tokens(8, vocabulary, seed);
  const std::vector<TokenId> once = prompt;
  for (int times = 0; times < 3; ++times) prompt.insert(prompt.end(), once.begin(), once.end());
  return prompt;
}

Generation drafted(ToyDecoder& decoder, std::span<const TokenId> prompt, GenerationRequest request,
                   DraftingParams params) {
  decoder.speculation.begin(params, request.sampling, true);
  return decoder.generate_from(prompt, std::move(request));
}

constexpr DraftingParams kAlways{.lookup = true, .adaptive = false, .most = 6};
constexpr DraftingParams kAdaptive{.lookup = true};

class DraftedGeneration : public ::testing::TestWithParam<float> {};
INSTANTIATE_TEST_SUITE_P(Temperatures, DraftedGeneration, ::testing::Values(0.0f, 0.2f, 1.0f));

// On the CPU device, whose batches give the very numbers of single rows.
TEST_P(DraftedGeneration, GivesTheIdsOfPlainDecode) {
  std::uint32_t accepted = 0, drafts = 0;
  for (std::uint64_t round = 0; round < 6; ++round) {
    ToyModel toy;
    toy.seed = 1 + round;
    toy.output_scale = round % 2 == 0 ? 1.0f : 4.0f;
    ToyDecoder decoder(toy, 256, take(make_cpu_device({.threads = 1})));
    const std::vector<TokenId> prompt = repetitive_prompt(decoder, round);
    GenerationRequest request = draftable_request(120, GetParam());
    request.sampling.repeat_penalty = round % 3 == 0 ? 1.2f : 1.0f;
    const Generation plain = decoder.generate_from(prompt, request);
    for (const DraftingParams& params : {kAlways, kAdaptive}) {
      const Generation made = drafted(decoder, prompt, request, params);
      EXPECT_EQ(made.ids, plain.ids) << "round " << round;
      EXPECT_EQ(made.text, plain.text);
      EXPECT_EQ(made.stop, plain.stop);
      EXPECT_NEAR(made.confidence, plain.confidence, 1e-4 * plain.confidence);
      expect_same_course(made, plain);
      expect_course(decoder, made, request);
      const DraftingCounts& counts = decoder.speculation.counts();
      EXPECT_LE(counts.accepted, counts.drafted);
      // The first id is chosen from the prompt's logits; a batch gives what it accepted and one more, unless
      // the text ended with what it accepted.
      EXPECT_GE(1 + counts.plain_steps + counts.accepted + counts.batches, plain.ids.size());
      EXPECT_LE(1 + counts.plain_steps + counts.accepted, plain.ids.size());
      accepted += counts.accepted;
      drafts += counts.batches;
    }
    decoder.speculation.begin({}, request.sampling, true);
  }
  EXPECT_GT(drafts, 0u);
  EXPECT_GT(accepted, 0u) << "of nothing but refused drafts this would say little";
}

TEST(DraftedGenerationEnds, WherePlainDecodeDoes) {
  ToyModel toy;
  ToyDecoder decoder(toy, 64);
  const std::vector<TokenId> prompt = repetitive_prompt(decoder, 3);
  std::uint32_t batches = 0;
  for (const std::uint32_t most : {1u, 2u, 3u, 7u, 1000u}) {
    const GenerationRequest request = draftable_request(most);
    decoder.speculation.begin({}, {}, true);
    const Generation plain = decoder.generate_from(prompt, request);
    const Generation made = drafted(decoder, prompt, request, kAlways);
    EXPECT_EQ(made.ids, plain.ids) << most;
    EXPECT_EQ(made.stop, plain.stop) << most;
    batches += decoder.speculation.counts().batches;
  }
  EXPECT_GT(batches, 0u);
}

TEST(DraftedGenerationEnds, WhereItIsTooUnlikely) {
  ToyDecoder decoder({}, 256);
  std::uint32_t accepted = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const std::vector<TokenId> prompt = repetitive_prompt(decoder, seed);
    GenerationRequest request = draftable_request(60);
    decoder.speculation.begin({}, {}, true);
    const Generation whole = decoder.generate_from(prompt, request);
    request.least_confidence = 1.001;
    for (std::size_t at = 0; at < 4 * seed + 1; ++at)
      request.least_confidence *= double{whole.token_probabilities.at(at)};
    const Generation plain = decoder.generate_from(prompt, request);
    const Generation made = drafted(decoder, prompt, request, kAlways);
    EXPECT_EQ(made.ids, plain.ids) << seed;
    EXPECT_EQ(made.stop, plain.stop) << seed;
    EXPECT_EQ(made.stop, StopReason::kUnsure) << seed;
    accepted += decoder.speculation.counts().accepted;
  }
  EXPECT_GT(accepted, 0u);
}

TEST(DraftedGenerationEnds, WithTheLine) {
  std::uint32_t batches = 0;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    ToyModel toy;
    toy.seed = seed;
    ToyDecoder decoder(toy);
    const std::vector<TokenId> prompt = repetitive_prompt(decoder, seed);
    GenerationRequest request = draftable_request(100, 1.0f);
    request.single_line = true;
    request.ban_blank_start = true;
    request.required_prefix = "re";
    const Generation plain = decoder.generate_from(prompt, request);
    const Generation made = drafted(decoder, prompt, request, kAlways);
    EXPECT_EQ(made.ids, plain.ids);
    EXPECT_EQ(made.text, plain.text);
    EXPECT_EQ(made.stop, plain.stop);
    expect_same_course(made, plain);
    expect_course(decoder, made, request);
    batches += decoder.speculation.counts().batches;
  }
  EXPECT_GT(batches, 0u);
}

TEST(DraftedGenerationEnds, WhenCancelled) {
  ToyModel toy;
  ToyDecoder decoder(toy);
  const std::vector<TokenId> prompt = repetitive_prompt(decoder, 1);
  GenerationRequest request = draftable_request(150);
  const Generation plain = decoder.generate_from(prompt, request);
  for (const std::size_t pieces : {1u, 5u, 20u}) {
    std::atomic<bool> cancel = false;
    std::size_t seen = 0;
    request.cancel = &cancel;
    request.on_text = [&](std::string_view) { cancel = ++seen >= pieces; };
    const Generation made = drafted(decoder, prompt, request, kAlways);
    ASSERT_EQ(made.stop, StopReason::kCancelled);
    ASSERT_LE(made.ids.size(), plain.ids.size());
    EXPECT_TRUE(std::equal(made.ids.begin(), made.ids.end(), plain.ids.begin()));
  }
}

// Sets the flag of every batch of more than one row in its submission, as an edit would that comes meanwhile.
class CancellingDevice final : public ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  std::atomic<bool>* cancel = nullptr;

 protected:
  Result<ReplayOutcome> run(const DispatchTable& table, const Replay& request) override {
    if (request.rows == 1 || request.rows > kVerifyRows || cancel == nullptr)
      return ForwardingDevice::run(table, request);
    cancel->store(true);
    return ReplayOutcome{.cancelled = true};
  }
};

TEST(DraftedGenerationEnds, WhenCancelledInABatchAndWhatIsKeptIsValid) {
  auto owned = std::make_unique<CancellingDevice>(make_reference_device());
  CancellingDevice& device = *owned;
  ToyDecoder decoder({}, 256, std::move(owned));
  const std::vector<TokenId> prompt = repetitive_prompt(decoder, 1);
  const Generation plain = decoder.generate_from(prompt, draftable_request(100));
  std::atomic<bool> cancel = false;
  GenerationRequest request = draftable_request(100);
  request.cancel = &cancel;
  decoder.toy.prefill(prompt);
  device.cancel = &cancel;
  decoder.speculation.begin(kAlways, request.sampling, true);
  const Generation cut = take(generate({*decoder.toy.pass, *decoder.tokenizer, decoder.sets, decoder.choice,
                                        decoder.step_ms, &decoder.speculation},
                                       prompt, request));
  device.cancel = nullptr;
  ASSERT_EQ(cut.stop, StopReason::kCancelled);
  ASSERT_GT(cut.ids.size(), 0u);
  ASSERT_LT(cut.ids.size(), plain.ids.size());
  EXPECT_TRUE(std::equal(cut.ids.begin(), cut.ids.end(), plain.ids.begin()));
  // Going on from the rows that are there gives what would have come.
  std::vector<TokenId> sequence(prompt.begin(), prompt.end());
  sequence.insert(sequence.end(), cut.ids.begin(), cut.ids.end());
  take(decoder.toy.pass->decode(sequence.back(), static_cast<std::uint32_t>(sequence.size() - 1), nullptr));
  const std::vector<float> logits = decoder.toy.logits();
  const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
  EXPECT_EQ(static_cast<TokenId>(best), plain.ids[cut.ids.size()]);
}

TEST_P(DraftedGeneration, ObeysAConstraintAndTakesWhatItForcesAsDrafts) {
  ToyModel toy;
  ToyDecoder decoder(toy);
  const std::vector<TokenId> prompt = repetitive_prompt(decoder, 2);
  GenerationRequest request = draftable_request(60, GetParam());
  // Without speculation: one masked choice after another.
  Turns plainly(256);
  request.constraint = &plainly;
  decoder.toy.prefill(prompt);
  const Generation plain =
      take(generate({*decoder.toy.pass, *decoder.tokenizer, decoder.sets, decoder.choice, decoder.step_ms},
                    prompt, request));
  ASSERT_EQ(plain.ids.size(), 60u);
  for (std::size_t step = 0; step < plain.ids.size(); ++step) {
    ASSERT_TRUE(plainly.allows(step, plain.ids[step])) << step;
  }
  EXPECT_EQ(plainly.asked, 0);
  for (const DraftingParams& params : {DraftingParams{}, kAlways, kAdaptive}) {
    Turns turns(256);
    request.constraint = &turns;
    const Generation made = drafted(decoder, prompt, request, params);
    EXPECT_EQ(made.ids, plain.ids);
    EXPECT_GE(decoder.speculation.counts().accepted, 3u * (60 / 8)) << "forced tokens are always right";
  }
}

TEST(DraftingParams, AreChecked) {
  EXPECT_TRUE(check_drafting_params({}).ok());
  EXPECT_TRUE(check_drafting_params({.lookup = true, .most = 15}).ok());
  EXPECT_EQ(check_drafting_params({.most = 0}).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(check_drafting_params({.most = 16}).code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace emberline::testing
