#include "safetensors/config_metadata.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "base/try.h"
#include "gguf/describe.h"
#include "safetensors/model_json.h"

namespace emberline {
namespace {

using grammar::Json;

// Whether a family's layers see a window of `sliding_window` positions.
enum class WindowUse : std::uint8_t {
  kNever,    // the key says nothing
  kAlways,   // where there is one
  kOnDemand  // where `use_sliding_window` says so, from layer `max_window_layers` on
};

struct Family {
  std::string_view type;          // `model_type`
  std::string_view architecture;  // GGUF's
  bool pairs_halves;              // where GGUF's files pair neighbours
  bool norms_behind;
  std::uint64_t head_width;  // where none is given; 0: by the number of heads
  WindowUse window = WindowUse::kNever;
};

constexpr Family kFamilies[] = {
    {"llama", "llama", true, false, 0},
    {"mistral", "llama", true, false, 0, WindowUse::kAlways},
    {"qwen2", "qwen2", false, false, 0, WindowUse::kOnDemand},
    {"qwen3", "qwen3", false, false, 128, WindowUse::kOnDemand},
    {"granite", "granite", true, false, 0},
    {"olmo2", "olmo2", false, true, 0},
};

Status unsupported(const std::string& what) {
  return {ErrorCode::kModelArchitectureUnsupported,
          "The model uses " + what +
              ", which Emberline does not run from a folder; choose another model or a "
              "GGUF file of it."};
}

class ConfigReader {
 public:
  ConfigReader(const Json& config, GgufTerms& terms) : config_(config), terms_(terms) {}

  Result<FolderConfig> read() {
    TRY(find_family());
    TRY(refuse_variants());
    result_.architecture = family_->architecture;
    result_.norms_behind = family_->norms_behind;
    result_.tied = boolean(config_.find("tie_word_embeddings")).value_or(false);
    terms_.add_text("general.architecture", family_->architecture);
    if (family_->pairs_halves) terms_.add_text("emberline.rope.pairs", "halves");
    TRY(numbers());
    TRY(positions());
    TRY(window());
    TRY(quantization());
    special_ids();
    return std::move(result_);
  }

 private:
  Status find_family() {
    const std::optional<std::string_view> type = text(config_.find("model_type"));
    if (!type) {
      return {ErrorCode::kModelMetadataMissing,
              "The model's config.json says no \"model_type\"; download it again."};
    }
    std::string names;
    for (const Family& family : kFamilies) {
      if (family.type == *type) family_ = &family;
      names.append(names.empty() ? "" : ", ").append(family.type);
    }
    if (family_ != nullptr) return {};
    return {ErrorCode::kModelArchitectureUnsupported,
            "The model's type " + quoted(*type) + " is not one Emberline runs from a folder (" + names +
                "); choose another model or a GGUF file of it."};
  }

  std::string key(std::string_view name) const {
    return std::string(family_->architecture).append(".").append(name);
  }

  Status refuse_variants() const {
    for (const char* name : {"hidden_act", "hidden_activation"}) {
      const std::optional<std::string_view> activation = text(config_.find(name));
      if (activation && *activation != "silu" && *activation != "swish")
        return unsupported("the activation " + quoted(*activation));
    }
    for (const char* name : {"num_local_experts", "num_experts"}) {
      if (whole_number(config_.find(name)).value_or(0) > 0) return unsupported("a mixture of experts");
    }
    if (real_number(config_.find("clip_qkv"))) return unsupported("clipped queries, keys and values");
    if (const Json* given = object(config_.find("quantization_config"))) {
      if (const auto method = text(given->find("quant_method")))
        return unsupported("the quantisation " + quoted(*method));
    }
    return {};
  }

  // Of a number that has to be there: `fallback` 0.
  Status number(const char* theirs, const char* ours, std::uint64_t fallback = 0) {
    const Json* const given = config_.find(theirs);
    const bool absent = given == nullptr || given->is(grammar::JsonKind::kNull);
    const std::optional<std::uint64_t> value = whole_number(given);
    if (!absent && !value) return invalid(theirs);
    if (absent && fallback == 0) {
      return {ErrorCode::kModelMetadataMissing,
              std::string("The model's config.json lacks \"") + theirs + "\"; download it again."};
    }
    terms_.add_uint(key(ours), absent ? fallback : *value);
    return {};
  }

  static Status invalid(const char* name) {
    return {ErrorCode::kModelMetadataInvalid, std::string("\"") + name +
                                                  "\" of the model's config.json is not the number it "
                                                  "should be; download it again."};
  }

  Status numbers() {
    const std::uint64_t heads = whole_number(config_.find("num_attention_heads")).value_or(0);
    const std::uint64_t width = whole_number(config_.find("hidden_size")).value_or(0);
    TRY(number("num_hidden_layers", "block_count"));
    TRY(number("hidden_size", "embedding_length"));
    TRY(number("intermediate_size", "feed_forward_length"));
    TRY(number("max_position_embeddings", "context_length"));
    TRY(number("num_attention_heads", "attention.head_count"));
    TRY(number("num_key_value_heads", "attention.head_count_kv", heads));
    head_width_ = family_->head_width != 0 ? family_->head_width : heads != 0 ? width / heads : 0;
    if (const auto given = whole_number(config_.find("head_dim"))) head_width_ = *given;
    terms_.add_uint(key("attention.key_length"), head_width_);
    terms_.add_uint(key("attention.value_length"), head_width_);
    const std::optional<double> epsilon = real_number(config_.find("rms_norm_eps"));
    if (!epsilon) return invalid("rms_norm_eps");
    terms_.add_float(key("attention.layer_norm_rms_epsilon"), *epsilon);
    const struct {
      const char *theirs, *ours;
    } kMultipliers[] = {{"embedding_multiplier", "embedding_scale"},
                        {"residual_multiplier", "residual_scale"},
                        {"attention_multiplier", "attention.scale"},
                        {"logits_scaling", "logit_scale"}};
    for (const auto& [theirs, ours] : kMultipliers) {
      if (const auto value = real_number(config_.find(theirs))) terms_.add_float(key(ours), *value);
    }
    return {};
  }

  // `rope_theta` and `rope_scaling`, or `rope_parameters`, which holds both.
  Status positions() {
    const Json* parameters = object(config_.find("rope_parameters"));
    const Json* theta = parameters != nullptr ? parameters->find("rope_theta") : nullptr;
    if (theta == nullptr) theta = config_.find("rope_theta");
    rope_theta_ = real_number(theta).value_or(10000.0);
    terms_.add_float(key("rope.freq_base"), rope_theta_);
    const double rotated = real_number(config_.find("partial_rotary_factor")).value_or(1.0);
    if (rotated != 1.0) return unsupported("positions of a part of each head");
    if (parameters == nullptr) parameters = object(config_.find("rope_scaling"));
    if (parameters == nullptr) return {};
    const Json* kind = parameters->find("rope_type");
    if (kind == nullptr) kind = parameters->find("type");
    const std::string_view type = text(kind).value_or("default");
    if (type == "default") return {};
    const double factor = real_number(parameters->find("factor")).value_or(0.0);
    if (!(factor >= 1.0 && factor <= 1e6)) return invalid("rope_scaling");
    if (type == "llama3") return listed_factors(*parameters, factor);
    if (type != "linear" && type != "yarn") return unsupported("rope scaling " + quoted(type));
    terms_.add_text(key("rope.scaling.type"), type);
    terms_.add_float(key("rope.scaling.factor"), factor);
    if (type == "linear") return {};
    for (const char* name : {"attention_factor", "mscale", "mscale_all_dim"}) {
      if (real_number(parameters->find(name))) return unsupported("a variant of rope scaling yarn");
    }
    const struct {
      const char *theirs, *ours;
    } kNumbers[] = {{"beta_fast", "rope.scaling.yarn_beta_fast"},
                    {"beta_slow", "rope.scaling.yarn_beta_slow"}};
    for (const auto& [theirs, ours] : kNumbers) {
      if (const auto value = real_number(parameters->find(theirs))) terms_.add_float(key(ours), *value);
    }
    if (const auto original = whole_number(parameters->find("original_max_position_embeddings")))
      terms_.add_uint(key("rope.scaling.original_context_length"), *original);
    return {};
  }

  // Llama 3.1's scaling: slow turns are divided by the factor, fast ones stay, those between are in between.
  // Dubey et al. 2024; the formula is that of Hugging Face's configuration `llama3`.
  Status listed_factors(const Json& parameters, double factor) {
    const auto low = real_number(parameters.find("low_freq_factor")),
               high = real_number(parameters.find("high_freq_factor")),
               original = real_number(parameters.find("original_max_position_embeddings"));
    if (!low || !high || !original || !(*low > 0.0) || !(*high > *low) || !(*original >= 1.0) ||
        head_width_ < 2 || head_width_ > 1024) {
      return invalid("rope_scaling");
    }
    for (std::uint64_t i = 0; i < head_width_ / 2; ++i) {
      const double turns =
          std::pow(rope_theta_, -2.0 * static_cast<double>(i) / static_cast<double>(head_width_)) *
          *original / (2.0 * std::numbers::pi);  // in the original context
      double scaled = 1.0;
      if (turns < *low) {
        scaled = factor;
      } else if (turns < *high) {
        const double share = (turns - *low) / (*high - *low);
        scaled = 1.0 / ((1.0 - share) / factor + share);
      }
      result_.rope_factors.push_back(static_cast<float>(scaled));
    }
    return {};
  }

  Status window() {
    const std::uint64_t width = whole_number(config_.find("sliding_window")).value_or(0);
    if (width == 0 || family_->window == WindowUse::kNever) return {};
    if (family_->window == WindowUse::kOnDemand) {
      constexpr std::uint64_t kFirstLocal = 28;  // Hugging Face's default
      if (!boolean(config_.find("use_sliding_window")).value_or(false)) return {};
      const std::uint64_t layers = whole_number(config_.find("num_hidden_layers")).value_or(0);
      const std::uint64_t first = whole_number(config_.find("max_window_layers")).value_or(kFirstLocal);
      if (first >= layers) return {};
      if (first > 0) return unsupported("a sliding window in some layers and none in others");
    }
    terms_.add_uint(key("attention.sliding_window"), width);
    return {};
  }

  static Result<MlxGroups> groups(const Json& given, const MlxGroups& fallback) {
    const std::uint64_t bits = whole_number(given.find("bits")).value_or(fallback.bits),
                        width = whole_number(given.find("group_size")).value_or(fallback.width);
    const std::optional<std::string_view> mode = text(given.find("mode"));
    if (mode && *mode != "affine") return unsupported("MLX's quantisation " + quoted(*mode));
    if ((bits != 4 && bits != 6 && bits != 8) || (width != 32 && width != 64 && width != 128)) {
      return unsupported("MLX's quantisation to " + std::to_string(bits) + " bits in groups of " +
                         std::to_string(width));
    }
    return MlxGroups{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(width)};
  }

  Status quantization() {
    const Json* const given = object(config_.find("quantization"));
    if (given == nullptr) return {};
    TRY_VALUE(const MlxGroups all, groups(*given, {}));
    result_.quantization = all;
    for (std::size_t i = 0; i < given->keys.size(); ++i) {
      if (!given->items[i].is(grammar::JsonKind::kObject)) continue;
      TRY_VALUE(const MlxGroups part, groups(given->items[i], all));
      result_.quantized_parts.emplace(given->keys[i], part);
    }
    return {};
  }

  void special_ids() {
    result_.start_id = whole_number(config_.find("bos_token_id"));
    const Json* const ends = config_.find("eos_token_id");
    if (const auto one = whole_number(ends)) result_.end_ids.push_back(*one);
    if (const Json* several = array(ends)) {
      for (const Json& end : several->items) {
        if (const auto id = whole_number(&end)) result_.end_ids.push_back(*id);
      }
    }
  }

  const Json& config_;
  GgufTerms& terms_;
  const Family* family_ = nullptr;
  FolderConfig result_;
  std::uint64_t head_width_ = 0;
  double rope_theta_ = 0;
};

}  // namespace

Result<FolderConfig> read_config(const Json& config, GgufTerms& terms) {
  return ConfigReader(config, terms).read();
}

}  // namespace emberline
