#include "tokenizer/fim_families.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace emberline {
namespace {

constexpr std::string_view kPrefixSuffixMiddle = "prefix_suffix_middle";
constexpr std::string_view kSuffixPrefixMiddle = "suffix_prefix_middle";
constexpr std::string_view kSuffixPrefix = "suffix_prefix";

struct Family {
  std::string_view pre_tokenizer;           // of its models; empty: any
  std::string_view prefix, suffix, middle;  // names; empty: it has none
  std::string_view separators[2];           // between files; the first that there is
  std::string_view layout;
};

// What is said of each is in its model card, and in the paper where there is one: Qwen2.5-Coder
// (arXiv:2409.12186; Qwen3-Coder, Granite 4 and, but for its separator, CodeGemma have the same), StarCoder 1
// and 2 (arXiv:2305.06161, arXiv:2402.19173; StableCode and Granite Code have the same), DeepSeek-Coder
// (arXiv:2401.14196), Code Llama (arXiv:2308.12950), Mellum, Codestral, Seed-Coder (arXiv:2506.03524).
constexpr Family kFamilies[] = {
    {"mellum", "<fim_prefix>", "<fim_suffix>", "<fim_middle>", {"<filename>", ""}, kSuffixPrefixMiddle},
    {"",
     "<|fim_prefix|>",
     "<|fim_suffix|>",
     "<|fim_middle|>",
     {"<|file_sep|>", "<|file_separator|>"},
     kPrefixSuffixMiddle},
    {"", "<fim_prefix>", "<fim_suffix>", "<fim_middle>", {"<file_sep>", "<filename>"}, kPrefixSuffixMiddle},
    {"", "<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>", {"", ""}, kPrefixSuffixMiddle},
    {"", "▁<PRE>", "▁<SUF>", "▁<MID>", {"", ""}, kPrefixSuffixMiddle},
    {"", "<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>", {"", ""}, kSuffixPrefixMiddle},
    {"", "[PREFIX]", "[SUFFIX]", "", {"", ""}, kSuffixPrefix},
};

class ControlTokens {
 public:
  explicit ControlTokens(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
      if (vocabulary.kind(id) == TokenKind::kControl) named_.emplace_back(vocabulary.bytes(id), id);
    }
  }

  // Where the file names the token, it is that one, if it has this name; kNoToken if there is none.
  TokenId find(std::string_view name, TokenId named) const {
    if (name.empty()) return kNoToken;
    if (named != kNoToken) return vocabulary_.bytes(named) == name ? named : kNoToken;
    for (const auto& [bytes, id] : named_) {
      if (bytes == name) return id;
    }
    return kNoToken;
  }

 private:
  const Vocabulary& vocabulary_;
  std::vector<std::pair<std::string_view, TokenId>> named_;
};

TokenId separator_of(const Family& family, const ControlTokens& tokens) {
  for (const std::string_view name : family.separators) {
    if (const TokenId id = tokens.find(name, kNoToken); id != kNoToken) return id;
  }
  return kNoToken;
}

}  // namespace

FimTokens find_fim_tokens(const Vocabulary& vocabulary, std::string_view pre_tokenizer,
                          const FimTokens& named) {
  const ControlTokens tokens(vocabulary);
  for (const Family& family : kFamilies) {
    if (!family.pre_tokenizer.empty() && family.pre_tokenizer != pre_tokenizer) continue;
    FimTokens found;
    found.prefix = tokens.find(family.prefix, named.prefix);
    found.suffix = tokens.find(family.suffix, named.suffix);
    found.middle = tokens.find(family.middle, named.middle);
    if (found.prefix == kNoToken || found.suffix == kNoToken) continue;
    if (found.middle == kNoToken && !family.middle.empty()) continue;
    found.separator = named.separator != kNoToken ? named.separator : separator_of(family, tokens);
    found.layout = family.layout;
    return found;
  }
  return named;
}

}  // namespace emberline
