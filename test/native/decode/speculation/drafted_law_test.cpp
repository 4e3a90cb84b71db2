// The whole decode loop with drafts drawn by chance: what comes out follows the law of plain decode. Toy
// models with few tokens to choose from, chi-square tests with a false-alarm rate of 1e-9, and a control.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>

#include "decode/generation.h"
#include "decode/speculation/draft_model.h"
#include "device/cpu/cpu_device.h"
#include "sampling/chi_square.h"
#include "sampling/random.h"
#include "toy_decoder.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kTokens = 4;  // generated; the first comes from the prompt's logits
constexpr std::uint64_t kLawRuns = 5'000;
constexpr DraftingParams kDrafted{.model = true, .adaptive = false, .most = 2};

ToyModel small(std::uint64_t seed) {
  ToyModel toy;
  toy.layers = 1;
  toy.seed = seed;
  return toy;
}

GenerationRequest request_with(const SamplingParams& sampling) {
  GenerationRequest request;
  request.max_tokens = kTokens;
  request.single_line = false;
  request.ban_blank_start = false;
  request.sampling = sampling;
  return request;
}

// Leaves the end token and the first few bytes.
class FewTokens final : public Constraint {
 public:
  explicit FewTokens(TokenId end) : end_(end) {}
  bool allows(TokenId token) const { return token < 2 || token == end_; }
  Status mask(std::span<float> logits) override {
    for (TokenId token = 0; token < logits.size(); ++token) {
      if (!allows(token)) logits[token] = -std::numeric_limits<float>::infinity();
    }
    return {};
  }
  void advance(TokenId) override {}
  void forced(std::uint32_t, std::vector<TokenId>&) override {}

 private:
  TokenId end_;
};

// A text as a number, the same for all that are counted together.
class Cells {
 public:
  std::uint32_t of(const std::vector<TokenId>& text) {
    return numbers_.emplace(text, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::vector<TokenId>, std::uint32_t> numbers_;
};

class DraftedLaw {
 public:
  DraftedLaw(ToyDecoder& decoder, const std::vector<TokenId>& prompt, const GenerationRequest& request)
      : decoder_(decoder), prompt_(prompt), request_(request) {
    add({}, 1);
  }

  // Whether `runs` generations with drafts from `draft` are no sample of it.
  bool refuses(Draft& draft, std::uint64_t runs) {
    Speculation speculation(&draft);
    std::map<std::uint32_t, double> counts;
    GenerationRequest request = request_;
    std::uint32_t accepted = 0;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      request.sampling.seed = seed;
      speculation.begin(kDrafted, request.sampling, false);
      decoder_.toy.prefill(prompt_);
      const Generation made = take(generate({*decoder_.toy.pass, *decoder_.tokenizer, decoder_.sets,
                                             decoder_.choice, decoder_.step_ms, &speculation},
                                            prompt_, request));
      accepted += speculation.counts().accepted;
      counts[cells_.of(made.ids)] += 1;
    }
    EXPECT_GT(accepted, runs / 20) << "of nothing but refused drafts this would say little";
    return fit(counts, probability_, static_cast<double>(runs)).refused();
  }

 private:
  void add(const std::vector<TokenId>& text, double p) {
    if (text.size() == kTokens || (!text.empty() && decoder_.sets.ends.contains(text.back()))) {
      probability_[cells_.of(text)] += p;
      return;
    }
    std::vector<TokenId> sequence = prompt_;
    sequence.insert(sequence.end(), text.begin(), text.end());
    std::vector<float> logits = decoder_.toy.prefill(sequence);
    if (request_.constraint != nullptr) {
      EXPECT_TRUE(request_.constraint->mask(logits).ok());
    }
    Sampler sampler;
    Distribution law;
    ASSERT_TRUE(sampler.distribution(logits, sequence, request_.sampling, law).ok());
    for (std::size_t i = 0; i < law.tokens.size(); ++i) {
      std::vector<TokenId> longer = text;
      longer.push_back(law.tokens[i]);
      add(longer, p * static_cast<double>(law.masses[i]) / static_cast<double>(law.total));
    }
  }

  ToyDecoder& decoder_;
  const std::vector<TokenId>& prompt_;
  const GenerationRequest& request_;
  Cells cells_;
  std::map<std::uint32_t, double> probability_;
};

// Draws from the same few tokens whatever came before; may leave out what it drew when that ends the text.
class FixedDraft final : public Draft {
 public:
  FixedDraft(TokenId end, bool ends_before_the_end) : end_(end), ends_before_(ends_before_the_end) {
    law_.tokens = {0, 1, end};
    law_.masses = {1, 1, 2};
    law_.total = 4;
  }
  Status propose(std::span<const TokenId> sequence, std::uint32_t most, const SamplingParams& sampling,
                 const std::atomic<bool>*, DraftTokens& out) override {
    out.clear();
    for (std::uint64_t position = sequence.size(); out.tokens.size() < most; ++position) {
      const TokenId token = draw_from(law_, random_uniform(sampling.seed, position, RandomStream::kDraft));
      if (ends_before_ && token == end_) break;
      out.tokens.push_back(token);
      out.laws.push_back(law_);
    }
    return {};
  }

 private:
  TokenId end_;
  bool ends_before_;
  Distribution law_;
};

std::unique_ptr<Device> fast_device() {
  return take(make_cpu_device({.threads = 1}));
}

// The draft knows a little of what the target says: the same embedding, another layer.
TEST(DraftedLaw, WithADraftModelIsThatOfPlainDecode) {
  ToyDecoder decoder(small(1), 64, fast_device());
  ToyPass drafting(small(2), 64, fast_device());
  const std::unique_ptr<DraftModel> draft =
      take(DraftModel::create(take(ForwardPass::create(drafting.on_device(), 64)),
                              decoder.toy.hyperparameters.vocabulary, best_sampling_kernels()));
  const std::vector<TokenId> prompt = random_tokens(6, 256, 1);
  const GenerationRequest request = request_with({.temperature = 2.0f, .top_k = 4});
  EXPECT_FALSE(DraftedLaw(decoder, prompt, request).refuses(*draft, kLawRuns));
}

// Tokens that end the text are drafted, masked ones too; a draft that hides the first because of what they
// are is noticed.
TEST(DraftedLaw, WithEndsAmongTheDraftsIsThatOfPlainDecode) {
  const ToyModel toy = small(3);
  ToyDecoder decoder(toy, 64, fast_device());
  FewTokens few(toy.end_token());
  const std::vector<TokenId> prompt = random_tokens(6, 256, 2);
  GenerationRequest request = request_with({.temperature = 4.0f});
  request.constraint = &few;
  FixedDraft honest(toy.end_token(), false), hiding(toy.end_token(), true);
  EXPECT_FALSE(DraftedLaw(decoder, prompt, request).refuses(honest, kLawRuns));
  EXPECT_TRUE(DraftedLaw(decoder, prompt, request).refuses(hiding, kLawRuns));
}

}  // namespace
}  // namespace emberline::testing
