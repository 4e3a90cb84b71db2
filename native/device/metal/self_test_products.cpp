// The self-test's products.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "device/metal/self_test_ops.h"
#include "device/metal/self_test_reference.h"
#include "device/metal/self_test_table.h"

namespace emberline::metal {
namespace {

using reference::Values;
using reference::widen;

// No multiple of what a threadgroup computes.
constexpr std::uint32_t kOut = 35;
// Of rows, and as few columns as have more than one block.
std::uint32_t width_of(TensorType type) {
  return traits(type).block_elements == 256 ? 512 : 96;
}

std::string named(const char* what, TensorType type, std::uint32_t rows) {
  return std::string(what) + " of " + traits(type).name + " weights, " + std::to_string(rows) + " rows,";
}

Values added_up(Values a, const Values& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i % b.size()];
  return a;
}

// A weight matrix, and the same for the reference.
struct TestMatrix {
  std::vector<std::uint8_t> bytes;
  Values values;
  TestMatrix(TensorType type, std::uint32_t rows, std::uint32_t columns, std::uint32_t seed)
      : bytes(reference::weights(type, rows, columns, seed)),
        values(widen(type, bytes, std::size_t{rows} * columns)) {}
};

// A residual stream, and what is added to it in front of a norm, behind one of its own.
class TestStream {
 public:
  TestStream(SelfTestTable& table, std::uint32_t rows, std::uint32_t width, bool added)
      : table_(table), added_(added), values_(reference::values(rows * width, 11)) {
    x_ = table.floats(values_);
    if (!added) return;
    const auto addition = reference::values(rows * width, 25), gain = reference::values(width, 26);
    addition_ = table.floats(addition);
    gain_ = table.floats(gain);
    sum_ = table.zeros(rows * width * 4);
    expected_ = added_up(widen(values_), reference::rms_norm(widen(addition), widen(gain), kTestEpsilon));
  }
  Binding x() const { return x_; }
  template <typename Slot>
  void bind(Command& command) const {
    if (!added_) return;
    command.bindings[static_cast<std::size_t>(Slot::kAdded)] = addition_;
    command.bindings[static_cast<std::size_t>(Slot::kAddedGain)] = gain_;
    command.bindings[static_cast<std::size_t>(Slot::kSum)] = sum_;
  }
  // Of the stream with the addition.
  Values normed(const std::vector<float>& gain) const {
    return reference::rms_norm(added_ ? expected_ : widen(values_), widen(gain), kTestEpsilon);
  }
  void expect_sum(const std::string& what) const {
    if (added_) table_.expect(what, table_.read(sum_, expected_.size()), expected_);
  }

 private:
  SelfTestTable& table_;
  bool added_;
  std::vector<float> values_;
  Values expected_;
  Binding x_, addition_, gain_, sum_;
};

// One page of keys or values.
constexpr std::uint32_t kHeadWidth = 64, kQueryHeads = 3, kKvHeads = 1;
constexpr std::uint32_t kPlane = static_cast<std::uint32_t>(kv_page_bytes(kKvHeads, kHeadWidth, kKvF16));

}  // namespace

Status test_embedding(Device& device, TensorType type) {
  SelfTestTable table(device);
  const std::uint32_t width = width_of(type);
  const TestMatrix embeddings(type, 7, width, 1);
  const Binding out = table.zeros(3 * width * 4);
  using Slot = slot::Embedding;
  table.add(Op::kEmbedding,
            {{Slot::kTokens, table.words({6, 0, 3})},
             {Slot::kTable, table.matrix(type, 7, width, embeddings.bytes)},
             {Slot::kOut, out}},
            EmbeddingParams{width, 7, id_of(type)});
  table.run(3);
  Values expected;
  for (const std::size_t token : {6, 0, 3}) {
    const auto row = embeddings.values.begin() + static_cast<std::ptrdiff_t>(token * width);
    expected.insert(expected.end(), row, row + width);
  }
  table.expect(named("embeddings", type, 3), table.read(out, 3 * width), expected);
  return table.status();
}

Status test_product(Device& device, TensorType type, std::uint32_t rows, bool biased) {
  SelfTestTable table(device);
  const std::uint32_t width = width_of(type);
  const TestMatrix weight(type, kOut, width, 2);
  const auto x = reference::values(rows * width, 3), bias = reference::values(kOut, 4),
             before = reference::values(rows * kOut, 5);
  const Binding y = table.floats(before);
  using Slot = slot::MatMul;
  table.add(Op::kMatMul,
            {{Slot::kX, table.floats(x)},
             {Slot::kWeight, table.matrix(type, kOut, width, weight.bytes)},
             {Slot::kBias, biased ? table.floats(bias) : Binding{}},
             {Slot::kY, y}},
            MatMulParams{width, kOut, id_of(type), 1, 0});
  table.run(rows);
  Values product = reference::product(widen(x), weight.values, width);
  if (biased) product = added_up(product, widen(bias));
  table.expect(named("products", type, rows), table.read(y, rows * kOut), added_up(product, widen(before)));
  return table.status();
}

Status test_norm_product(Device& device, TensorType type, std::uint32_t rows) {
  SelfTestTable table(device);
  const std::uint32_t width = width_of(type);
  const TestMatrix weight(type, kOut, width, 6);
  const auto x = reference::values(rows * width, 7), gain = reference::values(width, 8);
  const Binding y = table.zeros(rows * kOut * 4);
  using Slot = slot::NormMatMul;
  table.add(Op::kNormMatMul,
            {{Slot::kX, table.floats(x)},
             {Slot::kGain, table.floats(gain)},
             {Slot::kWeight, table.matrix(type, kOut, width, weight.bytes)},
             {Slot::kY, y}},
            NormMatMulParams{width, kTestEpsilon, kOut, id_of(type), 0});
  table.run(rows);
  const Values normed = reference::rms_norm(widen(x), widen(gain), kTestEpsilon);
  table.expect(named("normed products", type, rows), table.read(y, rows * kOut),
               reference::product(normed, weight.values, width));
  return table.status();
}

Status test_gate_up(Device& device, TensorType type, std::uint32_t rows, std::uint32_t activation,
                    bool added) {
  SelfTestTable table(device);
  const std::uint32_t width = width_of(type);
  const TestMatrix gate(type, kOut, width, 9), up(type, kOut, width, 10);
  const TestStream stream(table, rows, width, added);
  const auto gain = reference::values(width, 12);
  const Binding out = table.zeros(rows * kOut * 4);
  using Slot = slot::AddNormGateUp;
  const NormGateUpParams params{width, kTestEpsilon, kOut, id_of(type), id_of(type), activation};
  const SelfTestTable::Slots slots = {{Slot::kX, stream.x()},
                                      {Slot::kGain, table.floats(gain)},
                                      {Slot::kWGate, table.matrix(type, kOut, width, gate.bytes)},
                                      {Slot::kWUp, table.matrix(type, kOut, width, up.bytes)},
                                      {Slot::kOut, out}};
  Command& command = added ? table.add(Op::kAddNormGateUp, slots, AddNormGateUpParams{params})
                           : table.add(Op::kNormGateUp, slots, params);
  stream.bind<Slot>(command);
  table.run(rows);
  const Values normed = stream.normed(gain);
  stream.expect_sum(named("additions in front of gated products", type, rows));
  table.expect(named("gated products", type, rows), table.read(out, rows * kOut),
               reference::gated_unit(reference::product(normed, gate.values, width),
                                     reference::product(normed, up.values, width), activation));
  return table.status();
}

Status test_qkv(Device& device, QkvTypes types, std::uint32_t rows, bool biased, bool scaled) {
  SelfTestTable table(device);
  const std::uint32_t width = width_of(types.queries);
  const std::uint32_t q_out = kQueryHeads * kHeadWidth, kv_out = kKvHeads * kHeadWidth, position = 5;
  const TestMatrix q(types.queries, q_out, width, 13), k(types.queries, kv_out, width, 14),
      v(types.values, kv_out, width, 15);
  const auto x = reference::values(rows * width, 16), gain = reference::values(width, 17),
             bias_q = reference::values(q_out, 18), bias_k = reference::values(kv_out, 19),
             bias_v = reference::values(kv_out, 20);
  const auto factors = reference::rotation_factors(scaled ? kHeadWidth / 2 : 0);
  const Binding out = table.zeros(rows * q_out * 4), cache = table.zeros(std::size_t{4} * kPlane);
  const std::uint32_t page = 1;  // of two
  const std::uint64_t entry = std::uint64_t{2} * kPlane * page + std::uint64_t{position} * kv_out * 2;
  using Slot = slot::NormQkvRope;
  table.add(Op::kNormQkvRope,
            {{Slot::kX, table.floats(x)},
             {Slot::kGain, table.floats(gain)},
             {Slot::kWq, table.matrix(types.queries, q_out, width, q.bytes)},
             {Slot::kWk, table.matrix(types.queries, kv_out, width, k.bytes)},
             {Slot::kWv, table.matrix(types.values, kv_out, width, v.bytes)},
             {Slot::kBq, biased ? table.floats(bias_q) : Binding{}},
             {Slot::kBk, biased ? table.floats(bias_k) : Binding{}},
             {Slot::kBv, biased ? table.floats(bias_v) : Binding{}},
             {Slot::kQ, out},
             {Slot::kKeyCache, cache},
             {Slot::kValueCache, {cache.buffer, kPlane}},
             {Slot::kPages, table.words({page})},
             {Slot::kFactors, scaled ? table.floats(factors) : Binding{}}},
            NormQkvRopeParams{width, kTestEpsilon, id_of(types.queries), id_of(types.queries),
                              id_of(types.values), position, kQueryHeads, kKvHeads, kHeadWidth, kHeadWidth,
                              rows % 2, 10000.0f, kKvPagePositions, 2 * kPlane});
  table.run(rows, position);
  const Values normed = reference::rms_norm(widen(x), widen(gain), kTestEpsilon);
  const auto projected = [&](const TestMatrix& weight, const std::vector<float>& bias) {
    const Values product = reference::product(normed, weight.values, width);
    return biased ? added_up(product, widen(bias)) : product;
  };
  Values expected_q = projected(q, bias_q), expected_k = projected(k, bias_k);
  const Values expected_v = projected(v, bias_v);
  reference::rotate(expected_q, kHeadWidth, q_out, position, 10000.0, rows % 2 != 0, factors);
  reference::rotate(expected_k, kHeadWidth, kv_out, position, 10000.0, rows % 2 != 0, factors);
  table.expect(named("queries", types.queries, rows), table.read(out, rows * q_out), expected_q);
  table.expect(named("keys", types.queries, rows), table.read_halves({cache.buffer, entry}, rows * kv_out),
               expected_k);
  table.expect(named("values", types.values, rows),
               table.read_halves({cache.buffer, entry + kPlane}, rows * kv_out), expected_v);
  return table.status();
}

Status test_split_qkv(Device& device, QkvTypes types, std::uint32_t rows, bool biased, bool added) {
  SelfTestTable table(device);
  const std::uint32_t width = width_of(types.queries);
  // Whose pairs end where a threadgroup does.
  constexpr std::uint32_t kQueries = 48, kKeys = 32;
  const TestStream stream(table, rows, width, added);
  const auto gain = reference::values(width, 17);
  struct Part {
    const char* name;
    TensorType type;
    TestMatrix weight;
    std::vector<float> bias;
    Binding out;
  };
  const auto part = [&](const char* name, TensorType type, std::uint32_t out, std::uint32_t seed) {
    return Part{name, type, TestMatrix(type, out, width, seed), reference::values(out, seed + 5),
                table.zeros(rows * out * 4)};
  };
  const Part parts[] = {part("queries", types.queries, kQueries, 13), part("keys", types.queries, kKeys, 14),
                        part("values", types.values, kKeys, 15)};
  using Slot = slot::AddNormQkv;
  const SelfTestTable::Slots slots = {{Slot::kX, stream.x()}, {Slot::kGain, table.floats(gain)}};
  const NormQkvParams params{
      width, kTestEpsilon, kQueries, kKeys, id_of(types.queries), id_of(types.queries), id_of(types.values)};
  Command& command = added ? table.add(Op::kAddNormQkv, slots, AddNormQkvParams{params})
                           : table.add(Op::kNormQkv, slots, params);
  for (std::size_t i = 0; i < 3; ++i) {
    const Part& p = parts[i];
    const auto out = static_cast<std::uint32_t>(p.bias.size());
    command.bindings[Slot::kWq + i] = table.matrix(p.type, out, width, p.weight.bytes);
    if (biased) command.bindings[Slot::kBq + i] = table.floats(p.bias);
    command.bindings[Slot::kQ + i] = p.out;
  }
  stream.bind<Slot>(command);
  table.run(rows);
  const Values normed = stream.normed(gain);
  for (const Part& p : parts) {
    const Values product = reference::product(normed, p.weight.values, width);
    table.expect(named(p.name, p.type, rows), table.read(p.out, product.size()),
                 biased ? added_up(product, widen(p.bias)) : product);
  }
  stream.expect_sum(named("additions in front of queries", types.queries, rows));
  return table.status();
}

}  // namespace emberline::metal
