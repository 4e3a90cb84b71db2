#include "straight_forward.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

using Vector = std::vector<double>;

class File {
 public:
  File(const GgufFile& file, GroupScales scales)
      : file_(file), scales_(scales), family_(*file.get_string("general.architecture")) {}

  std::size_t number(const std::string& key) const {
    return *file_.get_uint(std::string(family_) + "." + key);
  }
  double real(const std::string& key) const { return *file_.get_float(std::string(family_) + "." + key); }
  double real_or(const std::string& key, double otherwise) const {
    return file_.get_float(std::string(family_) + "." + key).value_or(otherwise);
  }
  bool is_yarn() const {
    return file_.get_string(std::string(family_) + ".rope.scaling.type").value_or("") == "yarn";
  }
  bool halves() const { return family_ != "llama" && family_ != "granite"; }
  bool has(const std::string& name) const { return file_.tensor(name) != nullptr; }
  std::size_t rows(const std::string& name) const { return file_.tensor(name)->shape[1]; }

  Vector row(const std::string& name, std::size_t index) const {
    const GgufTensor& tensor = *file_.tensor(name);
    return widen_row(static_cast<TensorType>(tensor.type_id), tensor.data, index, tensor.shape[0], scales_);
  }

  Vector product(const std::string& name, const Vector& x) const {
    Vector y(rows(name));
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Vector w = row(name, i);
      for (std::size_t j = 0; j < x.size(); ++j) y[i] += w[j] * x[j];
    }
    return y;
  }

  Vector norm(const std::string& name, const Vector& x) const {
    double squares = 0;
    for (const double value : x) squares += value * value;
    const double scale =
        1.0 / std::sqrt(squares / static_cast<double>(x.size()) + real("attention.layer_norm_rms_epsilon"));
    Vector y = row(name, 0);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] *= x[i] * scale;
    return y;
  }

  Vector norm_if_there(const std::string& name, const Vector& x) const {
    return has(name) ? norm(name, x) : x;
  }

  // Each stretch of x that is as long as the gain, where the file has one.
  void norm_parts(const std::string& name, Vector& x) const {
    if (!has(name)) return;
    const auto width = static_cast<std::ptrdiff_t>(row(name, 0).size());
    for (auto part = x.begin(); part != x.end(); part += width) {
      const Vector normed = norm(name, Vector(part, part + width));
      std::copy(normed.begin(), normed.end(), part);
    }
  }

 private:
  const GgufFile& file_;
  GroupScales scales_;
  std::string_view family_;
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
double speed(const File& file, std::size_t i) {
  const double pairs = static_cast<double>(file.number("attention.key_length")) / 2;
  const auto plain = [&](double pair) { return std::pow(file.real("rope.freq_base"), -pair / pairs); };
  const double pair = static_cast<double>(i);
  const double listed = file.has("rope_freqs.weight") ? file.row("rope_freqs.weight", 0)[i] : 1.0;
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
void rotate(const File& file, Vector& x, std::size_t position) {
  const std::size_t width = file.number("attention.key_length");
  for (std::size_t head = 0; head < x.size(); head += width) {
    for (std::size_t i = 0; i < width / 2; ++i) {
      const double angle = static_cast<double>(position) * speed(file, i);
      double& a = x[head + (file.halves() ? i : 2 * i)];
      double& b = x[head + (file.halves() ? i + width / 2 : 2 * i + 1)];
      const double real = a * std::cos(angle) - b * std::sin(angle);
      b = a * std::sin(angle) + b * std::cos(angle);
      a = real;
    }
  }
}

Vector attend(const File& file, const Vector& query, const std::vector<Vector>& keys,
              const std::vector<Vector>& values) {
  const std::size_t width = file.number("attention.key_length");
  const std::size_t heads = file.number("attention.head_count");
  const std::size_t group = heads / file.number("attention.head_count_kv");
  const double warmth = file.is_yarn() ? 1 + 0.1 * std::log(file.real("rope.scaling.factor")) : 1.0;
  const double scale =
      warmth * warmth * file.real_or("attention.scale", 1.0 / std::sqrt(static_cast<double>(width)));
  Vector out(query.size());
  for (std::size_t head = 0; head < heads; ++head) {
    const std::size_t q = head * width, kv = head / group * width;
    Vector weight(keys.size());
    double sum = 0;
    for (std::size_t t = 0; t < keys.size(); ++t) {
      double dot = 0;
      for (std::size_t i = 0; i < width; ++i) dot += query[q + i] * keys[t][kv + i];
      sum += weight[t] = std::exp(dot * scale);
    }
    for (std::size_t t = 0; t < keys.size(); ++t) {
      for (std::size_t i = 0; i < width; ++i) out[q + i] += weight[t] / sum * values[t][kv + i];
    }
  }
  return out;
}

}  // namespace

std::vector<double> straight_forward(const GgufFile& gguf, std::span<const std::uint32_t> tokens,
                                     GroupScales scales) {
  const File file(gguf, scales);
  std::vector<Vector> stream;
  for (const std::uint32_t token : tokens) {
    stream.push_back(scaled(file.row("token_embd.weight", token), file.real_or("embedding_scale", 1.0)));
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
      const Vector normed = file.norm_if_there(block + "attn_norm.weight", x);
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
      file.norm_parts(block + "attn_q_norm.weight", query);
      file.norm_parts(block + "attn_k_norm.weight", keys.back());
      rotate(file, query, position);
      rotate(file, keys.back(), position);
      const Vector attended = file.product(block + "attn_output.weight", attend(file, query, keys, values));
      add(x, scaled(file.norm_if_there(block + "post_attention_norm.weight", attended), residual));

      const Vector inner = file.norm_if_there(block + "ffn_norm.weight", x);
      Vector up = file.product(block + "ffn_up.weight", inner);
      Vector hidden;
      if (file.has(block + "ffn_gate.weight")) {
        hidden = file.product(block + "ffn_gate.weight", inner);
      } else {
        hidden = part(up, 0, up.size() / 2);
        up = part(up, up.size() / 2, up.size() / 2);
      }
      for (std::size_t i = 0; i < hidden.size(); ++i)
        hidden[i] = hidden[i] / (1.0 + std::exp(-hidden[i])) * up[i];
      const Vector down = file.product(block + "ffn_down.weight", hidden);
      add(x, scaled(file.norm_if_there(block + "post_ffw_norm.weight", down), residual));
    }
  }
  const Vector last = file.norm("output_norm.weight", stream.back());
  const Vector logits = file.product(file.has("output.weight") ? "output.weight" : "token_embd.weight", last);
  return scaled(logits, 1.0 / file.real_or("logit_scale", 1.0));
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
