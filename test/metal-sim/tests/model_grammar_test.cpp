// A grammar over a model on the GPU: its logits are read back, and the text is of the grammar.
#include <memory>
#include <string>
#include <vector>

#include "decode/grammar_constraint.h"
#include "model_fixture.h"
#include "toy_decoder.h"

namespace emberline::testing {
namespace {

using MetalGrammar = GpuTest;

TEST_F(MetalGrammar, HoldsTextsToItWithAndWithoutDrafts) {
  const auto grammar =
      take(grammar::Grammar::from_gbnf("root ::= \"[\" item (\", \" item){3,12} \"]\"\n"
                                       "item ::= \"null\" | [0-9]{1,3} | \"\\\"\" [a-z]{1,4} \"\\\"\""));
  for (const float temperature : {0.0f, 1.0f}) {
    ToyDecoder decoder(gpu_toy(), 256, metal_device());
    const std::vector<TokenId> prompt = decoder.tokenizer->encode("[12, 12, 12, ", false);
    GrammarMatcher matcher(
        grammar, take(GrammarTokens::build(*decoder.tokenizer, decoder.toy.hyperparameters.vocabulary)));
    GenerationRequest request;
    request.max_tokens = 200;
    request.single_line = false;
    request.ban_blank_start = false;
    request.sampling.temperature = temperature;
    request.sampling.seed = 3;
    std::vector<Generation> made;
    for (const bool lookup : {false, true}) {
      const auto constraint = take(GrammarConstraint::begin(matcher, "", ""));
      request.constraint = constraint.get();
      decoder.speculation.begin({.lookup = lookup, .adaptive = false, .most = 6}, request.sampling, true);
      made.push_back(decoder.generate_from(prompt, request));
      EXPECT_EQ(made.back().stop, StopReason::kGrammar);
      EXPECT_TRUE(made.back().grammar_ended);
      EXPECT_TRUE(take(grammar->conforms(made.back().text))) << made.back().text;
    }
    EXPECT_EQ(made[1].ids, made[0].ids);
  }
}

}  // namespace
}  // namespace emberline::testing
