// The tokenizer's part of a model file, small enough to be mutated: all bytes, a few merges and two special
// tokens.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gguf_writer.h"
#include "tokenizer/charsmap_writer.h"

namespace emberline::testing {

// Pre-tokenizers, one of each way to split.
inline constexpr std::string_view kSplitNames[] = {
    "gpt-2",      "smollm", "falcon", "llama-bpe",      "minicpm5",     "qwen2",      "qwen35",
    "seed-coder", "tekken", "gpt-4o", "deepseek-coder", "deepseek-llm", "deepseek-v3"};

// The byte alphabet of GPT-2 (Radford et al. 2019), written from its definition.
inline std::string spell_byte(unsigned byte) {
  const auto stands_for_itself = [](unsigned b) {
    return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  };
  unsigned code_point = byte;
  if (!stands_for_itself(byte)) {
    code_point = 256;
    for (unsigned other = 0; other < byte; ++other) code_point += stands_for_itself(other) ? 0 : 1;
  }
  if (code_point < 0x80) return {static_cast<char>(code_point)};
  return {static_cast<char>(0xC0 | (code_point >> 6)), static_cast<char>(0x80 | (code_point & 0x3F))};
}

inline GgufWriter small_vocabulary(std::string_view pre_tokenizer) {
  const std::string space = spell_byte(' ');
  const std::vector<std::vector<std::string>> pairs = {{"i", "n"},
                                                       {"in", "t"},
                                                       {space, space},
                                                       {space + space, space + space},
                                                       {space, "int"},
                                                       {"1", "2"},
                                                       {"12", "3"},
                                                       {spell_byte('\r'), spell_byte('\n')},
                                                       {spell_byte(0xC3), spell_byte(0xA9)},
                                                       {"'", "s"}};
  std::vector<std::string> tokens = {"<|end|>", "<|user|>"};
  std::vector<std::int32_t> types = {3, 4};
  std::vector<std::string> merges;
  for (unsigned byte = 0; byte < 256; ++byte) tokens.push_back(spell_byte(byte));
  for (const std::vector<std::string>& pair : pairs) {
    merges.push_back(pair[0] + " " + pair[1]);
    tokens.push_back(pair[0] + pair[1]);
  }
  types.resize(tokens.size(), 1);
  GgufWriter writer;
  writer.add("tokenizer.ggml.model", "gpt2")
      .add("tokenizer.ggml.pre", pre_tokenizer)
      .add("tokenizer.ggml.tokens", tokens)
      .add("tokenizer.ggml.token_type", types)
      .add("tokenizer.ggml.merges", merges)
      .add("tokenizer.ggml.eos_token_id", std::uint32_t{0});
  return writer;
}

// The same of a SentencePiece model, `llama` or `t5`: byte fallbacks, a few words, a user-defined and a
// control token.
inline GgufWriter small_pieces(std::string_view model = "llama") {
  std::vector<std::string> tokens = {"<unk>", "</s>", "<|user|>", "\u2581\u2581\u2581"};
  std::vector<std::int32_t> types = {2, 3, 4, 4};
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (std::size_t byte = 0; byte < 256; ++byte) {
    tokens.push_back(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">");
    types.push_back(6);
  }
  for (const char* piece : {"\u2581", "\u2581\u2581", "i", "n", "t", "in", "int", "\u2581int", "\u00E9",
                            "t\u00E9", "1", "12", "'s", ";\u2581", "\u65E5\u672C"}) {
    tokens.push_back(piece);
    types.push_back(1);
  }
  std::vector<float> scores(tokens.size(), 0.0f);
  for (std::size_t i = 260; i < scores.size(); ++i) scores[i] = -static_cast<float>(i % 5);
  GgufWriter writer;
  writer.add("tokenizer.ggml.model", model)
      .add("tokenizer.ggml.tokens", tokens)
      .add("tokenizer.ggml.token_type", types)
      .add("tokenizer.ggml.scores", scores)
      .add("tokenizer.ggml.unknown_token_id", std::uint32_t{0})
      .add("tokenizer.ggml.eos_token_id", std::uint32_t{1});
  return writer;
}

// A unigram model whose file holds a normalisation.
inline GgufWriter small_normalising_pieces() {
  GgufWriter writer = small_pieces("t5");
  const std::map<std::string, std::string> map = {
      {"\t", " "}, {"\r", ""}, {"e", "e"}, {"e\u0301", "\u00E9"}, {"\u00BD", "1\u20442"}};
  writer.add("tokenizer.ggml.precompiled_charsmap", CharsmapWriter(map).bytes())
      .add("tokenizer.ggml.remove_extra_whitespaces", true);
  return writer;
}

}  // namespace emberline::testing
