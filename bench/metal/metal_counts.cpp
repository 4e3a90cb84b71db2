// What a token costs a GPU, counted on the simulated one with a toy model: a line of JSON, {"name": value}, a
// row each.
//
// Nothing of a GPU can be timed there. The one time among the rows is the host's: how long the shipped code
// takes to encode a command against stand-ins that only take it down.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/metal/metal_device.h"
#include "host/control.h"
#include "metal/token_traffic.h"
#include "token_bytes.h"
#include "toy_pass.h"

namespace emberline {
namespace {

using testing::take;
using testing::ToyModel;
using testing::ToyPass;

constexpr std::uint32_t kPrompt = 20, kSteps = 32, kChunk = 16;
constexpr SamplingBlock kSampling{.temperature = 0.8f,
                                  .top_p = 0.95f,
                                  .min_p = 0.05f,
                                  .repeat_penalty = 1.1f,
                                  .top_k = 40,
                                  .penalty_window = 64,
                                  .seed_low = 5,
                                  .seed_high = 0};

ToyModel toy_of(std::uint32_t layers, TensorType type) {
  ToyModel toy;
  toy.layers = layers;
  toy.width = 128;
  toy.hidden = 192;
  toy.heads = 2;
  toy.kv_heads = 1;
  toy.head_width = 64;
  toy.type = toy.output_type = type;
  if (traits(type).block_elements == 256) toy.width = toy.hidden = 256, toy.heads = 4;
  return toy;
}

std::unique_ptr<ToyPass> pass_of(const ToyModel& toy) {
  MetalDeviceOptions options;
  options.library_path = EMBERLINE_KERNELS_CHECKED;
  auto pass = std::make_unique<ToyPass>(toy, 256, take(make_metal_device(options)));
  pass->prefill(testing::random_tokens(kPrompt, pass->hyperparameters.vocabulary, 3));
  return pass;
}

std::unique_ptr<ToyPass> pass_of(std::uint32_t layers, TensorType type = TensorType::kQ4_0) {
  return pass_of(toy_of(layers, type));
}

void take_status(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

std::vector<TokenId> run_chain(ForwardPass& pass, const ChainRequest& request) {
  const std::unique_ptr<Chain> chain = take(pass.begin_chain(3, request));
  std::vector<TokenId> tokens;
  const auto submit = [&] {
    if (chain->steps_left() > 0) take_status(chain->submit(std::min(kChunk, chain->steps_left())));
  };
  submit();
  while (chain->under_way()) {
    submit();
    const ChainResult chunk = take(chain->wait());
    tokens.insert(tokens.end(), chunk.tokens.begin(), chunk.tokens.end());
  }
  return tokens;
}

ChainRequest request_of(const SamplingBlock* sampling, StopSet stop = {}) {
  return {.position = kPrompt, .steps = kSteps, .stop = stop, .cancel = nullptr, .sampling = sampling};
}

metal_sim::Counts counts_of(const ToyModel& toy, const SamplingBlock* sampling) {
  const std::unique_ptr<ToyPass> pass = pass_of(toy);
  metal_sim::clear_counts();
  run_chain(*pass->pass, request_of(sampling));
  return metal_sim::counts();
}

metal_sim::Counts counts_of(std::uint32_t layers, const SamplingBlock* sampling) {
  return counts_of(toy_of(layers, TensorType::kQ4_0), sampling);
}

// Of a family whose layers have norms that llama's have not.
double dispatches_a_layer(const std::string& family, bool norms_on_both_sides) {
  const auto dispatches = [&](std::uint32_t layers) {
    ToyModel toy = toy_of(layers, TensorType::kQ4_0);
    toy.architecture = family;
    toy.head_norms = true;
    toy.norms_on_both_sides = norms_on_both_sides;
    return double(counts_of(toy, nullptr).dispatches);
  };
  return (dispatches(3) - dispatches(1)) / 2 / kSteps;
}

void print(const std::string& name, double value) {
  std::printf("{\"%s\": %.6g}\n", name.c_str(), value);
}

// Bytes read over bytes needed, and bytes read more than once. `prefix`: of the rows' names.
void print_traffic(const std::string& prefix, const SamplingBlock* sampling) {
  const std::unique_ptr<ToyPass> pass = pass_of(3);
  const Hyperparameters& h = pass->hyperparameters;
  const TokenTraffic traffic =
      traffic_of(*pass, sampling != nullptr, kSteps, [&] { run_chain(*pass->pass, request_of(sampling)); });
  // A token sees itself and what is before it.
  const double positions = kPrompt + (kSteps + 1) / 2.0;
  print(prefix + "bytes-per-weight-byte",
        traffic.weights / double(testing::weight_bytes_of_token(*pass->file)));
  print(prefix + "bytes-per-kv-byte",
        traffic.kv / (positions * double(testing::kv_bytes_of_position(h.layers, h.kv_heads, h.head_width))));
  print(prefix + "activation-bytes-reread", traffic.activation_rereads);
  print(prefix + "logit-bytes-reread", traffic.logit_rereads);
}

// The same for another type of weights, of weights alone.
void print_weight_traffic(const std::string& prefix, TensorType type) {
  const std::unique_ptr<ToyPass> pass = pass_of(3, type);
  const TokenTraffic traffic =
      traffic_of(*pass, false, kSteps, [&] { run_chain(*pass->pass, request_of(nullptr)); });
  print(prefix + "bytes-per-weight-byte",
        traffic.weights / double(testing::weight_bytes_of_token(*pass->file)));
}

struct AfterStop {
  double matrix_threadgroups = 0;  // that read any weight
  double commands = 0;             // that were encoded all the same, and return at once
};

AfterStop after_stop() {
  const std::unique_ptr<ToyPass> pass = pass_of(2);
  const std::vector<TokenId> tokens = run_chain(*pass->pass, request_of(nullptr));
  const TokenId stop = tokens[4];
  std::vector<std::uint64_t> bits(pass->hyperparameters.vocabulary / 64 + 1, 0);
  bits[stop / 64] |= std::uint64_t{1} << (stop % 64);
  const auto steps = std::find(tokens.begin(), tokens.end(), stop) - tokens.begin() + 1;
  long ended = 0;
  AfterStop after;
  metal_sim::set_after_dispatch([&](const metal_sim::DispatchView& dispatch) {
    if (ended >= steps) ++after.commands;
    if (dispatch.kernel.starts_with("argmax")) ++ended;
    for (const metal_sim::BoundBuffer& buffer : dispatch.buffers) {
      if (ended < steps || buffer.label == nullptr || *buffer.label != "matrices" || buffer.bytes_read == 0)
        continue;
      after.matrix_threadgroups +=
          double(dispatch.threadgroups.width) * dispatch.threadgroups.height * dispatch.threadgroups.depth;
      break;
    }
  });
  run_chain(*pass->pass, request_of(nullptr, {bits}));
  metal_sim::set_after_dispatch({});
  return after;
}

// Median over submissions of a chunk that the GPU does not begin with.
double encode_microseconds() {
  const std::unique_ptr<ToyPass> pass = pass_of(2);
  std::vector<double> samples;
  for (int round = 0; round < 51; ++round) {
    const std::unique_ptr<Chain> chain = take(pass->pass->begin_chain(3, request_of(nullptr)));
    metal_sim::clear_counts();
    std::chrono::duration<double, std::micro> spent{};
    {
      const metal_sim::PausedGpu paused;
      const auto start = std::chrono::steady_clock::now();
      take_status(chain->submit(kChunk));
      spent = std::chrono::steady_clock::now() - start;
    }
    take(chain->wait());
    samples.push_back(spent.count() / static_cast<double>(metal_sim::counts().dispatches));
  }
  std::nth_element(samples.begin(), samples.begin() + 25, samples.end());
  return samples[25];
}

void run() {
  const metal_sim::Counts one = counts_of(1, nullptr), three = counts_of(3, nullptr);
  const double a_layer = double(three.dispatches - one.dispatches) / 2 / kSteps;
  print("dispatches-per-layer", a_layer);
  print("qwen3-dispatches-per-layer", dispatches_a_layer("qwen3", false));
  print("gemma3-dispatches-per-layer", dispatches_a_layer("gemma3", true));
  print("dispatches-per-token", double(one.dispatches) / kSteps - a_layer);
  print("dispatches-per-sampled-token", double(counts_of(1, &kSampling).dispatches) / kSteps - a_layer);
  print_traffic("", nullptr);
  print_traffic("sampled-", &kSampling);
  print_weight_traffic("q4_k-", TensorType::kQ4_K);
  print_weight_traffic("q6_k-", TensorType::kQ6_K);
  print("submissions-per-chunk", double(three.submissions) / (kSteps / kChunk));
  print("waits-per-chunk", double(three.waits) / (kSteps / kChunk));
  const AfterStop after = after_stop();
  print("matrix-threadgroups-after-stop", after.matrix_threadgroups);
  print("commands-after-stop", after.commands);
  print("encode-us-per-dispatch", encode_microseconds());
}

}  // namespace
}  // namespace emberline

int main() {
  emberline::run();
}
