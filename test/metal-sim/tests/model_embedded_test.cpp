// The embedded model on the simulated GPU against the reference device, token by token.
#include <algorithm>
#include <cmath>
#include <string>

#include "engine/model_impl.h"
#include "gguf/gguf_file.h"
#include "model_fixture.h"
#include "reference/reference_device.h"

namespace emberline::testing {
namespace {

// How far the output matrix's input may be off, in its norm: chosen, not derived. It is the step between
// neighbouring halves, to which keys and values are rounded that differ in the last bit of a float32; what
// the layers behind make of that is not bounded here. A negative control below fails by it.
constexpr double kTolerance = 1.0 / 1024;

constexpr std::size_t kSteps = 3;

struct EmbeddedModel {
  explicit EmbeddedModel(std::unique_ptr<Device> device)
      : model(take(Model::load_on(std::move(device), options()))),
        pass(take(ForwardPass::create(model->impl().on_device(), 64))) {}

  static ModelOptions options() {
    ModelOptions options;
    options.path = EMBERLINE_EMBEDDED_MODEL;
    return options;
  }

  std::vector<float> logits() {
    std::vector<float> values(model->info().vocabulary);
    const Status read = pass->read_logits(0, values);
    EXPECT_TRUE(read.ok()) << read.message();
    return values;
  }
  // What the output matrix was multiplied with; of a device without fused ops.
  std::vector<float> output_input() {
    Model::Impl& loaded = model->impl();
    std::vector<float> values(model->info().width);
    const Status read =
        loaded.device->read(loaded.scratch.normed.id(), 0, values.data(), values.size() * sizeof(float));
    EXPECT_TRUE(read.ok()) << read.message();
    return values;
  }

  std::shared_ptr<Model> model;
  std::unique_ptr<ForwardPass> pass;
};

template <typename T>
double norm(const std::vector<T>& x) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  return std::sqrt(squares);
}

// The rows of the output matrix, which is the embedding's.
class OutputRows {
 public:
  OutputRows() : file_(take(GgufFile::open(EMBERLINE_EMBEDDED_MODEL))) {
    const GgufTensor& tensor = *file_->tensor("token_embd.weight");
    for (std::size_t i = 0; i < tensor.shape[1]; ++i) {
      rows_.push_back(widen_row(static_cast<TensorType>(tensor.type_id), tensor.data, i, tensor.shape[0]));
    }
  }
  double norm_of(std::size_t i) const { return norm(rows_[i]); }
  double distance(std::size_t i, std::size_t j) const {
    std::vector<double> difference = rows_[i];
    for (std::size_t k = 0; k < difference.size(); ++k) difference[k] -= rows_[j][k];
    return norm(difference);
  }

 private:
  std::unique_ptr<GgufFile> file_;
  std::vector<std::vector<double>> rows_;
};

// The worst logit's error over what an input of the output matrix that is off by `error` in its norm gives at
// most.
double worst_of(const std::vector<float>& logits, const std::vector<float>& expected, double error,
                const OutputRows& rows) {
  double worst = 0;
  for (std::size_t i = 0; i < logits.size(); ++i)
    worst = std::max(worst, std::abs(double{logits[i]} - expected[i]) / (error * rows.norm_of(i)));
  return worst;
}

std::size_t best(const std::vector<float>& logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// Whether `token` stays the best however the output matrix's input is off by `error` in its norm
// (Cauchy-Schwarz).
bool is_clear(const std::vector<float>& logits, std::size_t token, double error, const OutputRows& rows) {
  for (std::size_t other = 0; other < logits.size(); ++other) {
    if (other != token && double{logits[token]} - logits[other] <= error * rows.distance(token, other))
      return false;
  }
  return true;
}

class DeepRealModelOnMetal : public SimulatedMac {};

TEST_F(DeepRealModelOnMetal, ThreeTokensBehindAPromptAreThoseOfTheReference) {
  EmbeddedModel metal(metal_device(unchecked_kernels())), reference(make_reference_device());
  const std::vector<TokenId> ids =
      metal.model->tokenizer().encode("def add(a, b):\n    return a + b\n", false);
  ASSERT_GE(ids.size(), 8 + kSteps);
  const auto prompt = std::span(ids).first(ids.size() - kSteps);
  const OutputRows rows;
  take(metal.pass->prefill(prompt, 0, nullptr));
  take(reference.pass->prefill(prompt, 0, nullptr));

  std::size_t clear = 0;
  for (std::size_t position = prompt.size(); position < ids.size(); ++position) {
    SCOPED_TRACE(position);
    take(metal.pass->decode(ids[position], static_cast<std::uint32_t>(position), nullptr));
    take(reference.pass->decode(ids[position], static_cast<std::uint32_t>(position), nullptr));
    const std::vector<float> logits = metal.logits(), expected = reference.logits();
    const double error = kTolerance * norm(reference.output_input());
    EXPECT_LE(worst_of(logits, expected, error, rows), 1);
    if (position + 1 == ids.size()) {
      // A negative control: the token stands one position too far.
      take(metal.pass->decode(ids[position], static_cast<std::uint32_t>(position) + 1, nullptr));
      EXPECT_GT(worst_of(metal.logits(), expected, error, rows), 1);
    }
    if (!is_clear(expected, best(expected), error, rows)) continue;
    ++clear;
    EXPECT_EQ(best(logits), best(expected));
  }
  EXPECT_GE(clear, 1u) << "this text cannot tell anything";
}

}  // namespace
}  // namespace emberline::testing
