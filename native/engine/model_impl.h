// What a loaded model is made of. Internal to engine/.
#pragma once

#include <memory>

#include "decode/grammar_constraint.h"
#include "decode/token_sets.h"
#include "device/device.h"
#include "engine/model.h"
#include "engine/model_parts.h"
#include "gguf/gguf_file.h"
#include "model/device_weights.h"
#include "model/forward_pass.h"
#include "model/kv_memory.h"
#include "model/scratch.h"
#include "sampling/kernels/select_sampling_kernels.h"

namespace emberline {

// Members are destroyed from the last up: buffers before their device.
struct Model::Impl {
  std::unique_ptr<GgufFile> file{};  // where the device reads its mapping; null otherwise
  ModelParts parts;
  TokenSets token_sets{};
  const SamplingKernels& sampling_kernels;  // what is chosen on the host, whatever the device, is by these
  std::shared_ptr<const GrammarTokens> grammar_tokens{};  // made when a request first has a grammar
  std::shared_ptr<Device> device{};                       // one with the draft model
  DeviceWeights weights{};
  Scratch scratch{};
  std::unique_ptr<KvMemory> kv_memory{};
  ModelInfo info{};
  std::shared_ptr<Model> draft{};  // null: none

  // DEVICE_FAILED where the device reads a file in place that was written to or shortened since.
  Status check_file() const;
  // On the thread of the sessions. OUT_OF_MEMORY.
  Result<std::shared_ptr<const GrammarTokens>> tokens_of_grammars();
  ModelOnDevice on_device() {
    return {*device, parts.hyperparameters, parts.weights, weights, scratch, *kv_memory};
  }
};

}  // namespace emberline
