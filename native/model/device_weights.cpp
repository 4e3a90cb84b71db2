#include "model/device_weights.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "base/try.h"

namespace emberline {

namespace {

// Bindings of vectors, too, start on cache lines.
constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Every weight once, in the order a forward pass reads them.
std::vector<const Weight*> all_present(const Weights& weights) {
  std::vector<const Weight*> all = {&weights.token_embedding};
  for (const LayerWeights& layer : weights.layers) {
    for_each_weight(layer, [&all](const Weight& weight) { all.push_back(&weight); });
  }
  all.insert(all.end(), {&weights.output_norm, &weights.output_norm_bias});
  if (weights.output.index != weights.token_embedding.index) all.push_back(&weights.output);
  std::erase_if(all, [](const Weight* weight) { return !weight->present; });
  return all;
}

std::vector<float> scaled_vector(const Weight& weight) {
  std::vector<float> elements(weight.columns);
  std::memcpy(elements.data(), weight.data.data(), weight.data.size());
  for (float& element : elements) element *= weight.scale;
  return elements;
}

}  // namespace

Result<DeviceWeights> DeviceWeights::load(Device& device, const Weights& weights,
                                          const MatrixLoading& loading) {
  DeviceWeights loaded;
  std::vector<const Weight*> matrices, vectors;
  std::vector<MatrixSource> sources;
  const std::pair<const std::vector<float>*, Binding*> listed[] = {
      {&weights.rope_factors, &loaded.rope_factors_},
      {&weights.long_rope_factors, &loaded.long_rope_factors_}};
  std::size_t vector_bytes = 0;
  for (const auto& [factors, binding] : listed) vector_bytes += aligned(factors->size() * sizeof(float));
  const std::vector<const Weight*> all = all_present(weights);
  std::size_t most = 0;
  for (const Weight* weight : all) most = std::max<std::size_t>(most, weight->index);
  loaded.bindings_.resize(most + 1);
  for (const Weight* weight : all) {
    if (weight->rank == 1) {
      vectors.push_back(weight);
      vector_bytes += aligned(weight->data.size());
    } else {
      matrices.push_back(weight);
      sources.push_back({weight->data, weight->type, weight->rows, weight->columns});
    }
  }

  TRY_VALUE(LoadedMatrices placed, device.load_matrices(sources, loading));
  loaded.matrices_ = DeviceBuffer::adopt(device, placed.buffer);
  loaded.from_copy_ = placed.from_copy;
  loaded.keeps_sources_ = placed.keeps_sources;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    loaded.bindings_[matrices[i]->index] = loaded.matrices_.at(placed.offsets[i]);
  }

  TRY_VALUE(loaded.vectors_, DeviceBuffer::allocate(device, vector_bytes));
  std::size_t offset = 0;
  for (const Weight* weight : vectors) {
    const std::vector<float> scaled = scaled_vector(*weight);
    TRY(device.write(loaded.vectors_.id(), offset, scaled.data(), weight->data.size()));
    loaded.bindings_[weight->index] = loaded.vectors_.at(offset);
    offset += aligned(weight->data.size());
  }
  for (const auto& [factors, binding] : listed) {
    if (factors->empty()) continue;
    const std::size_t bytes = factors->size() * sizeof(float);
    TRY(device.write(loaded.vectors_.id(), offset, factors->data(), bytes));
    *binding = loaded.vectors_.at(offset);
    offset += aligned(bytes);
  }
  return loaded;
}

}  // namespace emberline
