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
  if (metadata.uint_or("expert_count", 0, 0, 1u << 16) > 0) metadata.unsupported("a mixture of experts");
  if (metadata.uint_or("attention.value_length", h.head_width, 1, 1u << 16) != h.head_width) {
    metadata.unsupported("values of another width than keys");
  }
}

// A file that gives a factor and no kind means linear; `rope.scale_linear` is the older name of its factor.
void read_rope_scaling(const GgufFile& file, FamilyMetadata& metadata, Hyperparameters& h) {
  RopeScaling& scaling = h.rope_scaling;
  const double older = metadata.float_or("rope.scale_linear", 1.0, 0.0, 1e6);
  scaling.factor = metadata.float_or("rope.scaling.factor", older, 0.0, 1e6);
  if (scaling.factor == 0.0f) scaling.factor = 1.0f;  // how some files say that nothing is scaled
  std::string type = "linear";
  if (metadata.has("rope.scaling.type"))
    type = file.get_string(metadata.key("rope.scaling.type")).value_or("of an unknown type");
  if (type == "none" || (type == "linear" && scaling.factor == 1.0f)) return;
  if (type == "linear") {
    scaling.kind = RopeScalingKind::kLinear;
    return;
  }
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

// In the first `window` tokens attention through a sliding window sees everything: the context ends there.
void stay_in_window(FamilyMetadata& metadata, Hyperparameters& h) {
  const std::uint32_t window = metadata.uint_or("attention.sliding_window", 0, 0, 1u << 31);
  if (window == 0) return;
  // Layers with a window turn at their own speed then: olmo3, under the name of olmo2.
  if (h.rope_scaling.kind != RopeScalingKind::kNone)
    return metadata.unsupported("a sliding window and scaled positions");
  if (window >= h.context_length) return;
  if (window < 16) return metadata.unsupported("sliding-window attention of less than 16 tokens");
  h.context_length = window;
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
  h.norm_epsilon = metadata.required_float("attention.layer_norm_rms_epsilon", 1e-12, 0.1);
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
  read_rope_scaling(file, metadata, h);
  stay_in_window(metadata, h);
  read_multipliers(file, metadata, h);
  read_vocabulary(file, metadata, h);
  if (!metadata.status().ok()) return metadata.status();
  return h;
}

}  // namespace emberline
