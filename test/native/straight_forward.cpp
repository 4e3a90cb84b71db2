#include "straight_forward.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

using Vector = std::vector<double>;

class File {
 public:
  explicit File(const GgufFile& file) : file_(file), family_(*file.get_string("general.architecture")) {}

  std::size_t number(const std::string& key) const {
    return *file_.get_uint(std::string(family_) + "." + key);
  }
  double real(const std::string& key) const { return *file_.get_float(std::string(family_) + "." + key); }
  double real_or(const std::string& key, double otherwise) const {
    const std::string name = std::string(family_) + "." + key;
    const auto whole = file_.get_uint(name);
    return whole ? static_cast<double>(*whole) : file_.get_float(name).value_or(otherwise);
  }
  bool is_yarn() const {
    return file_.get_string(std::string(family_) + ".rope.scaling.type").value_or("") == "yarn";
  }
  // LongRoPE, in a context as long as the file says.
  bool has_long_rope() const { return has("rope_factors_long.weight"); }
  bool is_long() const { return number("context_length") > number("rope.scaling.original_context_length"); }
  bool halves() const {
    return family_ != "llama" && family_ != "granite" && family_ != "granitemoe" && family_ != "smollm3";
  }
  bool weighs_among_all() const { return family_ == "olmoe"; }  // experts
  bool is(std::string_view family) const { return family_ == family; }
  bool is_gemma() const { return family_.starts_with("gemma"); }
  // Of gemma2 and gemma3: through the window.
  bool is_local(std::size_t layer) const {
    const std::size_t every = is("gemma2") ? 2 : is("gemma3") ? 6 : is("olmo2") ? 4 : 0;
    return every == 0 || layer % every != every - 1;
  }
  bool is_rotated(std::size_t layer) const { return !is("smollm3") || layer % 4 != 3; }
  bool has(const std::string& name) const { return file_.tensor(name) != nullptr; }
  std::size_t rows(const std::string& name) const { return file_.tensor(name)->shape[1]; }

  const Vector& row(const std::string& name, std::size_t index) const {
    std::vector<Vector>& rows = widened_[name];
    if (index >= rows.size()) rows.resize(index + 1);
    if (rows[index].empty()) {
      const GgufTensor& tensor = *file_.tensor(name);
      rows[index] = widen_row(static_cast<TensorType>(tensor.type_id), tensor.data, index, tensor.shape[0]);
    }
    return rows[index];
  }

  Vector product(const std::string& name, const Vector& x) const {
    Vector y(rows(name));
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Vector& w = row(name, i);
      for (std::size_t j = 0; j < x.size(); ++j) y[i] += w[j] * x[j];
    }
    return y;
  }

  // Of matrix `index` of several.
  Vector product(const std::string& name, std::size_t index, const Vector& x) const {
    Vector y(rows(name));
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Vector& w = row(name, index * y.size() + i);
      for (std::size_t j = 0; j < x.size(); ++j) y[i] += w[j] * x[j];
    }
    return y;
  }

  // `name` and ".weight"; LayerNorm where there is a ".bias".
  Vector norm(const std::string& name, Vector x) const {
    const bool layer_norm = has(name + ".bias");
    const auto size = static_cast<double>(x.size());
    if (layer_norm) {
      double mean = 0;
      for (const double value : x) mean += value / size;
      for (double& value : x) value -= mean;
    }
    double squares = 0;
    for (const double value : x) squares += value * value;
    const double epsilon =
        real(layer_norm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon");
    const double scale = 1.0 / std::sqrt(squares / size + epsilon);
    Vector y = row(name + ".weight", 0);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] *= x[i] * scale;
    if (layer_norm) {
      const Vector bias = row(name + ".bias", 0);
      for (std::size_t i = 0; i < x.size(); ++i) y[i] += bias[i];
    }
    return y;
  }

  Vector norm_if_there(const std::string& name, const Vector& x) const {
    return has(name + ".weight") ? norm(name, x) : x;
  }

  // Each stretch of x that is as long as the gain, where the file has one.
  void norm_parts(const std::string& name, Vector& x) const {
    if (!has(name + ".weight")) return;
    const auto width = static_cast<std::ptrdiff_t>(row(name + ".weight", 0).size());
    for (auto part = x.begin(); part != x.end(); part += width) {
      const Vector normed = norm(name, Vector(part, part + width));
      std::copy(normed.begin(), normed.end(), part);
    }
  }

 private:
  const GgufFile& file_;
  std::string_view family_;
  // Rows that were asked for: every position asks again.
  mutable std::map<std::string, std::vector<Vector>> widened_;
};

void add(Vector& x, const Vector& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

Vector part(const Vector& x, std::size_t from, std::size_t count) {
  const auto begin = x.begin() + static_cast<std::ptrdiff_t>(from);
  return Vector(begin, begin + static_cast<std::ptrdiff_t>(count));
}

Vector scaled(Vector x, double factor) {
  for (double& value : x) value *= factor;
  return x;
}

// Radians a token that pair `i` of a head turns by.
double speed(const File& file, std::size_t layer, std::size_t i) {
  const double pairs = static_cast<double>(file.number("attention.key_length")) / 2;
  const double pair = static_cast<double>(i);
  if (file.is("gemma3") && file.is_local(layer)) return std::pow(10000.0, -pair / pairs);
  const auto plain = [&](double at) { return std::pow(file.real("rope.freq_base"), -at / pairs); };
  const std::string list = !file.has_long_rope() ? "rope_freqs.weight"
                           : file.is_long()      ? "rope_factors_long.weight"
                                                 : "rope_factors_short.weight";
  const double listed = file.has(list) ? file.row(list, 0)[i] : 1.0;
  const double factor = file.real_or("rope.scaling.factor", 1.0);
  if (!file.is_yarn()) return plain(pair) / listed / factor;
  // YaRN: from the last pair that makes 32 turns in the first length to the first that makes one, by a ramp.
  const auto turns = [&](double p) {
    return static_cast<double>(file.number("rope.scaling.original_context_length")) * plain(p) /
           6.283185307179586;
  };
  double low = 0, high = 0;
  while (turns(low + 1) >= 32) ++low;
  while (turns(high) > 1) ++high;
  const double scaled = std::min(1.0, std::max(0.0, (pair - low) / (high - low)));
  return plain(pair) / listed * (scaled / factor + 1 - scaled);
}

// Rotates every head of `x` to `position`.
void rotate(const File& file, std::size_t layer, Vector& x, std::size_t position) {
  if (!file.is_rotated(layer)) return;
  const std::size_t width = file.number("attention.key_length");
  for (std::size_t head = 0; head < x.size(); head += width) {
    for (std::size_t i = 0; i < width / 2; ++i) {
      const double angle = static_cast<double>(position) * speed(file, layer, i);
      double& a = x[head + (file.halves() ? i : 2 * i)];
      double& b = x[head + (file.halves() ? i + width / 2 : 2 * i + 1)];
      const double real = a * std::cos(angle) - b * std::sin(angle);
      b = a * std::sin(angle) + b * std::cos(angle);
      a = real;
    }
  }
}

Vector gated(Vector gate, const Vector& up) {
  for (std::size_t i = 0; i < gate.size(); ++i) gate[i] = gate[i] / (1.0 + std::exp(-gate[i])) * up[i];
  return gate;
}

// What a block's mixture of experts makes of `x`.
Vector mix(const File& file, const std::string& block, const Vector& x) {
  const Vector logits = file.product(block + "ffn_gate_inp.weight", x);
  double of_all = 0, of_chosen = 0;
  for (const double logit : logits) of_all += std::exp(logit);
  const auto likelier = [&](std::size_t e) {
    return std::count_if(logits.begin(), logits.end(), [&](double logit) { return logit > logits[e]; });
  };
  const auto used = static_cast<std::ptrdiff_t>(file.number("expert_used_count"));
  Vector sum(x.size());
  for (std::size_t e = 0; e < logits.size(); ++e) {
    if (likelier(e) >= used) continue;
    of_chosen += std::exp(logits[e]);
    const Vector hidden = gated(file.product(block + "ffn_gate_exps.weight", e, x),
                                file.product(block + "ffn_up_exps.weight", e, x));
    add(sum, scaled(file.product(block + "ffn_down_exps.weight", e, hidden), std::exp(logits[e])));
  }
  sum =
      scaled(sum, file.real_or("expert_weights_scale", 1.0) / (file.weighs_among_all() ? of_all : of_chosen));
  if (file.has(block + "ffn_up_shexp.weight")) {
    add(sum,
        file.product(block + "ffn_down_shexp.weight", gated(file.product(block + "ffn_gate_shexp.weight", x),
                                                            file.product(block + "ffn_up_shexp.weight", x))));
  }
  return sum;
}

double capped(double x, double cap) {
  return cap == 0 ? x : cap * std::tanh(x / cap);
}

// What queries and keys are multiplied by: as the file says, else the root of 1 + log s to the base of the
// first length, s being how many times longer the context is.
double long_rope_warmth(const File& file) {
  const auto first = static_cast<double>(file.number("rope.scaling.original_context_length"));
  const double times = static_cast<double>(file.number("context_length")) / first;
  const double by_formula = times > 1 ? std::sqrt(1 + std::log(times) / std::log(first)) : 1.0;
  return file.real_or("rope.scaling.attn_factor", by_formula);
}

Vector attend(const File& file, std::size_t layer, const Vector& query, const std::vector<Vector>& keys,
              const std::vector<Vector>& values) {
  const std::size_t width = file.number("attention.key_length");
  const std::size_t heads = file.number("attention.head_count");
  const std::size_t group = heads / file.number("attention.head_count_kv");
  const bool warmed = file.is_yarn() && file.is_rotated(layer);
  double warmth = warmed ? 1 + 0.1 * std::log(file.real("rope.scaling.factor")) : 1.0;
  if (file.has_long_rope()) warmth = long_rope_warmth(file);
  const double scale =
      warmth * warmth * file.real_or("attention.scale", 1.0 / std::sqrt(static_cast<double>(width)));
  const double cap = file.real_or("attn_logit_softcapping", file.is("gemma2") ? 50 : 0);
  const double window = file.is_local(layer) ? file.real_or("attention.sliding_window", 0) : 0;
  const std::size_t seen =
      window == 0 ? keys.size() : std::min(keys.size(), static_cast<std::size_t>(window));
  Vector out(query.size());
  for (std::size_t head = 0; head < heads; ++head) {
    const std::size_t q = head * width, kv = head / group * width;
    Vector weight(keys.size());
    double sum = 0;
    for (std::size_t t = keys.size() - seen; t < keys.size(); ++t) {
      double dot = 0;
      for (std::size_t i = 0; i < width; ++i) dot += query[q + i] * keys[t][kv + i];
      sum += weight[t] = std::exp(capped(dot * scale, cap));
    }
    for (std::size_t t = 0; t < keys.size(); ++t) {
      for (std::size_t i = 0; i < width; ++i) out[q + i] += weight[t] / sum * values[t][kv + i];
    }
  }
  return out;
}

double activation(const File& file, double z) {
  if (!file.is_gemma() && !file.is("starcoder2")) return z / (1.0 + std::exp(-z));
  return 0.5 * z * (1.0 + std::tanh(std::sqrt(2 / 3.141592653589793) * (z + 0.044715 * z * z * z)));
}

}  // namespace

std::vector<double> straight_forward(const GgufFile& gguf, std::span<const std::uint32_t> tokens) {
  const File file(gguf);
  std::vector<Vector> stream;
  for (const std::uint32_t token : tokens) {
    const double own =
        file.is_gemma() ? std::sqrt(static_cast<double>(file.number("embedding_length"))) : 1.0;
    stream.push_back(scaled(file.row("token_embd.weight", token), file.real_or("embedding_scale", own)));
  }
  const double residual = file.real_or("residual_scale", 1.0);

  for (std::size_t layer = 0; layer < file.number("block_count"); ++layer) {
    const std::string block = "blk." + std::to_string(layer) + ".";
    const auto project = [&](const std::string& which, const Vector& x) {
      Vector y = file.product(block + which + ".weight", x);
      if (file.has(block + which + ".bias")) add(y, file.row(block + which + ".bias", 0));
      return y;
    };
    std::vector<Vector> keys, values;
    for (std::size_t position = 0; position < stream.size(); ++position) {
      Vector& x = stream[position];
      const Vector normed = file.norm_if_there(block + "attn_norm", x);
      Vector query;
      if (file.has(block + "attn_qkv.weight")) {
        const Vector all = file.product(block + "attn_qkv.weight", normed);
        const std::size_t kv = file.number("attention.head_count_kv") * file.number("attention.key_length");
        query = part(all, 0, all.size() - 2 * kv);
        keys.push_back(part(all, all.size() - 2 * kv, kv));
        values.push_back(part(all, all.size() - kv, kv));
      } else {
        query = project("attn_q", normed);
        keys.push_back(project("attn_k", normed));
        values.push_back(project("attn_v", normed));
      }
      file.norm_parts(block + "attn_q_norm", query);
      file.norm_parts(block + "attn_k_norm", keys.back());
      rotate(file, layer, query, position);
      rotate(file, layer, keys.back(), position);
      const Vector attended = project("attn_output", attend(file, layer, query, keys, values));
      add(x, scaled(file.norm_if_there(block + "post_attention_norm", attended), residual));

      const Vector inner = file.norm_if_there(block + "ffn_norm", x);
      if (file.has(block + "ffn_gate_inp.weight")) {
        add(x, scaled(mix(file, block, inner), residual));
        continue;
      }
      Vector up = project("ffn_up", inner);
      Vector hidden;
      if (file.has(block + "ffn_gate.weight")) {
        hidden = file.product(block + "ffn_gate.weight", inner);
      } else if (file.is("phi3")) {
        hidden = part(up, 0, up.size() / 2);
        up = part(up, up.size() / 2, up.size() / 2);
      } else {
        hidden = up;
        up.assign(up.size(), 1.0);
      }
      for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] = activation(file, hidden[i]) * up[i];
      const Vector down = project("ffn_down", hidden);
      add(x, scaled(file.norm_if_there(block + "post_ffw_norm", down), residual));
    }
  }
  const Vector last = file.norm("output_norm", stream.back());
  const Vector logits = file.product(file.has("output.weight") ? "output.weight" : "token_embd.weight", last);
  Vector scaled_logits = scaled(logits, 1.0 / file.real_or("logit_scale", 1.0));
  const double cap = file.real_or("final_logit_softcapping", file.is("gemma2") ? 30 : 0);
  for (double& logit : scaled_logits) logit = capped(logit, cap);
  return scaled_logits;
}

double relative_error(std::span<const float> a, std::span<const double> b) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return std::sqrt(difference / norm);
}

}  // namespace emberline::testing
