#include "safetensors/tokenizer_metadata.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/try.h"
#include "gguf/describe.h"
#include "safetensors/model_json.h"
#include "safetensors/split_names.h"

namespace emberline {
namespace {

using grammar::Json;

constexpr std::uint64_t kMostTokens = 1u << 20;  // as hyperparameters.cpp
// Of `tokenizer.ggml.token_type`.
enum Type : std::int32_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6
};

constexpr std::string_view kSpace = "\u2581";

Status invalid(const std::string& what) {
  return {ErrorCode::kModelMetadataInvalid, "The model's tokenizer.json " + what + "; download it again."};
}

std::string_view type_of(const Json* value) {
  return value == nullptr ? std::string_view() : text(value->find("type")).value_or("");
}

// The steps of a normalizer, a pre-tokenizer or a post-processor: those of a Sequence, or the one.
std::vector<const Json*> steps_of(const Json* value, const char* key) {
  if (object(value) == nullptr) return {};
  if (type_of(value) != "Sequence") return {value};
  std::vector<const Json*> steps;
  if (const Json* inner = array(value->find(key))) {
    for (const Json& step : inner->items) steps.push_back(&step);
  }
  return steps;
}

class TokenizerReader {
 public:
  TokenizerReader(const Json& tokenizer, const Json& settings, const FolderConfig& config, GgufTerms& terms)
      : root_(tokenizer), settings_(settings), config_(config), terms_(terms) {}

  Status read() {
    model_ = object(root_.find("model"));
    if (model_ == nullptr) return invalid("has no \"model\"");
    const std::string_view type = type_of(model_);
    const Json* const splits = root_.find("pre_tokenizer");
    const bool byte_level = spells_bytes(splits);
    std::string kind(type.empty() ? "BPE" : type);
    if (kind == "BPE") kind = byte_level ? byte_level_kind() : sentence_piece_kind();
    terms_.add_text("tokenizer.ggml.model", kind);
    if (kind != "gpt2" && kind != "llama") {
      terms_.add_texts("tokenizer.ggml.tokens", {});
      return {};
    }
    TRY(tokens(kind == "llama"));
    TRY(merges());
    if (kind == "gpt2") {
      terms_.add_text("tokenizer.ggml.pre",
                      split_name(splits, boolean(model_->find("ignore_merges")).value_or(false)));
      terms_.add_texts("tokenizer.ggml.merges", std::move(merges_));
    } else {
      terms_.add_bool("tokenizer.ggml.add_space_prefix", adds_space_);
      terms_.add_floats("tokenizer.ggml.scores", scores());
    }
    special_ids();
    terms_.add_texts("tokenizer.ggml.tokens", std::move(tokens_));
    terms_.add_ints("tokenizer.ggml.token_type", types_);
    return {};
  }

 private:
  // "gpt2", or what it is instead.
  std::string byte_level_kind() const {
    for (const Json* step : steps_of(root_.find("normalizer"), "normalizers")) {
      // As docs/tokenizers.md says, text is taken as it stands.
      if (type_of(step) != "NFC") return "BPE with the normalizer " + std::string(type_of(step));
    }
    for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (!text(model_->find(affix)).value_or("").empty()) return std::string("BPE with a ") + affix;
    }
    return "gpt2";
  }

  // "llama", or what it is instead. A space becomes the mark that stands for one, and there may be one in
  // front.
  std::string sentence_piece_kind() {
    if (!boolean(model_->find("byte_fallback")).value_or(false)) return "BPE without bytes";
    bool marks = false;
    for (const Json* step : steps_of(root_.find("normalizer"), "normalizers")) {
      const Json* const pattern = step->find("pattern");
      const auto from = pattern != nullptr ? text(pattern->find("String")) : std::nullopt;
      if (type_of(step) == "Prepend" && text(step->find("prepend")) == kSpace) {
        adds_space_ = true;
      } else if (type_of(step) == "Replace" && from == " " && text(step->find("content")) == kSpace) {
        marks = true;
      } else {
        return "BPE with the normalizer " + std::string(type_of(step));
      }
    }
    for (const Json* step : steps_of(root_.find("pre_tokenizer"), "pretokenizers")) {
      const bool metaspace = type_of(step) == "Metaspace";
      // Behind the replacement there is no space left to split at.
      if (!metaspace && !(marks && type_of(step) == "Split"))
        return "BPE with the pre-tokenizer " + std::string(type_of(step));
      if (!metaspace) continue;
      if (boolean(step->find("split")).value_or(true) || text(step->find("replacement")) != kSpace)
        return "BPE with words of its own";
      marks = true;
      const auto scheme = text(step->find("prepend_scheme"));
      adds_space_ = scheme ? *scheme != "never" : boolean(step->find("add_prefix_space")).value_or(true);
    }
    return marks ? "llama" : "BPE without marks of spaces";
  }

  Status set(std::uint64_t id, const std::string& token, Type type) {
    if (id >= kMostTokens) return invalid("has a token with the id " + std::to_string(id));
    if (id >= tokens_.size()) {
      tokens_.resize(static_cast<std::size_t>(id) + 1);
      types_.resize(tokens_.size(), kUnused);
    }
    tokens_[static_cast<std::size_t>(id)] = token;
    types_[static_cast<std::size_t>(id)] = type;
    return {};
  }

  Status tokens(bool sentence_piece) {
    const Json* const vocabulary = object(model_->find("vocab"));
    if (vocabulary == nullptr) return invalid("has no vocabulary");
    const std::string_view unknown = text(model_->find("unk_token")).value_or("");
    for (std::size_t i = 0; i < vocabulary->keys.size(); ++i) {
      const std::string& token = vocabulary->keys[i];
      const std::optional<std::uint64_t> id = whole_number(&vocabulary->items[i]);
      if (!id) return invalid("has the token " + quoted(token) + " without an id");
      if (*id < types_.size() && types_[*id] != kUnused)
        return invalid("has two tokens with the id " + std::to_string(*id));
      const bool byte =
          sentence_piece && token.size() == 6 && token.starts_with("<0x") && token.ends_with('>');
      const bool nothing = sentence_piece && token == unknown;
      TRY(set(*id, token, byte ? kByte : nothing ? kUnknown : kNormal));
      if (nothing) terms_.add_uint("tokenizer.ggml.unknown_token_id", *id);
    }
    if (const Json* const added = array(root_.find("added_tokens"))) {
      for (const Json& entry : added->items) {
        const std::optional<std::uint64_t> id = whole_number(entry.find("id"));
        const std::optional<std::string_view> content = text(entry.find("content"));
        if (!id || !content) return invalid("has an added token without id or content");
        if (*id < types_.size() && types_[*id] == kUnknown) continue;
        const bool special = boolean(entry.find("special")).value_or(false);
        TRY(set(*id, std::string(*content), special ? kControl : kUserDefined));
      }
    }
    for (std::size_t id = 0; id < tokens_.size(); ++id) ids_.emplace(tokens_[id], id);
    return {};
  }

  Status merges() {
    const Json* const list = array(model_->find("merges"));
    if (list == nullptr) return invalid("has no merges");
    merges_.reserve(list->items.size());
    for (const Json& merge : list->items) {
      if (const auto both = text(&merge)) {
        merges_.emplace_back(*both);
        continue;
      }
      const Json* const pair = array(&merge);
      const bool two = pair != nullptr && pair->items.size() == 2;
      const auto left = two ? text(&pair->items[0]) : std::nullopt;
      const auto right = two ? text(&pair->items[1]) : std::nullopt;
      if (!left || !right) return invalid("has a merge that is not of two tokens");
      merges_.push_back(std::string(*left) + " " + std::string(*right));
    }
    return {};
  }

  // The earlier the merge that makes a token, the higher its score: as SentencePiece lists its pieces.
  std::vector<float> scores() const {
    const float least = -static_cast<float>(merges_.size() + 1);
    std::vector<float> scores(tokens_.size(), least);
    for (std::size_t rank = 0; rank < merges_.size(); ++rank) {
      std::string made = merges_[rank];
      const std::size_t space = made.find(' ', 1);
      if (space == std::string::npos) continue;
      const auto token = ids_.find(made.erase(space, 1));
      if (token == ids_.end()) continue;
      float& score = scores[token->second];
      score = std::max(score, -static_cast<float>(rank));
    }
    return scores;
  }

  std::optional<std::uint64_t> id_of(std::string_view token) const {
    const auto found = ids_.find(std::string(token));
    return found == ids_.end() ? std::nullopt : std::optional<std::uint64_t>(found->second);
  }
  // Of tokenizer_config.json, where a token is its text or an object with it.
  std::optional<std::uint64_t> named(const char* key) const {
    const Json* const token = settings_.find(key);
    auto content = text(token);
    if (!content && object(token) != nullptr) content = text(token->find("content"));
    return content ? id_of(*content) : std::nullopt;
  }

  // Whether a text begins with BOS, by the template of the post-processor; it names the token, too.
  std::optional<std::uint64_t> start_of_template() const {
    for (const Json* step : steps_of(root_.find("post_processor"), "processors")) {
      const Json* const single = array(step->find("single"));
      if (type_of(step) != "TemplateProcessing" || single == nullptr || single->items.empty()) continue;
      const Json* const first = object(single->items[0].find("SpecialToken"));
      const auto name = first != nullptr ? text(first->find("id")) : std::nullopt;
      if (name) return id_of(*name);
    }
    return std::nullopt;
  }

  void special_ids() {
    const auto valid = [&](std::uint64_t id) { return id < tokens_.size(); };
    const std::optional<std::uint64_t> start = start_of_template();
    std::optional<std::uint64_t> bos = start ? start : named("bos_token");
    if (!bos) bos = config_.start_id;
    if (bos && valid(*bos)) terms_.add_uint("tokenizer.ggml.bos_token_id", *bos);
    terms_.add_bool("tokenizer.ggml.add_bos_token",
                    start.has_value() || boolean(settings_.find("add_bos_token")).value_or(false));
    std::vector<std::uint64_t> ends;
    if (const auto end = named("eos_token")) ends.push_back(*end);
    constexpr std::string_view kKeys[] = {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                                          "tokenizer.ggml.eom_token_id"};
    for (const std::uint64_t id : config_.end_ids) {
      if (ends.size() == std::size(kKeys)) break;
      if (valid(id) && std::ranges::find(ends, id) == ends.end()) ends.push_back(id);
    }
    for (std::size_t i = 0; i < ends.size(); ++i) terms_.add_uint(kKeys[i], ends[i]);
  }

  const Json& root_;
  const Json& settings_;
  const FolderConfig& config_;
  GgufTerms& terms_;
  const Json* model_ = nullptr;
  bool adds_space_ = false;
  std::vector<std::string> tokens_, merges_;
  std::vector<std::int32_t> types_;
  std::unordered_map<std::string, std::size_t> ids_;
};

}  // namespace

Status read_tokenizer_json(const Json& tokenizer, const Json& settings, const FolderConfig& config,
                           GgufTerms& terms) {
  return TokenizerReader(tokenizer, settings, config, terms).read();
}

}  // namespace emberline
