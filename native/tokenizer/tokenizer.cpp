#include "tokenizer/tokenizer.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/cancel.h"
#include "base/threads.h"
#include "base/try.h"
#include "gguf/describe.h"
#include "tokenizer/byte_pair_encoder.h"
#include "tokenizer/fim_families.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/scored_pair_encoder.h"
#include "tokenizer/special_tokens.h"
#include "tokenizer/text_normaliser.h"
#include "tokenizer/tokens_by_bytes.h"
#include "tokenizer/unigram_encoder.h"
#include "tokenizer/vocabulary.h"
#include "tokenizer/vocabulary_spec.h"

namespace emberline {
namespace {

// The control tokens after which no family's model goes on with the same text: ends of text, turn and
// message, and what begins another file.
constexpr std::string_view kEndNames[] = {
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|fim_pad|>",
    "<fim_pad>",
    "<|file_sep|>",
    "<file_sep>",
    "<|repo_name|>",
    "<repo_name>",
    "<reponame>",
    "<filename>",
    "<end_of_turn>",
    "</s>",
    "<eos>",
    "<EOT>",
    "<|EOT|>",
    "<|END_OF_TURN_TOKEN|>",
    "▁<EOT>",
    "<|file_separator|>",
    "<｜end▁of▁sentence｜>",
    "<[end▁of▁sentence]>",
};

bool is_end_name(std::string_view name) {
  return std::find(std::begin(kEndNames), std::end(kEndNames), name) != std::end(kEndNames);
}

}  // namespace

struct Tokenizer::Impl {
  Vocabulary vocabulary;
  std::string pre_tokenizer_name;
  std::optional<PreTokenizer> pre_tokenizer;  // nothing for SentencePiece's models
  TextNormaliser normaliser;
  TokenId bos = kNoToken;
  TokenId eos = kNoToken;
  bool adds_bos = false;
  bool adds_space_prefix = false;
  std::vector<TokenId> ends;  // sorted
  FimTokens fim;
  SpecialTokenFinder user_defined{};
  SpecialTokenFinder user_defined_and_control{};
  // These refer to `vocabulary`, so they are made once that is in place. One of the encoders is there.
  std::optional<BytePairEncoder> encoder{};
  std::optional<ScoredPairEncoder> scored_encoder{};
  std::optional<UnigramEncoder> unigram_encoder{};
  std::optional<TokensByBytes> by_bytes{};

  struct Scratch {
    BytePairScratch pairs;
    ScoredPairEncoder::Scratch scored_pairs;
    UnigramEncoder::Scratch cuts;
  };

  void encode_plain(std::string_view text, const std::atomic<bool>* cancel, Scratch& scratch,
                    std::vector<TokenId>& out) const {
    if (scored_encoder) {
      scored_encoder->encode(text, cancel, scratch.scored_pairs, out);
      return;
    }
    if (unigram_encoder) {
      if (normaliser.is_identity())
        unigram_encoder->encode(text, cancel, scratch.cuts, out);
      else
        unigram_encoder->encode(normaliser.normalised(text), cancel, scratch.cuts, out);
      return;
    }
    PieceSplitter splitter(*pre_tokenizer, text);
    for (std::string_view piece = splitter.next(); !piece.empty(); piece = splitter.next()) {
      if (is_cancelled(cancel)) return;
      encoder->encode(piece, scratch.pairs, out);
    }
  }
};

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::~Tokenizer() = default;

Result<std::unique_ptr<Tokenizer>> Tokenizer::from_gguf(const GgufFile& file) {
  TRY_VALUE(auto spec, read_vocabulary_spec(file));
  return from_vocabulary(spec);
}

Result<std::unique_ptr<Tokenizer>> Tokenizer::from_vocabulary(const VocabularySpec& spec) {
  const bool sentence_piece = spec.model != TokenizerModel::kByteLevel;
  const auto pre_tokenizer = sentence_piece ? std::nullopt : find_pre_tokenizer(spec.pre_tokenizer);
  if (!sentence_piece && !pre_tokenizer) {
    return Status{
        ErrorCode::kModelTokenizerUnsupported,
        "The model splits text in a way the engine does not know (" + quoted(spec.pre_tokenizer) +
            "); choose a model of the Qwen, Llama, DeepSeek, Mistral, StarCoder or Granite families."};
  }
  TRY_VALUE(auto vocabulary, Vocabulary::make(spec));
  TRY_VALUE(auto normaliser, TextNormaliser::make(spec.charsmap, spec.removes_extra_spaces));
  // T5's texts begin with no mark; the others' do where the file does not say otherwise.
  const bool adds_bos =
      pre_tokenizer ? pre_tokenizer->adds_bos_by_default : spec.model == TokenizerModel::kSentencePiece;

  std::unique_ptr<Impl> impl(
      new Impl{.vocabulary = std::move(vocabulary),
               .pre_tokenizer_name = std::string(spec.pre_tokenizer),
               .pre_tokenizer = pre_tokenizer,
               .normaliser = std::move(normaliser),
               .bos = spec.bos,
               .eos = spec.eos,
               .adds_bos = spec.adds_bos.value_or(adds_bos),
               .adds_space_prefix = sentence_piece && spec.adds_space_prefix.value_or(true),
               .ends = spec.other_ends,
               .fim = spec.fim});
  const Vocabulary& tokens = impl->vocabulary;
  const auto out_of_range = [&](TokenId id) { return id != kNoToken && id >= tokens.size(); };
  const TokenId named[] = {impl->bos,        impl->eos,           impl->fim.prefix,     impl->fim.suffix,
                           impl->fim.middle, impl->fim.separator, impl->fim.repository, spec.unknown};
  if (std::any_of(std::begin(named), std::end(named), out_of_range) ||
      std::any_of(impl->ends.begin(), impl->ends.end(), out_of_range)) {
    return Status{ErrorCode::kModelMetadataInvalid,
                  "The model names a special token that its vocabulary lacks; convert the model again or "
                  "download it anew."};
  }
  if (impl->bos == kNoToken) impl->adds_bos = false;
  impl->fim = find_fim_tokens(tokens, spec.pre_tokenizer, spec.fim);

  // Beside the merges, since somebody may be waiting for a first completion.
  Beside<TokensByBytes> sorting = begin_beside([&tokens] { return TokensByBytes(tokens); });
  const auto make_encoder = [&]() -> Status {
    if (spec.model == TokenizerModel::kUnigram) {
      TRY_VALUE(auto unigram, UnigramEncoder::make(tokens, spec.scores, spec.unknown));
      impl->unigram_encoder.emplace(std::move(unigram));
    } else if (sentence_piece) {
      TRY_VALUE(auto scored, ScoredPairEncoder::make(tokens, spec.scores, spec.unknown));
      impl->scored_encoder.emplace(std::move(scored));
    } else {
      TRY_VALUE(auto pairs, BytePairEncoder::make(tokens, spec.merges, pre_tokenizer->ignores_merges));
      impl->encoder.emplace(std::move(pairs));
    }
    return {};
  };
  const Status made = make_encoder();
  impl->by_bytes.emplace(sorting.get());
  TRY(made);

  if (impl->eos != kNoToken) impl->ends.push_back(impl->eos);
  for (TokenId id = 0; id < tokens.size(); ++id) {
    const bool control = tokens.kind(id) == TokenKind::kControl;
    const bool user_defined = tokens.kind(id) == TokenKind::kUserDefined;
    if (control && is_end_name(tokens.bytes(id))) impl->ends.push_back(id);
    if (user_defined) impl->user_defined.add(tokens.bytes(id), id);
    if (control || user_defined) impl->user_defined_and_control.add(tokens.bytes(id), id);
  }
  std::sort(impl->ends.begin(), impl->ends.end());
  impl->user_defined.seal();
  impl->user_defined_and_control.seal();
  return std::unique_ptr<Tokenizer>(new Tokenizer(std::move(impl)));
}

std::uint32_t Tokenizer::vocabulary_size() const {
  return impl_->vocabulary.size();
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, bool parse_special,
                                       const std::atomic<bool>* cancel) const {
  const SpecialTokenFinder& finder = parse_special ? impl_->user_defined_and_control : impl_->user_defined;
  std::vector<TokenId> out;
  out.reserve(text.size() / 3);
  Impl::Scratch scratch;
  for (std::size_t position = 0; position < text.size();) {
    const SpecialTokenMatch match = finder.find(text, position);
    impl_->encode_plain(text.substr(position, match.position - position), cancel, scratch, out);
    if (match.id != kNoToken) out.push_back(match.id);
    position = match.position + match.length;
  }
  return out;
}

std::string_view Tokenizer::bytes(TokenId id) const {
  return id < vocabulary_size() ? impl_->vocabulary.bytes(id) : std::string_view();
}

TokenKind Tokenizer::kind(TokenId id) const {
  return id < vocabulary_size() ? impl_->vocabulary.kind(id) : TokenKind::kUnused;
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const {
  std::string out;
  for (const TokenId id : ids) out.append(bytes(id));
  return out;
}

TokenId Tokenizer::bos() const {
  return impl_->bos;
}
TokenId Tokenizer::eos() const {
  return impl_->eos;
}
bool Tokenizer::adds_bos() const {
  return impl_->adds_bos;
}

bool Tokenizer::adds_space_prefix() const {
  return impl_->adds_space_prefix;
}

bool Tokenizer::ends_generation(TokenId id) const {
  return std::binary_search(impl_->ends.begin(), impl_->ends.end(), id);
}

const FimTokens& Tokenizer::fim() const {
  return impl_->fim;
}

std::span<const TokenId> Tokenizer::sorted_by_bytes() const {
  return impl_->by_bytes->all();
}

std::span<const TokenId> Tokenizer::tokens_starting_with(std::string_view prefix) const {
  return impl_->by_bytes->starting_with(prefix);
}

TokenId Tokenizer::token_of_bytes(std::string_view bytes) const {
  return impl_->by_bytes->find(bytes);
}

const std::string& Tokenizer::pre_tokenizer_name() const {
  return impl_->pre_tokenizer_name;
}

}  // namespace emberline
