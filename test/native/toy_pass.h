// A toy model from file to forward pass, on a device of choice.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "gguf/gguf_file.h"
#include "model/forward_pass.h"
#include "model/hyperparameters.h"
#include "model/scratch.h"
#include "model/table_builder.h"
#include "model/weights.h"
#include "reference/reference_device.h"
#include "take.h"
#include "temporary_directory.h"
#include "toy_model.h"

namespace emberline::testing {

inline std::unique_ptr<GgufFile> open_toy(const ToyModel& toy, const TemporaryDirectory& directory) {
  const std::string path = directory.file("toy.gguf");
  EXPECT_TRUE(toy.writer().write(path));
  return take(GgufFile::open(path));
}

// What a model's file is refused for, or nothing.
inline Status read_toy(const ToyModel& toy) {
  const TemporaryDirectory directory;
  const auto file = open_toy(toy, directory);
  const Result<Hyperparameters> hyperparameters = read_hyperparameters(*file);
  if (!hyperparameters.ok()) return hyperparameters.error();
  const Result<Weights> weights = map_weights(*file, hyperparameters.value());
  return weights.ok() ? Status() : weights.error();
}

class ToyPass {
 public:
  explicit ToyPass(const ToyModel& toy, std::uint32_t context = 256,
                   std::unique_ptr<Device> device = make_reference_device(),
                   std::uint32_t cache_type = kKvF16)
      : ToyPass(nullptr, &toy, context, std::move(device), cache_type) {}
  // The same of a model that is opened already, on the reference device.
  static ToyPass of_file(std::unique_ptr<GgufFile> opened, std::uint32_t context = 64) {
    return ToyPass(std::move(opened), nullptr, context, make_reference_device(), kKvF16);
  }

 private:
  ToyPass(std::unique_ptr<GgufFile> opened, const ToyModel* toy, std::uint32_t context,
          std::unique_ptr<Device> device, std::uint32_t cache_type)
      : file(toy != nullptr ? open_toy(*toy, directory) : std::move(opened)),
        hyperparameters(take(read_hyperparameters(*file))),
        weights(take(map_weights(*file, hyperparameters))),
        device(std::move(device)),
        device_weights(take(DeviceWeights::load(*this->device, weights, {}))),
        scratch(take(Scratch::allocate(*this->device, hyperparameters))),
        kv_memory(take(KvMemory::create(*this->device, hyperparameters, cache_type))),
        pass(take(ForwardPass::create(on_device(), context))) {}

 public:
  ModelOnDevice on_device() {
    return {*device, hyperparameters, weights, device_weights, scratch, *kv_memory};
  }

  // To be looked at: the cache and the tokens that it binds are gone.
  DispatchTable table(TableEnd end, std::uint32_t max_rows) const {
    const KvCache cache = take(KvCache::create(*kv_memory, 16));
    const TokenHistory history = take(TokenHistory::create(*device, 16));
    return build_table({*device, hyperparameters, weights, device_weights, scratch, cache, history}, end,
                       max_rows);
  }

  std::vector<float> logits(std::uint32_t row = 0) {
    std::vector<float> values(hyperparameters.vocabulary);
    const Status status = pass->read_logits(row, values);
    EXPECT_TRUE(status.ok()) << status.message();
    return values;
  }

  // Prefills `tokens` from position 0 in slices of `slice`; the logits behind the last.
  std::vector<float> prefill(std::span<const TokenId> tokens, std::size_t slice = kPrefillRows) {
    return prefill_in(std::span(&slice, 1), tokens);
  }
  // The same in slices of these sizes, the last of which repeats.
  std::vector<float> prefill_in(std::span<const std::size_t> slices, std::span<const TokenId> tokens) {
    std::size_t index = 0;
    for (std::size_t done = 0; done < tokens.size();) {
      const auto part = tokens.subspan(done, std::min(slices[index], tokens.size() - done));
      const auto position = static_cast<std::uint32_t>(done);
      done += part.size();
      index = std::min(index + 1, slices.size() - 1);
      take(done == tokens.size() ? pass->prefill_last_logits(part, position, nullptr)
                                 : pass->prefill(part, position, nullptr));
    }
    return logits();
  }

  TemporaryDirectory directory;
  std::unique_ptr<GgufFile> file;
  Hyperparameters hyperparameters;
  Weights weights;
  std::unique_ptr<Device> device;
  DeviceWeights device_weights;
  Scratch scratch;
  std::unique_ptr<KvMemory> kv_memory;
  std::unique_ptr<ForwardPass> pass;
};

// `count` ids below `vocabulary`, the same on every platform.
inline std::vector<TokenId> random_tokens(std::size_t count, std::uint32_t vocabulary, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) token = static_cast<TokenId>(engine() % vocabulary);
  return tokens;
}

}  // namespace emberline::testing
