// What is generated with a memory of the document is drawn from the mixture, token by token, wherever a token
// is chosen and whatever was drafted.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "decode/document_memory.h"
#include "decode/generation.h"
#include "decode/token_course.h"
#include "device/cpu/cpu_device.h"
#include "toy_decoder.h"

namespace emberline::testing {
namespace {

constexpr std::size_t kRememberedTokens = 80;

GenerationRequest request_at(float temperature) {
  GenerationRequest request;
  request.max_tokens = kRememberedTokens;
  request.single_line = false;
  request.ban_blank_start = false;
  request.sampling.temperature = temperature;
  request.sampling.seed = 3;
  return request;
}

// What was generated, with every ninth token another: matches that the model does not go on from as they do.
ReferenceText contradicting(std::span<const TokenId> ids, std::uint32_t vocabulary) {
  auto text = std::make_shared<SuffixAutomaton>();
  for (std::size_t at = 0; at < ids.size(); ++at) {
    text->extend(at % 9 == 8 ? (ids[at] + 1) % vocabulary : ids[at]);
  }
  text->count_occurrences();
  return text;
}

Generation remembering(ToyDecoder& decoder, std::span<const TokenId> prompt, GenerationRequest request,
                       DocumentMemory& memory) {
  decoder.toy.prefill(prompt);
  return take(generate({*decoder.toy.pass, *decoder.tokenizer, decoder.sets, decoder.choice, decoder.step_ms,
                        &decoder.speculation, &memory},
                       prompt, std::move(request)));
}

// One forward pass of everything for each token, the mixture of its logits, and a draw.
std::vector<TokenId> token_by_token(ToyDecoder& decoder, std::vector<TokenId> sequence, std::size_t count,
                                    const SamplingParams& sampling, const std::vector<ReferenceText>& texts) {
  Sampler sampler;
  const std::size_t prompt = sequence.size();
  while (sequence.size() < prompt + count) {
    decoder.toy.prefill(sequence);
    std::vector<float> logits = decoder.toy.logits();
    DocumentMemory memory;
    memory.begin(texts);
    memory.mix(sequence, logits, double{logits[0]} - sampler.log_probability(logits, 0));
    sequence.push_back(take(sampler.sample(logits, sequence, sampling, sequence.size())).token);
  }
  return {sequence.begin() + static_cast<std::ptrdiff_t>(prompt), sequence.end()};
}

class RememberingGeneration : public ::testing::TestWithParam<float> {};
INSTANTIATE_TEST_SUITE_P(Temperatures, RememberingGeneration, ::testing::Values(0.0f, 0.3f, 1.0f));

TEST_P(RememberingGeneration, GivesTheIdsOfTheMixtureWithDraftsAndWithout) {
  std::size_t changed = 0;
  for (std::uint64_t round = 0; round < 4; ++round) {
    ToyModel toy;
    toy.seed = 1 + round;
    // One has its chain cut into chunks by a queue, the other runs it where it is waited for.
    ToyDecoder decoder(toy, 256,
                       round % 2 == 0 ? take(make_cpu_device({.threads = 1})) : make_reference_device());
    const auto vocabulary = static_cast<std::uint32_t>(decoder.tokenizer->vocabulary_size()) - 2;
    const std::vector<TokenId> prompt = random_tokens(12, vocabulary, round);
    const GenerationRequest request = request_at(GetParam());
    const Generation plain = decoder.generate_from(prompt, request);
    std::vector<TokenId> known(prompt.begin(), prompt.end());
    known.insert(known.end(), plain.ids.begin(), plain.ids.end());
    const std::vector<ReferenceText> texts = {contradicting(known, vocabulary)};

    DocumentMemory memory;
    memory.begin(texts);
    decoder.speculation.begin({}, request.sampling, true);
    const Generation made = remembering(decoder, prompt, request, memory);
    EXPECT_EQ(made.ids, token_by_token(decoder, prompt, made.ids.size(), request.sampling, texts));
    changed += made.ids != plain.ids ? 1 : 0;

    memory.begin(texts);
    const DraftingParams drafting{.lookup = true, .adaptive = false, .most = 6};
    decoder.speculation.begin(drafting, request.sampling, true, [&] { return texts; });
    const Generation drafted = remembering(decoder, prompt, request, memory);
    EXPECT_EQ(drafted.ids, made.ids);
    EXPECT_NEAR(drafted.confidence, made.confidence, 1e-4 * made.confidence);
    expect_course(decoder, made, request);
    expect_same_course(drafted, made);
    EXPECT_GT(decoder.speculation.counts().accepted, 0u);
  }
  EXPECT_GT(changed, 0u) << "a memory that changes nothing says little";
}

}  // namespace
}  // namespace emberline::testing
