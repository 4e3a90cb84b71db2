#include "tokenizer/pre_tokenizer.h"

#include <initializer_list>

namespace emberline {
namespace {

enum class Merges : bool { kApply, kIgnoredByTokens };
enum class Bos : bool { kNone, kAdded };

constexpr PreTokenizer pre_tokenizer(std::initializer_list<Split> splits, Merges merges = Merges::kApply,
                                     Bos bos = Bos::kNone) {
  PreTokenizer made{};
  for (const Split& split : splits) made.splits[made.split_count++] = split;
  made.ignores_merges = merges == Merges::kIgnoredByTokens;
  made.adds_bos_by_default = bos == Bos::kAdded;
  return made;
}

// cl100k_base with pieces of up to so many digits.
constexpr Cl100kRules cl100k(unsigned digits) {
  return {digits, false, false};
}

constexpr PreTokenizer kGpt2 = pre_tokenizer({Gpt2Rules{}});
constexpr PreTokenizer kStarCoder = pre_tokenizer({Isolated::kNumber, Gpt2Rules{}});
constexpr PreTokenizer kFalcon = pre_tokenizer(
    {Isolated::kPunctuationAlone, Gpt2Rules{}, Isolated::kSpelledNumbers, Isolated::kThreeDigits});
constexpr PreTokenizer kLlama3 = pre_tokenizer({cl100k(3)}, Merges::kIgnoredByTokens, Bos::kAdded);
constexpr PreTokenizer kDbrx = pre_tokenizer({cl100k(3)});
constexpr PreTokenizer kMiniCpm5 =
    pre_tokenizer({Isolated::kThreeNumbers, cl100k(3)}, Merges::kIgnoredByTokens);
constexpr PreTokenizer kQwen2 = pre_tokenizer({cl100k(1)});
constexpr PreTokenizer kQwen35 = pre_tokenizer({Cl100kRules{1, true, false}});
constexpr PreTokenizer kSeedCoder = pre_tokenizer({Cl100kRules{1, false, true}});
constexpr PreTokenizer kTekken = pre_tokenizer({O200kRules{1, false}}, Merges::kIgnoredByTokens, Bos::kAdded);
constexpr PreTokenizer kGpt4o = pre_tokenizer({O200kRules{3, true}});
constexpr PreTokenizer kDeepSeekCoder = pre_tokenizer(
    {Isolated::kLineEnd, Isolated::kLetters, Isolated::kPunctuation, Isolated::kAsian, Isolated::kNumber});
constexpr PreTokenizer kDeepSeekLlm =
    pre_tokenizer({Isolated::kLineEnd, Isolated::kDeepSeekLetters, Isolated::kDeepSeekCharacters,
                   Isolated::kTrailingSpace, Isolated::kAsian, Isolated::kNumber});
constexpr PreTokenizer kDeepSeek3 =
    pre_tokenizer({Isolated::kThreeNumbers, Isolated::kHanOrKana, DeepSeek3Rules{}});

struct NamedPreTokenizer {
  std::string_view name;
  PreTokenizer pre_tokenizer;
};

// Which names there are, and which models have them, is told by the converters of llama.cpp; how each model
// splits, by its tokenizer.json. `default` and an absent name come from files older than the key, whose
// models split like GPT-2.
constexpr NamedPreTokenizer kPreTokenizers[] = {
    {"gpt-2", kGpt2},
    {"default", kGpt2},
    {"phi-2", kGpt2},
    {"mpt", kGpt2},
    {"olmo", kGpt2},
    {"mellum", kGpt2},
    {"exaone4", kGpt2},
    {"granite-docling", kGpt2},
    {"jais", kGpt2},
    {"trillion", kGpt2},

    {"smollm", kStarCoder},
    {"starcoder", kStarCoder},
    {"starcoder2", kStarCoder},
    {"refact", kStarCoder},
    {"codeshell", kStarCoder},
    {"command-r", kStarCoder},
    {"mellum2", kStarCoder},
    {"exaone", kStarCoder},
    {"minerva-7b", kStarCoder},

    {"falcon", kFalcon},

    {"llama-bpe", kLlama3},
    {"llama3", kLlama3},
    {"llama-v3", kLlama3},
    {"falcon3", kLlama3},
    {"falcon-h1", kLlama3},
    {"pixtral", kLlama3},
    {"midm-2.0", kLlama3},
    {"lfm2", kLlama3},

    {"dbrx", kDbrx},
    {"smaug-bpe", kDbrx},
    {"glm4", kDbrx},
    {"chatglm-bpe", kDbrx},

    {"minicpm5", kMiniCpm5},

    {"qwen2", kQwen2},
    {"deepseek-r1-qwen", kQwen2},
    {"stablelm2", kQwen2},
    {"hunyuan", kQwen2},
    {"megrez", kQwen2},
    {"solar-open", kQwen2},
    {"grok-2", kQwen2},
    // Written in another way, with the same pieces.
    {"bailingmoe", kQwen2},
    {"bailingmoe2", kQwen2},
    {"llada-moe", kQwen2},

    {"qwen35", kQwen35},
    {"seed-coder", kSeedCoder},

    {"tekken", kTekken},
    {"gpt-4o", kGpt4o},
    {"llama4", kGpt4o},
    {"kanana2", kGpt4o},
    {"minimax-m2", kGpt4o},

    {"deepseek-coder", kDeepSeekCoder},
    {"deepseek-llm", kDeepSeekLlm},
    {"deepseek-v3", kDeepSeek3},
    {"hunyuan-dense", kDeepSeek3},
    {"joyai-llm", kDeepSeek3},
};

std::size_t piece_end(const Split& split, std::string_view text, std::size_t position) {
  if (std::holds_alternative<Gpt2Rules>(split)) return gpt2_piece_end(text, position);
  if (const auto* rules = std::get_if<Cl100kRules>(&split)) return cl100k_piece_end(text, position, *rules);
  if (const auto* rules = std::get_if<O200kRules>(&split)) return o200k_piece_end(text, position, *rules);
  if (const auto* isolated = std::get_if<Isolated>(&split)) {
    return isolated_piece_end(*isolated, text, position);
  }
  return deepseek3_piece_end(text, position);
}

}  // namespace

std::optional<PreTokenizer> find_pre_tokenizer(std::string_view name) {
  for (const NamedPreTokenizer& known : kPreTokenizers) {
    if (known.name == name) return known.pre_tokenizer;
  }
  return std::nullopt;
}

std::string_view PieceSplitter::next() {
  if (position_ == text_.size()) return {};
  std::size_t end = text_.size();
  for (std::size_t i = 0; i < pre_.split_count; ++i) {
    if (ends_[i] == position_) ends_[i] = piece_end(pre_.splits[i], text_.substr(0, end), position_);
    end = ends_[i];
  }
  const std::string_view piece = text_.substr(position_, end - position_);
  position_ = end;
  return piece;
}

}  // namespace emberline
