#include "toy_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "base/half.h"
#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

// Words that are tokens; every prefix of one is a token too, made by a merge with its last byte.
const std::vector<std::string> kWords = {"return",
                                         "print",
                                         "\n    ",
                                         "    ",
                                         " = ",
                                         "foo(",
                                         ");\n",
                                         " \n",
                                         "\r\n",
                                         "\t\t",
                                         "\xC3\xA9t\xC3\xA9",
                                         "\xE2\x82\xAC"};

// GPT-2's byte alphabet: printable Latin-1 stands for itself, the other bytes for the code points from 256
// on.
std::string spell(const std::string& bytes) {
  const auto printable = [](int b) { return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174; };
  std::string text;
  for (const char c : bytes) {
    const int byte = static_cast<unsigned char>(c);
    int code = byte;
    if (!printable(byte)) {
      code = 256;
      for (int other = 0; other < byte; ++other) code += printable(other) ? 0 : 1;
    }
    if (code < 128) {
      text += static_cast<char>(code);
    } else {
      text += static_cast<char>(0xC0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  return text;
}

// Box and Muller; std::normal_distribution differs between standard libraries.
float draw_normal(std::mt19937_64& engine) {
  const double u = (static_cast<double>(engine()) + 1.0) / 18446744073709551616.0;
  const double v = static_cast<double>(engine()) / 18446744073709551616.0;
  return static_cast<float>(std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v));
}

// The normal numbers that a seed begins with. They are kept: most toys have the same seed, and on an emulated
// processor more than half of their tests' time would go into drawing them again.
class NormalSequence {
 public:
  static NormalSequence& of_seed(std::uint64_t seed) {
    thread_local std::map<std::uint64_t, NormalSequence> sequences;
    return sequences.try_emplace(seed, seed).first->second;
  }

  explicit NormalSequence(std::uint64_t seed) : engine_(seed) {}

  float at(std::size_t index) {
    while (drawn_.size() <= index) drawn_.push_back(draw_normal(engine_));
    return drawn_[index];
  }

 private:
  std::mt19937_64 engine_;
  std::vector<float> drawn_;
};

class RandomTensors {
 public:
  explicit RandomTensors(std::uint64_t seed) : engine_(seed), beginning_(&NormalSequence::of_seed(seed)) {}

  // Values with a standard deviation of about `scale`, in the layout of `type`. `count` is a multiple of the
  // block.
  std::vector<std::uint8_t> values(TensorType type, std::size_t count, float scale) {
    const TensorTypeTraits& layout = traits(type);
    std::vector<std::uint8_t> data;
    data.reserve(count / layout.block_elements * layout.block_bytes);
    for (std::size_t block = 0; block < count / layout.block_elements; ++block)
      append_block(type, scale, data);
    return data;
  }

  std::vector<float> gains(std::size_t count) {
    std::vector<float> gains(count);
    for (float& gain : gains) gain = 1.0f + 0.1f * normal();
    return gains;
  }

 private:
  float normal() { return beginning_ == nullptr ? draw_normal(engine_) : beginning_->at(normals_++); }
  static void append_u16(std::uint16_t value, std::vector<std::uint8_t>& data) {
    data.push_back(static_cast<std::uint8_t>(value & 0xFF));
    data.push_back(static_cast<std::uint8_t>(value >> 8));
  }
  void append_random(int bytes, std::vector<std::uint8_t>& data) {
    if (beginning_ != nullptr) engine_.discard(2 * normals_);
    beginning_ = nullptr;
    for (int i = 0; i < bytes; ++i) data.push_back(static_cast<std::uint8_t>(engine_() & 0xFF));
  }

  void append_block(TensorType type, float scale, std::vector<std::uint8_t>& data) {
    switch (type) {
      case TensorType::kF32: {
        const std::uint32_t bits = f32_to_bits(scale * normal());
        append_u16(static_cast<std::uint16_t>(bits & 0xFFFF), data);
        append_u16(static_cast<std::uint16_t>(bits >> 16), data);
        return;
      }
      case TensorType::kF16: return append_u16(f32_to_f16(scale * normal()), data);
      case TensorType::kBF16: return append_u16(f32_to_bf16(scale * normal()), data);
      // Uniform quants: the deviation of 0..15 is 4.6, of 0..31 9.2, of a byte 74.
      case TensorType::kQ4_0: append_u16(f32_to_f16(scale / 4.6f), data); return append_random(16, data);
      case TensorType::kQ4_1:
        append_u16(f32_to_f16(scale / 4.6f), data);
        append_u16(f32_to_f16(-7.5f * scale / 4.6f), data);
        return append_random(16, data);
      case TensorType::kQ5_0: append_u16(f32_to_f16(scale / 9.2f), data); return append_random(20, data);
      case TensorType::kQ5_1:
        append_u16(f32_to_f16(scale / 9.2f), data);
        append_u16(f32_to_f16(-15.5f * scale / 9.2f), data);
        return append_random(20, data);
      case TensorType::kQ8_0: append_u16(f32_to_f16(scale / 74.0f), data); return append_random(32, data);
      // Scales and minima of 0..63, and int8 scales whose mean square is 74 squared, times quants around 0. A
      // minimum differs from what would make the mean 0 by 18 steps of scale 1 in deviation, which adds to
      // that of the quants.
      case TensorType::kQ4_K:
      case TensorType::kQ5_K: {
        const float quants = type == TensorType::kQ4_K ? 4.6f : 9.2f;
        append_u16(f32_to_f16(scale / (60.0f * quants)), data);
        append_u16(f32_to_f16(1.6f * scale / 60.0f), data);
        return append_random(type == TensorType::kQ4_K ? 140 : 172, data);
      }
      case TensorType::kQ2_K:
        append_random(80, data);
        append_u16(f32_to_f16(scale / (10.0f * 1.2f)), data);
        return append_u16(f32_to_f16(1.2f * scale / 10.0f), data);
      case TensorType::kQ3_K:
        append_random(108, data);
        return append_u16(f32_to_f16(scale / (18.5f * 2.3f)), data);
      case TensorType::kIQ4_NL: append_u16(f32_to_f16(scale / 69.0f), data); return append_random(16, data);
      case TensorType::kIQ4_XS:
        append_u16(f32_to_f16(scale / (18.5f * 69.0f)), data);
        return append_random(134, data);
      // Codes deviate by 2.9.
      case TensorType::kMXFP4:
        data.push_back(static_cast<std::uint8_t>(127 + std::lround(std::log2(scale / 2.9f))));
        return append_random(16, data);
      case TensorType::kQ6_K:
        append_random(208, data);
        return append_u16(f32_to_f16(scale / (74.0f * 18.5f)), data);
    }
  }

  std::mt19937_64 engine_;
  NormalSequence* beginning_;  // until a number that is not normal is drawn
  std::size_t normals_ = 0;    // taken of it
};

std::size_t count_of(const std::vector<std::uint64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

std::vector<std::uint8_t> f32_bytes(const std::vector<float>& values) {
  std::vector<std::uint8_t> data(values.size() * sizeof(float));
  std::memcpy(data.data(), values.data(), data.size());
  return data;
}

// Writes what the description does not leave out or replace.
class ToyWriter {
 public:
  explicit ToyWriter(const ToyModel& toy) : toy_(toy), random_(toy.seed) {}

  GgufWriter write() {
    metadata();
    vocabulary();
    tensors();
    if (toy_.also) toy_.also(writer_);
    return std::move(writer_);
  }

 private:
  bool left_out(const std::string& name) const {
    return std::find(toy_.without.begin(), toy_.without.end(), name) != toy_.without.end();
  }
  void number(const std::string& key, std::uint32_t value) {
    const auto replaced = toy_.numbers.find(key);
    if (!left_out(key)) writer_.add(key, replaced != toy_.numbers.end() ? replaced->second : value);
  }
  void real(const std::string& key, float value) {
    if (!left_out(key)) writer_.add(key, value);
  }

  void metadata() {
    const std::string family = toy_.architecture + ".";
    if (toy_.experts > 0) {
      number(family + "expert_count", toy_.experts);
      number(family + "expert_used_count", toy_.experts_used);
      if (toy_.expert_hidden > 0) number(family + "expert_feed_forward_length", toy_.expert_hidden);
      if (toy_.shared_hidden > 0) number(family + "expert_shared_feed_forward_length", toy_.shared_hidden);
    }
    if (!left_out("general.architecture")) writer_.add("general.architecture", toy_.architecture);
    if (!left_out("general.name")) writer_.add("general.name", "toy");
    number(family + "block_count", toy_.layers);
    number(family + "embedding_length", toy_.width);
    number(family + "feed_forward_length", toy_.hidden);
    number(family + "context_length", toy_.context);
    number(family + "attention.head_count", toy_.heads);
    number(family + "attention.head_count_kv", toy_.kv_heads);
    number(family + "attention.key_length", toy_.head_width);
    number(family + "rope.dimension_count", toy_.rotary_width());
    real(family + "rope.freq_base", toy_.rope_theta);
    real(family + (toy_.layer_norms ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon"),
         1e-5f);
  }

  void vocabulary() {
    std::vector<std::string> tokens, merges;
    std::vector<std::int32_t> types;
    for (const std::string& bytes : toy_.token_bytes()) {
      tokens.push_back(spell(bytes));
      types.push_back(1);
      if (bytes.size() > 1)
        merges.push_back(spell(bytes.substr(0, bytes.size() - 1)) + " " +
                         spell(bytes.substr(bytes.size() - 1)));
    }
    if (toy_.end_tokens) {
      tokens.insert(tokens.end(), {"<|end|>", "<|start|>"});
      types.insert(types.end(), {3, 3});
      writer_.add("tokenizer.ggml.eos_token_id", toy_.end_token());
      writer_.add("tokenizer.ggml.bos_token_id", toy_.end_token() + 1);
    }
    if (!left_out("tokenizer.ggml.model")) writer_.add("tokenizer.ggml.model", "gpt2");
    writer_.add("tokenizer.ggml.pre", "smollm");
    writer_.add("tokenizer.ggml.add_bos_token", toy_.adds_bos);
    writer_.add("tokenizer.ggml.tokens", tokens).add("tokenizer.ggml.token_type", types);
    writer_.add("tokenizer.ggml.merges", merges);
  }

  void tensor(const std::string& name, std::vector<std::uint64_t> shape, TensorType type, float scale) {
    std::vector<std::uint8_t> data = random_.values(type, count_of(shape), scale);
    add(name, std::move(shape), type, data);
  }
  void gain(const std::string& name, std::uint32_t width, float middle = 1.0f) {
    std::vector<float> gains = random_.gains(width);
    for (float& gain : gains) gain *= middle;
    add(name, {width}, TensorType::kF32, f32_bytes(gains));
  }
  void bias(const std::string& name, std::uint32_t width) { tensor(name, {width}, TensorType::kF32, 0.5f); }
  void add(const std::string& name, std::vector<std::uint64_t> shape, TensorType type,
           const std::vector<std::uint8_t>& data) {
    if (left_out(name)) return;
    if (toy_.written_out && type != TensorType::kF32) {
      const std::vector<double> values = widen_row(type, data, 0, count_of(shape));
      return add(name, std::move(shape), TensorType::kF32, f32_bytes({values.begin(), values.end()}));
    }
    const auto other_shape = toy_.shapes.find(name);
    if (other_shape != toy_.shapes.end()) shape = other_shape->second;
    const auto other_type = toy_.types.find(name);
    const std::uint32_t id =
        other_type != toy_.types.end() ? other_type->second : static_cast<std::uint32_t>(type);
    writer_.add_tensor(name, shape, id, data);
  }

  void experts(const std::string& prefix) {
    const std::uint32_t hidden = toy_.expert_hidden > 0 ? toy_.expert_hidden : toy_.hidden;
    const auto scale = [](std::uint32_t in) { return 1.0f / std::sqrt(static_cast<float>(in)); };
    tensor(prefix + "ffn_gate_inp.weight", {toy_.width, toy_.experts}, TensorType::kF32,
           2 * scale(toy_.width));
    for (const char* which : {"gate", "up"}) {
      tensor(prefix + "ffn_" + which + "_exps.weight", {toy_.width, hidden, toy_.experts}, toy_.type,
             toy_.expert_scale * scale(toy_.width));
    }
    tensor(prefix + "ffn_down_exps.weight", {hidden, toy_.width, toy_.experts}, toy_.type,
           toy_.expert_scale * scale(hidden));
    if (toy_.shared_hidden == 0) return;
    for (const char* which : {"gate", "up"}) {
      tensor(prefix + "ffn_" + which + "_shexp.weight", {toy_.width, toy_.shared_hidden}, toy_.type,
             scale(toy_.width));
    }
    tensor(prefix + "ffn_down_shexp.weight", {toy_.shared_hidden, toy_.width}, toy_.type,
           scale(toy_.shared_hidden));
  }

  void tensors() {
    const std::uint32_t query = toy_.heads * toy_.head_width, kv = toy_.kv_heads * toy_.head_width;
    const auto scale = [](std::uint32_t in) { return 1.0f / std::sqrt(static_cast<float>(in)); };
    const float output_scale = toy_.output_scale * 4.0f * scale(toy_.width);
    tensor("token_embd.weight", {toy_.width, toy_.vocabulary()}, toy_.output_type,
           toy_.tied ? output_scale : 1.0f);
    for (std::uint32_t layer = 0; layer < toy_.layers; ++layer) {
      const std::string prefix = "blk." + std::to_string(layer) + ".";
      const TensorType mixed = layer % 2 == 0 ? toy_.mixed_type.value_or(toy_.type) : toy_.type;
      gain(prefix + (toy_.post_norms ? "post_attention_norm.weight" : "attn_norm.weight"), toy_.width);
      if (toy_.norms_on_both_sides) {
        gain(prefix + "post_attention_norm.weight", toy_.width);
        gain(prefix + "post_ffw_norm.weight", toy_.width);
      }
      if (toy_.layer_norms) {
        for (const char* name : {"attn_norm.bias", "ffn_norm.bias", "attn_output.bias", "ffn_down.bias"})
          bias(prefix + name, toy_.width);
        bias(prefix + "ffn_up.bias", toy_.hidden);
      }
      if (toy_.fused) {
        tensor(prefix + "attn_qkv.weight", {toy_.width, query + 2 * kv}, toy_.type,
               toy_.score_scale * scale(toy_.width));
      } else {
        const float scores = toy_.score_scale * scale(toy_.width);
        tensor(prefix + "attn_q.weight", {toy_.width, query}, toy_.type, scores);
        tensor(prefix + "attn_k.weight", {toy_.width, kv}, toy_.type, scores);
        tensor(prefix + "attn_v.weight", {toy_.width, kv}, mixed, scale(toy_.width));
      }
      tensor(prefix + "attn_output.weight", {query, toy_.width}, toy_.type, scale(query));
      if (toy_.biases || toy_.layer_norms) {
        tensor(prefix + "attn_q.bias", {query}, TensorType::kF32, 0.5f);
        tensor(prefix + "attn_k.bias", {kv}, TensorType::kF32, 0.5f);
        tensor(prefix + "attn_v.bias", {kv}, TensorType::kF32, 0.5f);
      }
      if (toy_.head_norms) {
        gain(prefix + "attn_q_norm.weight", toy_.head_width);
        gain(prefix + "attn_k_norm.weight", toy_.head_width);
      }
      if (toy_.post_norms || toy_.wide_norms) {
        gain(prefix + "attn_q_norm.weight", query);
        gain(prefix + "attn_k_norm.weight", kv);
      }
      gain(prefix + (toy_.post_norms ? "post_ffw_norm.weight" : "ffn_norm.weight"), toy_.width);
      if (toy_.experts > 0) {
        experts(prefix);
        continue;
      }
      if (!toy_.fused && !toy_.layer_norms)
        tensor(prefix + "ffn_gate.weight", {toy_.width, toy_.hidden}, toy_.type, scale(toy_.width));
      tensor(prefix + "ffn_up.weight", {toy_.width, (toy_.fused ? 2 : 1) * toy_.hidden}, toy_.type,
             scale(toy_.width));
      tensor(prefix + "ffn_down.weight", {toy_.hidden, toy_.width}, mixed, scale(toy_.hidden));
    }
    const bool two = !toy_.long_rope_factors.empty();
    if (!toy_.rope_factors.empty()) {
      writer_.add_tensor(two ? "rope_factors_short.weight" : "rope_freqs.weight", {toy_.rope_factors.size()},
                         toy_.rope_factors);
    }
    if (two) {
      writer_.add_tensor("rope_factors_long.weight", {toy_.long_rope_factors.size()}, toy_.long_rope_factors);
    }
    gain("output_norm.weight", toy_.width, toy_.output_gain);
    if (toy_.layer_norms) bias("output_norm.bias", toy_.width);
    if (!toy_.tied) tensor("output.weight", {toy_.width, toy_.vocabulary()}, toy_.output_type, output_scale);
  }

  const ToyModel& toy_;
  RandomTensors random_;
  GgufWriter writer_;
};

}  // namespace

std::vector<std::string> ToyModel::token_bytes() const {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  for (const std::string& word : kWords) {
    for (std::size_t length = 2; length <= word.size(); ++length) {
      const std::string prefix = word.substr(0, length);
      if (std::find(tokens.begin(), tokens.end(), prefix) == tokens.end()) tokens.push_back(prefix);
    }
  }
  return tokens;
}

std::uint32_t ToyModel::end_token() const {
  return static_cast<std::uint32_t>(token_bytes().size());
}

std::uint32_t ToyModel::vocabulary() const {
  return end_token() + (end_tokens ? 2 : 0) + padding_rows;
}

GgufWriter ToyModel::writer() const {
  return ToyWriter(*this).write();
}

}  // namespace emberline::testing
