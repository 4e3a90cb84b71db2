#include "tokenizer/fim_families.h"

#include <cstdint>
#include <optional>
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
  std::string_view separator;               // between files
  std::string_view repository;              // in front of the name of one
  std::string_view layout;
  std::string_view files;  // FimTokens::files, where the separator is there
};

// What is said of each is in its model card, and in the paper where there is one: Qwen2.5-Coder
// (arXiv:2409.12186; Qwen3-Coder, Granite 4 and, but for its separator, CodeGemma have the same), StarCoder 1
// and 2 (arXiv:2305.06161, arXiv:2402.19173; StableCode and Granite Code have the same), DeepSeek-Coder
// (arXiv:2401.14196), Code Llama (arXiv:2308.12950), Mellum, Codestral, Seed-Coder (arXiv:2506.03524). Of
// families with the same marks the first whose separator there is, else the first.
constexpr Family kFamilies[] = {
    {"mellum", "<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<filename>", "", kSuffixPrefixMiddle,
     kPathBeforeMarks},
    {"", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|file_sep|>", "<|repo_name|>",
     kPrefixSuffixMiddle, kPathBeforeMarks},
    {"", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|file_separator|>", "", kPrefixSuffixMiddle,
     ""},
    {"", "<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<file_sep>", "<repo_name>", kPrefixSuffixMiddle,
     kPathInPrefix},
    {"", "<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<filename>", "", kPrefixSuffixMiddle, ""},
    {"", "<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>", "", "", kPrefixSuffixMiddle, ""},
    {"", "▁<PRE>", "▁<SUF>", "▁<MID>", "", "", kPrefixSuffixMiddle, ""},
    {"", "<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>", "", "", kSuffixPrefixMiddle, ""},
    {"", "[PREFIX]", "[SUFFIX]", "", "", "", kSuffixPrefix, ""},
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

}  // namespace

FimTokens find_fim_tokens(const Vocabulary& vocabulary, std::string_view pre_tokenizer,
                          const FimTokens& named) {
  const ControlTokens tokens(vocabulary);
  std::optional<FimTokens> without_separator;
  for (const Family& family : kFamilies) {
    if (!family.pre_tokenizer.empty() && family.pre_tokenizer != pre_tokenizer) continue;
    FimTokens found;
    found.prefix = tokens.find(family.prefix, named.prefix);
    found.suffix = tokens.find(family.suffix, named.suffix);
    found.middle = tokens.find(family.middle, named.middle);
    if (found.prefix == kNoToken || found.suffix == kNoToken) continue;
    if (found.middle == kNoToken && !family.middle.empty()) continue;
    const TokenId own = tokens.find(family.separator, kNoToken);
    found.separator = named.separator != kNoToken ? named.separator : own;
    found.layout = family.layout;
    if (own == kNoToken) {
      if (!without_separator) without_separator = found;
      continue;
    }
    if (own == found.separator && !family.files.empty()) {
      found.repository = tokens.find(family.repository, named.repository);
      found.files = family.files;
    }
    return found;
  }
  return without_separator.value_or(named);
}

}  // namespace emberline
