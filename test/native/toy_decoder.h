// A toy model with its tokenizer, ready to generate.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "decode/generation.h"
#include "toy_pass.h"

namespace emberline::testing {

class ToyDecoder {
 public:
  explicit ToyDecoder(const ToyModel& model, std::uint32_t context = 256,
                      std::unique_ptr<Device> device = make_reference_device())
      : toy(model, context, std::move(device)),
        tokenizer(take(Tokenizer::from_gguf(*toy.file))),
        sets(TokenSets::build(*tokenizer, toy.hyperparameters.vocabulary)),
        choice(*tokenizer, sets, best_sampling_kernels()) {
    choice.reserve(toy.hyperparameters.vocabulary);
  }

  // Prefills `prompt` and generates behind it.
  Result<Generation> try_generate(std::span<const TokenId> prompt, GenerationRequest request) {
    toy.prefill(prompt);
    return generate({*toy.pass, *tokenizer, sets, choice, step_ms, &speculation}, prompt, std::move(request));
  }
  Generation generate_from(std::span<const TokenId> prompt, GenerationRequest request) {
    return take(try_generate(prompt, std::move(request)));
  }

  // The bytes `ids` stand for, control tokens left out.
  std::string spell(std::span<const TokenId> ids) const {
    std::string bytes;
    for (const TokenId id : ids) {
      if (!sets.ends.contains(id)) bytes += tokenizer->bytes(id);
    }
    return bytes;
  }

  ToyPass toy;
  std::unique_ptr<Tokenizer> tokenizer;
  TokenSets sets;
  HostChoice choice;
  double step_ms = 0;
  Speculation speculation;  // off until a test begins a request with it
};

}  // namespace emberline::testing
