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

constexpr Split cl100k(const Cl100kRules& rules) {
  return {.way = Split::Way::kCl100k, .cl100k = rules};
}
constexpr Split o200k(const O200kRules& rules) {
  return {.way = Split::Way::kO200k, .o200k = rules};
}
constexpr Split isolated(Isolated what) {
  return {.way = Split::Way::kIsolated, .isolated = what};
}

constexpr Split kGpt2Words = {.way = Split::Way::kGpt2};
constexpr Split kDeepSeek3Words = {.way = Split::Way::kDeepSeek3};
constexpr Split kCl100kWords =
    cl100k({.digits_per_piece = 3, .marks_are_letters = false, .line_ends_apart = false});
constexpr Split kEachNumber = isolated(Isolated::kNumber);
constexpr Split kThreeNumbers = isolated(Isolated::kThreeNumbers);
constexpr Split kLineEnds = isolated(Isolated::kLineEnd);
constexpr Split kAsian = isolated(Isolated::kAsian);

constexpr PreTokenizer kGpt2 = pre_tokenizer({kGpt2Words});
constexpr PreTokenizer kStarCoder = pre_tokenizer({kEachNumber, kGpt2Words});
constexpr PreTokenizer kFalcon =
    pre_tokenizer({isolated(Isolated::kPunctuationAlone), kGpt2Words, isolated(Isolated::kSpelledNumbers),
                   isolated(Isolated::kThreeDigits)});
constexpr PreTokenizer kLlama3 = pre_tokenizer({kCl100kWords}, Merges::kIgnoredByTokens, Bos::kAdded);
constexpr PreTokenizer kDbrx = pre_tokenizer({kCl100kWords});
constexpr PreTokenizer kMiniCpm5 = pre_tokenizer({kThreeNumbers, kCl100kWords}, Merges::kIgnoredByTokens);
constexpr PreTokenizer kQwen2 =
    pre_tokenizer({cl100k({.digits_per_piece = 1, .marks_are_letters = false, .line_ends_apart = false})});
constexpr PreTokenizer kQwen35 =
    pre_tokenizer({cl100k({.digits_per_piece = 1, .marks_are_letters = true, .line_ends_apart = false})});
constexpr PreTokenizer kSeedCoder =
    pre_tokenizer({cl100k({.digits_per_piece = 1, .marks_are_letters = false, .line_ends_apart = true})});
constexpr PreTokenizer kTekken = pre_tokenizer({o200k({.digits_per_piece = 1, .contractions = false})},
                                               Merges::kIgnoredByTokens, Bos::kAdded);
constexpr PreTokenizer kGpt4o = pre_tokenizer({o200k({.digits_per_piece = 3, .contractions = true})});
constexpr PreTokenizer kDeepSeekCoder = pre_tokenizer(
    {kLineEnds, isolated(Isolated::kLetters), isolated(Isolated::kPunctuation), kAsian, kEachNumber});
constexpr PreTokenizer kDeepSeekLlm =
    pre_tokenizer({kLineEnds, isolated(Isolated::kDeepSeekLetters), isolated(Isolated::kDeepSeekCharacters),
                   isolated(Isolated::kTrailingSpace), kAsian, kEachNumber});
constexpr PreTokenizer kDeepSeek3 =
    pre_tokenizer({kThreeNumbers, isolated(Isolated::kHanOrKana), kDeepSeek3Words});

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
  switch (split.way) {
    case Split::Way::kGpt2: return gpt2_piece_end(text, position);
    case Split::Way::kCl100k: return cl100k_piece_end(text, position, split.cl100k);
    case Split::Way::kO200k: return o200k_piece_end(text, position, split.o200k);
    case Split::Way::kDeepSeek3: return deepseek3_piece_end(text, position);
    case Split::Way::kIsolated: return isolated_piece_end(split.isolated, text, position);
  }
  return text.size();
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
