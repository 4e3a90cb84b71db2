#include "model/hyperparameters.h"

#include <cmath>
#include <optional>
#include <string>

#include "gguf/describe.h"
#include "gguf/gguf_file.h"

namespace emberline {

namespace {

// Reads the family's keys ("llama.block_count") and keeps the first error, so that the reader below is a
// plain list.
class FamilyMetadata {
 public:
  FamilyMetadata(const GgufFile& file, std::string family) : file_(file), family_(std::move(family)) {}

  const Status& status() const { return status_; }
  std::string key(const char* name) const { return family_ + "." + name; }
  bool has(const char* name) const { return file_.find(key(name)) != nullptr; }

  void fail(ErrorCode code, std::string message) {
    if (status_.ok()) status_ = Status(code, std::move(message));
  }

  std::uint32_t required_uint(const char* name, std::uint32_t low, std::uint32_t high) {
    if (!has(name)) {
      fail(ErrorCode::kModelMetadataMissing,
           "The model file lacks the metadata key " + key(name) + "; get another file.");
      return low;
    }
    return uint_or(name, low, low, high);
  }

  std::uint32_t uint_or(const char* name, std::uint32_t fallback, std::uint32_t low, std::uint32_t high) {
    if (!has(name)) return fallback;
    const std::optional<std::uint64_t> value = file_.get_uint(key(name));
    if (!value || *value < low || *value > high) {
      fail(ErrorCode::kModelMetadataInvalid, "The metadata key " + key(name) +
                                                 " must be a whole number from " + std::to_string(low) +
                                                 " to " + std::to_string(high) + "; get another model file.");
      return low;
    }
    return static_cast<std::uint32_t>(*value);
  }

  // Values outside [low, high], NaN included, are errors.
  float float_or(const char* name, double fallback, double low, double high) {
    if (!has(name)) return static_cast<float>(fallback);
    const std::optional<double> value = file_.get_float(key(name));
    if (!value || !(*value >= low && *value <= high)) {
      invalid(name);
      return static_cast<float>(fallback);
    }
    return static_cast<float>(*value);
  }
  void invalid(const char* name) {
    fail(ErrorCode::kModelMetadataInvalid,
         "The metadata key " + key(name) + " is out of range; get another model file.");
  }

  float required_float(const char* name, double low, double high) {
    if (!has(name)) {
      fail(ErrorCode::kModelMetadataMissing,
           "The model file lacks the metadata key " + key(name) + "; get another file.");
    }
    return float_or(name, low, low, high);
  }

  void unsupported(const std::string& what) {
    fail(ErrorCode::kModelArchitectureUnsupported,
         "The model uses " + what + ", which Emberline does not run yet; choose another model.");
  }

 private:
  const GgufFile& file_;
  std::string family_;
  Status status_;
};

// Variants of the family that share its name but not its arithmetic.
void refuse_variants(FamilyMetadata& metadata, const Hyperparameters& h) {
  if (metadata.uint_or("attention.value_length", h.head_width, 1, 1u << 16) != h.head_width) {
    metadata.unsupported("values of another width than keys");
  }
}

constexpr std::uint32_t kMostExperts = 1024;

// What other families do with experts. An absent key means what these files are without it.
void refuse_expert_variants(const GgufFile& file, FamilyMetadata& metadata, bool normed) {
  constexpr std::uint32_t kSoftmax = 1;
  if (metadata.uint_or("expert_gating_func", kSoftmax, 0, 1u << 16) != kSoftmax)
    metadata.unsupported("experts that are not chosen by a softmax");
  if (metadata.uint_or("expert_group_count", 1, 0, kMostExperts) > 1)
    metadata.unsupported("experts in groups");
  if (metadata.uint_or("leading_dense_block_count", 0, 0, 1024) > 0 ||
      metadata.uint_or("interleave_moe_layer_step", 1, 0, 1024) > 1)
    metadata.unsupported("experts in some layers and none in others");
  if (file.get_bool(metadata.key("expert_weights_norm")).value_or(normed) != normed)
    metadata.unsupported("weights of experts that its family does not use");
}

// Behind the feed-forward width.
void read_experts(const GgufFile& file, FamilyMetadata& metadata, Hyperparameters& h) {
  const ExpertUse use = h.architecture->experts;
  Experts& experts = h.experts;
  experts.count = use == ExpertUse::kAlways ? metadata.required_uint("expert_count", 1, kMostExperts)
                                            : metadata.uint_or("expert_count", 0, 0, 1u << 16);
  if (experts.count == 0) return;
  if (use == ExpertUse::kNone || experts.count > kMostExperts)
    return metadata.unsupported("a mixture of experts");
  experts.used = metadata.required_uint("expert_used_count", 1, experts.count);
  experts.hidden = metadata.uint_or("expert_feed_forward_length", h.hidden, 1, 1u << 18);
  const std::uint32_t shared = metadata.uint_or("expert_shared_feed_forward_length", 0, 0, 1u << 18);
  experts.shared = shared > 0;
  h.hidden = experts.shared ? shared : experts.hidden;
  experts.scale = metadata.float_or("expert_weights_scale", 1.0, 0.0, 1e6);
  if (experts.scale == 0.0f) experts.scale = 1.0f;  // how some files say that nothing is scaled
  if (h.width % 16 != 0 || experts.hidden % 16 != 0)
    metadata.unsupported("experts whose width is no multiple of 16");
  refuse_expert_variants(file, metadata, h.architecture->expert_weighting == kSoftmaxOfChosen);
}

// Behind the context, whose part beyond the first length has factors of its own.
void read_long_rope(FamilyMetadata& metadata, Hyperparameters& h) {
  RopeScaling& scaling = h.rope_scaling;
  scaling.kind = RopeScalingKind::kLongRope;
  scaling.original_context =
      metadata.uint_or("rope.scaling.original_context_length", h.context_length, 16, 1u << 24);
  const double told = long_rope_attention_factor(h.context_length, scaling.original_context);
  scaling.attention_factor = metadata.float_or("rope.scaling.attn_factor", told, 1e-3, 1e3);
  // As of YaRN: the scores are multiplied here.
  if (h.rotary_width != h.head_width) metadata.unsupported("rope scaling longrope of a part of each head");
}

// A file that gives a factor and no kind means linear, one that lists factors for long contexts LongRoPE;
// `rope.scale_linear` is the older name of its factor.
void read_rope_scaling(const GgufFile& file, FamilyMetadata& metadata, Hyperparameters& h) {
  RopeScaling& scaling = h.rope_scaling;
  const double older = metadata.float_or("rope.scale_linear", 1.0, 0.0, 1e6);
  scaling.factor = metadata.float_or("rope.scaling.factor", older, 0.0, 1e6);
  if (scaling.factor == 0.0f) scaling.factor = 1.0f;  // how some files say that nothing is scaled
  const bool lists_long = file.tensor(kLongRopeFactors) != nullptr;
  std::string type = lists_long ? "longrope" : "linear";
  if (metadata.has("rope.scaling.type"))
    type = file.get_string(metadata.key("rope.scaling.type")).value_or("of an unknown type");
  if (type == "none" || (type == "linear" && scaling.factor == 1.0f)) return;
  if (type == "linear") {
    scaling.kind = RopeScalingKind::kLinear;
    return;
  }
  if (type == "longrope") return read_long_rope(metadata, h);
  if (type != "yarn") return metadata.unsupported("rope scaling " + quoted(type));
  scaling.kind = RopeScalingKind::kYarn;
  scaling.original_context =
      metadata.uint_or("rope.scaling.original_context_length", h.context_length, 16, 1u << 24);
  scaling.fast_turns = metadata.float_or("rope.scaling.yarn_beta_fast", 32.0, 1e-3, 1e6);
  scaling.slow_turns = metadata.float_or("rope.scaling.yarn_beta_slow", 1.0, 1e-3, 1e6);
  scaling.attention_factor = metadata.float_or("rope.scaling.attn_factor", 1.0, 1e-3, 1e3);
  if (metadata.float_or("rope.scaling.yarn_ext_factor", 1.0, -1e6, 1e6) != 1.0f ||
      metadata.float_or("rope.scaling.yarn_log_multiplier", 0.0, -1e6, 1e6) != 0.0f) {
    metadata.unsupported("a variant of rope scaling yarn");
  }
  // The temperature is the scores' here, which is the same only where all of a head is rotated.
  if (h.rotary_width != h.head_width) metadata.unsupported("rope scaling yarn of a part of each head");
  if (h.rope_theta <= 1.0f) metadata.unsupported("rope scaling yarn of a base of 1");
}

// Absent or zero: as if there were none.
void read_multipliers(const GgufFile& file, FamilyMetadata& metadata, Hyperparameters& h) {
  Multipliers& multipliers = h.multipliers;
  const struct {
    const char* key;
    float& value;
  } plan[] = {{"embedding_scale", multipliers.embedding},
              {"residual_scale", multipliers.residual},
              {"attention.scale", multipliers.attention},
              {"logit_scale", multipliers.logit_divisor}};
  for (const auto& [key, value] : plan) {
    const float given = metadata.float_or(key, 0.0, 0.0, 1e6);
    if (given == 0.0f || given == value) continue;
    if (!h.architecture->has_multipliers) return metadata.unsupported(std::string("a multiplier, ") + key);
    if (given < 1e-6f) return metadata.invalid(key);
    value = given;
  }
  if (h.architecture->has_multipliers &&
      !file.get_bool(metadata.key("rope.scaling.finetuned")).value_or(true)) {
    metadata.unsupported("no positions");  // how granite's files say it
  }
}

// `attention.sliding_window_pattern`: how many layers there are to one that sees everything, or for each
// layer whether it is local. The latter counts where it says the same.
void read_window_pattern(const GgufFile& file, FamilyMetadata& metadata, Hyperparameters& h) {
  constexpr const char* kKey = "attention.sliding_window_pattern";
  const GgufArray* list = file.get_array(metadata.key(kKey));
  if (list == nullptr) {
    h.global_every = metadata.uint_or(kKey, h.architecture->local.global_every, 0, 1024);
    if (h.global_every == 1) h.window = 0;  // every layer sees everything
    return;
  }
  bool same = list->element_type == GgufType::kBool && list->count >= h.layers;
  for (std::uint32_t layer = 0; same && layer < h.layers; ++layer)
    same = (list->bytes[layer] != 0) == (h.positions(layer).window != 0);
  if (!same) metadata.unsupported("sliding windows in layers of its own choice");
}

void read_window(const GgufFile& file, FamilyMetadata& metadata, Hyperparameters& h) {
  const LocalLayers& local = h.architecture->local;
  h.window = metadata.uint_or("attention.sliding_window", local.window, 0, 1u << 31);
  h.global_every = local.global_every;
  if (h.window == 0) return;
  read_window_pattern(file, metadata, h);
  if (h.window == 0) return;
  h.local_rope_theta = metadata.float_or("rope.freq_base_swa",
                                         local.rope_theta != 0 ? local.rope_theta : h.rope_theta, 1.0, 1e12);
  // Files of other families leave open whether local layers are scaled: olmo3, under the name of olmo2.
  const bool known = local.rope_theta != 0 && h.rope_scaling.kind == RopeScalingKind::kLinear;
  // Phi 3's with a long context have a window that is longer still.
  if (h.rope_scaling.kind != RopeScalingKind::kNone && !known && h.window < h.context_length)
    metadata.unsupported("a sliding window and scaled positions");
}

void read_soft_caps(FamilyMetadata& metadata, Hyperparameters& h) {
  h.score_cap = metadata.float_or("attn_logit_softcapping", h.architecture->score_cap, 0.0, 1e6);
  h.logit_cap = metadata.float_or("final_logit_softcapping", h.architecture->logit_cap, 0.0, 1e6);
}

// Of more, the sampler's masses could not be added up (sampling/softmax_mass.h).
constexpr std::uint32_t kMostTokens = 1u << 20;

// The vocabulary is the height of the embedding: the metadata key is optional and the tokenizer's list may be
// shorter.
void read_vocabulary(const GgufFile& file, FamilyMetadata& metadata, Hyperparameters& h) {
  const GgufTensor* embedding = file.tensor("token_embd.weight");
  if (embedding == nullptr) {
    metadata.fail(ErrorCode::kModelTensorMissing,
                  "The model file lacks the tensor token_embd.weight; get another file.");
    return;
  }
  if (embedding->shape[1] < 1 || embedding->shape[1] > kMostTokens) {
    metadata.fail(ErrorCode::kModelTensorShape,
                  "The tensor token_embd.weight has an unusable shape; get another file.");
    return;
  }
  h.vocabulary = static_cast<std::uint32_t>(embedding->shape[1]);
  if (metadata.uint_or("vocab_size", h.vocabulary, 1, kMostTokens) != h.vocabulary) {
    metadata.fail(ErrorCode::kModelMetadataInvalid,
                  "The metadata key " + metadata.key("vocab_size") +
                      " disagrees with token_embd.weight; get another model file.");
  }
}

}  // namespace

LayerPositions Hyperparameters::positions(std::uint32_t layer) const {
  const auto is_last_of = [layer](std::uint32_t every) { return every != 0 && layer % every == every - 1; };
  LayerPositions positions{.rope_theta = rope_theta};
  positions.rotated = !is_last_of(architecture->unrotated_every);
  if (window == 0 || is_last_of(global_every)) return positions;
  positions.window = window;
  positions.rope_theta = local_rope_theta;
  positions.scaled = architecture->local.rope_theta == 0;
  return positions;
}

float Hyperparameters::score_scale() const {
  if (multipliers.attention != 0.0f) return multipliers.attention;
  const bool by_width = architecture->layers_scaled_by_width == layers;
  return 1.0f / std::sqrt(static_cast<float>(by_width ? width / query_heads : head_width));
}

Result<Hyperparameters> read_hyperparameters(const GgufFile& file) {
  const std::optional<std::string_view> name = file.get_string("general.architecture");
  if (!name) {
    return Status(ErrorCode::kModelMetadataMissing,
                  "The model file lacks the metadata key general.architecture; get another file.");
  }
  Hyperparameters h;
  h.architecture = find_architecture(*name);
  if (h.architecture == nullptr) {
    return Status(ErrorCode::kModelArchitectureUnsupported,
                  "The model's architecture '" + std::string(name->substr(0, 64)) +
                      "' is not one Emberline runs (" + supported_architectures() +
                      "); choose another model.");
  }

  h.rope_style =
      file.get_string("emberline.rope.pairs") == "halves" ? RopeStyle::kHalves : h.architecture->rope_style;
  FamilyMetadata metadata(file, std::string(*name));
  h.layers = metadata.required_uint("block_count", 1, 1024);
  h.width = metadata.required_uint("embedding_length", 2, 1u << 16);
  h.hidden = metadata.required_uint("feed_forward_length", 1, 1u << 18);
  h.context_length = metadata.required_uint("context_length", 16, 1u << 24);
  h.query_heads = metadata.required_uint("attention.head_count", 1, 1024);
  h.kv_heads = metadata.uint_or("attention.head_count_kv", h.query_heads, 1, 1024);
  h.norm_epsilon =
      metadata.required_float(h.architecture->norm_kind == NormKind::kRms ? "attention.layer_norm_rms_epsilon"
                                                                          : "attention.layer_norm_epsilon",
                              1e-12, 0.1);
  h.rope_theta = metadata.float_or("rope.freq_base", 10000.0, 1.0, 1e12);
  if (!metadata.status().ok()) return metadata.status();

  if (h.query_heads % h.kv_heads != 0) {
    return Status(ErrorCode::kModelMetadataInvalid,
                  "The metadata key " + metadata.key("attention.head_count_kv") +
                      " must divide the number of heads; get another model file.");
  }
  if (!metadata.has("attention.key_length") && h.width % h.query_heads != 0) {
    return Status(ErrorCode::kModelMetadataInvalid,
                  "The metadata key " + metadata.key("attention.head_count") +
                      " must divide the model's width; get another model file.");
  }
  h.head_width = metadata.uint_or("attention.key_length", h.width / h.query_heads, 2, 1024);
  h.rotary_width = metadata.uint_or("rope.dimension_count", h.head_width, 2, 1024);
  if (metadata.status().ok() && (h.head_width < 2 || h.head_width % 2 != 0 || h.rotary_width % 2 != 0 ||
                                 h.rotary_width > h.head_width)) {
    metadata.fail(ErrorCode::kModelMetadataInvalid,
                  "The model's head width and rotary width must be even, the latter no larger; get another "
                  "model file.");
  }
  refuse_variants(metadata, h);
  read_experts(file, metadata, h);
  read_rope_scaling(file, metadata, h);
  read_window(file, metadata, h);
  read_soft_caps(metadata, h);
  if (h.architecture->wide_stream) h.multipliers.embedding = std::sqrt(static_cast<float>(h.width));
  read_multipliers(file, metadata, h);
  read_vocabulary(file, metadata, h);
  if (!metadata.status().ok()) return metadata.status();
  return h;
}

}  // namespace emberline
